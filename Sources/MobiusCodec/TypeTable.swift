/// What is known of types, found by their identity in a few nanoseconds; what does not fit in any more is found out anew.
struct TypeTable<Knowledge>: ~Copyable {
    private let types: UnsafeMutablePointer<ObjectIdentifier?>
    private let known: UnsafeMutablePointer<Knowledge>
    private static var count: Int { 512 }
    private static var ways: Int { 4 }

    /// Makes a table in which nothing is known.
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

    /// What is known of a type; found out and noted when it is asked for the first time.
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
