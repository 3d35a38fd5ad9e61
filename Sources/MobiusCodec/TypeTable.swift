/// A cache of properties of types, by their identity, with lookups of a few nanoseconds; types that do not fit are
/// computed again.
struct TypeTable<Knowledge>: ~Copyable {
    private let types: UnsafeMutablePointer<ObjectIdentifier?>
    private let known: UnsafeMutablePointer<Knowledge>
    private static var count: Int { 512 }
    private static var ways: Int { 4 }

    /// Makes an empty table.
    ///
    /// - Parameter nothing: Fills the empty places.
    init(_ nothing: Knowledge) {
        types = .allocate(capacity: Self.count)
        types.initialize(repeating: nil, count: Self.count)
        known = .allocate(capacity: Self.count)
        known.initialize(repeating: nothing, count: Self.count)
    }

    deinit {
        types.deinitialize(count: Self.count).deallocate()
        known.deinitialize(count: Self.count).deallocate()
    }

    /// The property of a type; computed and cached at the first call.
    @inline(__always)
    func knowledge(of type: ObjectIdentifier, _ findOut: () -> Knowledge) -> Knowledge {
        let mixed = UInt(bitPattern: type) &* 0xff51_afd7_ed55_8ccd  // MurmurHash3's finalizer
        let first = Int(truncatingIfNeeded: mixed >> 57) * Self.ways
        for place in first..<first + Self.ways where types[place] == type { return known[place] }
        return note(findOut(), of: type, at: first)
    }

    @inline(never)
    private func note(_ knowledge: Knowledge, of type: ObjectIdentifier, at first: Int) -> Knowledge {
        let place = (first..<first + Self.ways).first { types[$0] == nil } ?? first
        types[place] = type
        known[place] = knowledge
        return knowledge
    }
}
