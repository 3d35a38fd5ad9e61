/// A first-in, first-out queue that keeps its memory, so that a steady flow allocates nothing.
@usableFromInline
struct RingBuffer<Element>: ~Copyable {
    @usableFromInline
    var slots: UnsafeMutablePointer<Element>
    /// A power of two, or 0.
    @usableFromInline
    var capacity = 0
    @usableFromInline
    var head = 0
    @usableFromInline
    var count = 0

    @inlinable
    init() {
        slots = .allocate(capacity: 0)
    }

    @inlinable
    deinit {
        for position in 0..<count { (slots + (head + position) & (capacity - 1)).deinitialize(count: 1) }
        slots.deallocate()
    }

    @inlinable
    mutating func append(_ element: consuming Element) {
        if count == capacity { grow() }
        (slots + (head + count) & (capacity - 1)).initialize(to: element)
        count += 1
    }

    @inlinable
    mutating func popFirst() -> Element? {
        guard count > 0 else { return nil }
        let element = (slots + head).move()
        head = (head + 1) & (capacity - 1)
        count -= 1
        return element
    }

    @usableFromInline
    mutating func grow() {
        let larger = max(8, capacity * 2)
        let new = UnsafeMutablePointer<Element>.allocate(capacity: larger)
        for position in 0..<count {
            (new + position).moveInitialize(from: slots + (head + position) & (capacity - 1), count: 1)
        }
        slots.deallocate()
        slots = new
        head = 0
        capacity = larger
    }
}
