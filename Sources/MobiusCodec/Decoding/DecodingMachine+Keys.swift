// The members of objects by their keys.
//
// Most objects are small and are read in the order in which they were written: one comparison finds the next member. A
// large one gets a table of its keys at the first lookup out of order, so that no input makes it slow.
extension DecodingMachine {
    /// A keyed container of the object at `place`.
    func keyed<Key: CodingKey>(_ place: Int) throws -> KeyedDecodingContainer<Key> {
        guard node(place).kind == .object else { throw mismatch([String: Any].self, at: place) }
        try prepareKeys(of: place)
        guard let free = views.free(for: ObjectIdentifier(Key.self)) else { return newContainer(of: place) }
        let view = unsafeDowncast(views.view(at: free), to: TypedView<Key, KeyedDecodingContainer<Key>>.self)
        view.turn(to: place)
        return view.container(of: views.box(at: free))
    }

    // A separate function, because the runtime looks up metadata at every place that may need it.
    @inline(never)
    private func newContainer<Key: CodingKey>(of place: Int) -> KeyedDecodingContainer<Key> {
        let view = TypedView<Key, KeyedDecodingContainer<Key>>(self)
        view.turn(to: place)
        let key = ObjectIdentifier(Key.self)
        guard let room = views.room(for: key) else {
            return KeyedDecodingContainer(KeyedDecoding(view, isKept: false))
        }
        let container = KeyedDecodingContainer(KeyedDecoding(view, isKept: true))
        views.keep(unsafeBitCast(container, to: AnyObject.self), view, for: key, at: room)
        return container
    }

    /// Hands over an object's keys, each once.
    func visitKeys(of object: Int, _ visit: (String) -> Void) {
        var key = object + 1
        while key < Int(node(object).next) {
            if !node(key).isRepeated, let name = string(of: node(key)) { visit(name) }
            key = Int(node(key + 1).next)
        }
    }

    /// The value of a key of the object of `view`.
    func find(_ name: String, for view: KeyedView) -> Int? {
        name.withPlacedUTF8 { find($0, for: view) }
    }

    /// Whether the member at which `view` stands has that name, if it is known.
    @inline(__always)
    func isNext(_ name: borrowing NameBytes, for view: KeyedView) -> Bool {
        let key = view.cursor
        guard name.count > 0, key < Int(node(view.object).next) else { return false }
        let node = node(key)
        guard node.kind == .text, !node.isRepeated, Int(node.length) == name.count else { return false }
        return name.isEqual(text(of: node).baseAddress.unsafelyUnwrapped)
    }

    /// The value of the member at which `view` stands, and goes on to the next.
    @inline(__always)
    func takeNext(for view: KeyedView) -> Int {
        let key = view.cursor
        view.cursor = Int(node(key &+ 1).next)
        return key &+ 1
    }

    private func find(_ wanted: UnsafeBufferPointer<UInt8>, for view: KeyedView) -> Int? {
        let key = view.cursor
        if key < Int(node(view.object).next), !node(key).isRepeated, isEqual(node(key), wanted) {
            return takeNext(for: view)
        }
        guard let found = search(wanted, in: view.object) else { return nil }
        view.cursor = Int(node(found + 1).next)
        return found + 1
    }

    /// Like Swift's strings, keys are equal when they are canonically equivalent, which matters only beyond ASCII.
    private func search(_ wanted: UnsafeBufferPointer<UInt8>, in object: Int) -> Int? {
        if node(object).offset > Node.plain { return lookUp(wanted, in: object) }
        let name = Self.isASCII(wanted) ? nil : String(decoding: wanted, as: UTF8.self)
        var key = object + 1
        while key < Int(node(object).next) {
            if !node(key).isRepeated, isEqual(node(key), wanted) || name != nil && string(of: node(key)) == name {
                return key
            }
            key = Int(node(key + 1).next)
        }
        return nil
    }

    private static func isASCII(_ name: UnsafeBufferPointer<UInt8>) -> Bool {
        name.baseAddress.map { JSONText.isASCII($0, name.count) } ?? true
    }

    @inline(__always)
    private func isEqual(_ key: Node, _ wanted: UnsafeBufferPointer<UInt8>) -> Bool {
        if key.kind == .text {
            guard Int(key.length) == wanted.count else { return false }
            guard let start = wanted.baseAddress, !wanted.isEmpty else { return true }
            return memoryIsEqual(text(of: key).baseAddress.unsafelyUnwrapped, start, Int(key.length))
        }
        return isEqualUnescaped(key, wanted)
    }

    @inline(never)
    private func isEqualUnescaped(_ key: Node, _ wanted: UnsafeBufferPointer<UInt8>) -> Bool {
        string(of: key)?.utf8.elementsEqual(wanted) ?? false
    }

    // MARK: - Tables

    /// Prepares an object for lookups, once.
    @inline(__always)
    func prepareKeys(of object: Int) throws {
        if node(object).offset == 0 { try prepare(object) }
    }

    /// Checks the keys, finds those that are there twice, of which the first counts, and makes a large object's table.
    private func prepare(_ object: Int) throws {
        let count = Int(node(object).length)
        let isPlain = try checkKeys(of: object)
        if count <= Node.smallCount {
            markRepeated(in: object, isPlain: isPlain)
            state.pointee.nodes[object].offset = Node.plain
        } else {
            makeTable(of: object, count: count)
        }
    }

    /// Whether all keys are ASCII without escapes, so that equal ones have equal bytes.
    private func checkKeys(of object: Int) throws -> Bool {
        var isPlain = true
        var key = object + 1
        while key < Int(node(object).next) {
            if !node(key).isPlain {
                isPlain = false
                guard isValidKey(node(key)) else {
                    throw corrupted("a key in it is not valid Unicode", at: object, isNamed: false)
                }
            }
            key = Int(node(key + 1).next)
        }
        return isPlain
    }

    private func isValidKey(_ key: Node) -> Bool {
        key.kind == .text ? JSONText.isValid(text(of: key)) : string(of: key) != nil
    }

    private func markRepeated(in object: Int, isPlain: Bool) {
        let end = Int(node(object).next)
        var key = object + 1
        while key < end {
            let next = Int(node(key + 1).next)
            var other = next
            while other < end {
                if isPlain ? isSameText(node(key), node(other)) : isSameKey(node(key), node(other)) {
                    state.pointee.nodes[other].isRepeated = true
                }
                other = Int(node(other + 1).next)
            }
            key = next
        }
    }

    private func isSameKey(_ one: Node, _ other: Node) -> Bool {
        guard let name = string(of: one) else { return false }
        return name == string(of: other)
    }

    private func isSameText(_ one: Node, _ other: Node) -> Bool {
        guard one.length == other.length else { return false }
        guard let first = text(of: one).baseAddress, let second = text(of: other).baseAddress else { return true }
        return memoryIsEqual(first, second, Int(one.length))
    }

    /// A hash table with open addressing: the key node of each member, 0 for none.
    private func makeTable(of object: Int, count: Int) {
        let size = 2 << (Int.bitWidth - (count - 1).leadingZeroBitCount)
        let base = state.pointee.index.count
        state.pointee.index.append(contentsOf: [UInt32(size)])
        state.pointee.index.append(contentsOf: repeatElement(0, count: size))
        state.pointee.nodes[object].offset = UInt32(base) + Node.plain + 1
        var key = object + 1
        while key < Int(node(object).next) {
            if node(key).kind == .text {
                enter(key, text(of: node(key)), into: base)
            } else {
                var name = string(of: node(key)) ?? ""
                name.withUTF8 { enter(key, $0, into: base) }
            }
            key = Int(node(key + 1).next)
        }
    }

    private func enter(_ key: Int, _ name: UnsafeBufferPointer<UInt8>, into base: Int) {
        let slot = slot(of: name, in: base)
        if state.pointee.index[slot] == 0 {
            state.pointee.index[slot] = UInt32(key)
        } else {
            state.pointee.nodes[key].isRepeated = true
        }
    }

    private func lookUp(_ wanted: UnsafeBufferPointer<UInt8>, in object: Int) -> Int? {
        let key = state.pointee.index[slot(of: wanted, in: Int(node(object).offset - Node.plain - 1))]
        return key == 0 ? nil : Int(key)
    }

    /// The slot that holds a key, or the empty one where it would be.
    private func slot(of wanted: UnsafeBufferPointer<UInt8>, in base: Int) -> Int {
        let mask = Int(state.pointee.index[base]) - 1
        let name = Self.isASCII(wanted) ? nil : String(decoding: wanted, as: UTF8.self)
        var hasher = Hasher()  // seeded per process: peers cannot choose colliding keys
        if let name { hasher.combine(name) } else { hasher.combine(bytes: UnsafeRawBufferPointer(wanted)) }
        var at = hasher.finalize() & mask
        while true {
            let key = state.pointee.index[base + 1 + at]
            if key == 0 || isEqual(node(Int(key)), wanted) || name != nil && string(of: node(Int(key))) == name {
                return base + 1 + at
            }
            at = (at + 1) & mask
        }
    }
}
