/// Keyed containers that serve again.
///
/// A keyed container is a box round what the coder wrote, and the runtime looks up the metadata of its types whenever one is
/// made, which takes longer than reading a small object. So the newest boxes are kept, one for a key type: when nobody
/// holds it any more, it serves for another object of that key type, through the view inside it.
struct ViewPool<View: AnyObject>: ~Copyable {
    /// Side by side: the key types; their `KeyedDecodingContainer`s or `KeyedEncodingContainer`s, which are nothing but a
    /// reference; and what these look through.
    private let keys: UnsafeMutablePointer<ObjectIdentifier?>
    private let boxes: UnsafeMutablePointer<AnyObject?>
    private let views: UnsafeMutablePointer<View?>
    private static var count: Int { 128 }

    init() {
        keys = .allocate(capacity: Self.count)
        keys.initialize(repeating: nil, count: Self.count)
        boxes = .allocate(capacity: Self.count)
        boxes.initialize(repeating: nil, count: Self.count)
        views = .allocate(capacity: Self.count)
        views.initialize(repeating: nil, count: Self.count)
    }

    deinit {
        keys.deinitialize(count: Self.count).deallocate()
        boxes.deinitialize(count: Self.count).deallocate()
        views.deinitialize(count: Self.count).deallocate()
    }

    /// Lets go of all containers; their views may hold who holds the pool.
    func removeAll() {
        for index in 0..<Self.count {
            keys[index] = nil
            boxes[index] = nil
            views[index] = nil
        }
    }

    /// A container of a key type that nobody else holds, and its view; `nil` when there is none.
    func free(for key: ObjectIdentifier) -> (box: AnyObject, view: View)? {
        for index in Self.places(of: key) where keys[index] == key {
            guard isKnownUniquelyReferenced(&boxes[index]), let box = boxes[index], let view = views[index] else {
                return nil
            }
            return (box, view)
        }
        return nil
    }

    /// Keeps a container for later, instead of one that it shares its places with.
    func keep(_ box: AnyObject, _ view: View, for key: ObjectIdentifier) {
        let places = Self.places(of: key)
        // One that is still held is of an object round this one, and serves again sooner.
        guard !places.contains(where: { keys[$0] == key }) else { return }
        let free = places.first { keys[$0] == nil } ?? places.lowerBound
        keys[free] = key
        boxes[free] = box
        views[free] = view
    }

    private static func places(of key: ObjectIdentifier) -> Range<Int> {
        let mixed = UInt(bitPattern: key) &* 0xff51_afd7_ed55_8ccd  // MurmurHash3's finalizer
        let first = Int(truncatingIfNeeded: mixed >> 59) * 4
        return first..<first + 4
    }
}
