/// The places that stand open, in memory that is kept for the next value.
struct LevelStack {
    private var base: UnsafeMutablePointer<EncodingState.Level>
    private(set) var count = 0
    private var capacity = 32

    init() {
        base = .allocate(capacity: capacity)
    }

    func deallocate() {
        base.deallocate()
    }

    subscript(height: Int) -> EncodingState.Level {
        unsafeAddress { UnsafePointer(base + height) }
        nonmutating unsafeMutableAddress { base + height }
    }

    mutating func append(_ level: EncodingState.Level) {
        if count == capacity { grow() }
        (base + count).initialize(to: level)
        count &+= 1
    }

    /// Takes off the innermost; there must be one.
    mutating func removeLast() -> EncodingState.Level {
        count &-= 1
        return base[count]
    }

    mutating func removeAll() {
        count = 0
    }

    @inline(never)
    private mutating func grow() {
        let larger = UnsafeMutablePointer<EncodingState.Level>.allocate(capacity: capacity * 2)
        larger.moveInitialize(from: base, count: count)
        base.deallocate()
        base = larger
        capacity *= 2
    }
}
