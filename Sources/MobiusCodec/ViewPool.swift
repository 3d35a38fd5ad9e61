/// A pool of reusable keyed containers.
///
/// A keyed container is a box around the coder's view, and the runtime looks up the metadata of its types for each new
/// one, which takes longer than reading a small object. So the newest boxes are kept, up to twelve for a key type: a
/// box without other references is reused for another object of that key type, through the view inside it.
struct ViewPool<View: AnyObject>: ~Copyable {
    /// Side by side: the key types; their `KeyedDecodingContainer`s or `KeyedEncodingContainer`s, which are nothing but a
    /// reference; and what these look through.
    private let keys: UnsafeMutablePointer<ObjectIdentifier?>
    private let boxes: UnsafeMutablePointer<AnyObject?>
    private let views: UnsafeMutablePointer<View?>
    private static var count: Int { 512 }
    /// The number of places for a key type, which it shares with others, and of those that it may take.
    private static var ways: Int { 16 }
    private static var most: Int { 12 }

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

    /// Releases all containers; their views retain the pool's owner.
    ///
    /// - Parameter leave: Called with views whose containers are still referenced.
    func removeAll(_ leave: (View) -> Void = { _ in }) {
        for index in 0..<Self.count {
            if let view = views[index], !isKnownUniquelyReferenced(&boxes[index]) { leave(view) }
            keys[index] = nil
            boxes[index] = nil
            views[index] = nil
        }
    }

    /// The place of an unreferenced container of a key type; `nil` when there is none.
    @inline(__always)
    func free(for key: ObjectIdentifier) -> Int? {
        let first = Self.first(of: key)
        for place in first..<first + Self.ways where keys[place] == key {
            if isKnownUniquelyReferenced(&boxes[place]) { return place }
        }
        return nil
    }

    /// The box at a place that ``free(for:)`` found.
    func box(at place: Int) -> AnyObject { boxes[place].unsafelyUnwrapped }

    /// The view of that box.
    func view(at place: Int) -> View { views[place].unsafelyUnwrapped }

    /// A place where another container of a key type may be kept, possibly replacing an unreferenced one; `nil` for
    /// none.
    func room(for key: ObjectIdentifier) -> Int? {
        let first = Self.first(of: key)
        let places = first..<first + Self.ways
        // Referenced containers belong to enclosing objects, and become free sooner.
        guard places.count(where: { keys[$0] == key }) < Self.most else { return nil }
        return places.first { keys[$0] == nil }
            ?? places.first { keys[$0] != key && isKnownUniquelyReferenced(&boxes[$0]) }
    }

    /// Keeps a container for later, at a place that ``room(for:)`` found.
    func keep(_ box: AnyObject, _ view: View, for key: ObjectIdentifier, at place: Int) {
        keys[place] = key
        boxes[place] = box
        views[place] = view
    }

    private static func first(of key: ObjectIdentifier) -> Int {
        let mixed = UInt(bitPattern: key) &* 0xff51_afd7_ed55_8ccd  // MurmurHash3's finalizer
        return Int(truncatingIfNeeded: mixed >> 59) * ways
    }
}
