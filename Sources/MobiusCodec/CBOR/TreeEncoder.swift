/// The encoder of a place in a tree.
struct TreeEncoder: Encoder {
    let tree: CBORTree
    let course: CBORTree.Course
    var codingPath: [any CodingKey] = []
    /// Whether the value at hand is a dictionary of integers.
    var hasIntegerKeys = false

    var userInfo: [CodingUserInfoKey: Any] { course.userInfo }

    /// The encoder of a place within.
    func within(_ tree: CBORTree, _ key: any CodingKey) -> TreeEncoder {
        TreeEncoder(tree: tree, course: course, codingPath: codingPath + [key])
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        switch tree.content {
        case .nothing: tree.content = .map(CBORTree.Members())
        case .map: break
        default: course.noteMisuse(at: codingPath)
        }
        if isTooDeep(for: 1) { course.noteDepth() }
        let isDictionary = ObjectIdentifier(type) == DictionaryKeys.type
        return KeyedEncodingContainer(
            TreeKeyedEncoding<Key>(encoder: self, hasIntegerKeys: !isDictionary || hasIntegerKeys))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        switch tree.content {
        case .nothing: tree.content = .array([])
        case .array: break
        default: course.noteMisuse(at: codingPath)
        }
        if isTooDeep(for: 1) { course.noteDepth() }
        return TreeUnkeyedEncoding(encoder: self)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer { self }

    /// Whether containers here are nested too deeply to be decoded.
    private func isTooDeep(for containers: Int) -> Bool {
        codingPath.count + containers > EncodingState.maximumDepth
    }

    /// Encodes a value of any type here.
    func write<Value: Encodable>(_ value: Value) throws {
        guard course.error == nil else { return }
        switch EncodingMachine.Way(Value.self) {
        case .itself where Value.self != String.self && Value.self != Int.self && Value.self != Double.self:
            try value.encode(to: self)
        case .whole: try value.encode(to: self)
        case .numbered:
            var encoder = self
            encoder.hasIntegerKeys = true
            try value.encode(to: encoder)
        case .date where isTooDeep(for: 2), .decimal where isTooDeep(for: 2): course.noteDepth()
        default:
            // One that the machine writes without asking it, and so never out of order.
            let machine = EncodingMachine(sortedKeys: false)
            try withExtendedLifetime(machine) {  // it holds the bytes
                if let bytes = try machine.encode(value, isBinary: true) { item(Array(bytes)) }
            }
        }
    }

    private func item(_ bytes: [UInt8]) {
        if case .nothing = tree.content {} else { course.noteMisuse(at: codingPath) }
        tree.content = .item(bytes)
    }
}

extension TreeEncoder: SingleValueEncodingContainer {
    private func item(_ write: (inout OutputBytes) -> Void) { item(CBORTree.item(write)) }

    func encodeNil() throws { item { $0.appendNull() } }
    func encode(_ value: Bool) throws { item { $0.append(value) } }
    func encode(_ value: String) throws { item { $0.appendText(value) } }
    func encode(_ value: Double) throws { item { $0.append(number: value) } }
    func encode(_ value: Float) throws { item { $0.append(number: value) } }
    func encode(_ value: Int) throws { item { $0.append(integer: value) } }
    func encode(_ value: Int8) throws { item { $0.append(integer: value) } }
    func encode(_ value: Int16) throws { item { $0.append(integer: value) } }
    func encode(_ value: Int32) throws { item { $0.append(integer: value) } }
    func encode(_ value: Int64) throws { item { $0.append(integer: value) } }
    func encode(_ value: Int128) throws { item { $0.append(integer: value) } }
    func encode(_ value: UInt) throws { item { $0.append(integer: value) } }
    func encode(_ value: UInt8) throws { item { $0.append(integer: value) } }
    func encode(_ value: UInt16) throws { item { $0.append(integer: value) } }
    func encode(_ value: UInt32) throws { item { $0.append(integer: value) } }
    func encode(_ value: UInt64) throws { item { $0.append(integer: value) } }
    func encode(_ value: UInt128) throws { item { $0.append(integer: value) } }
    func encode<Value: Encodable>(_ value: Value) throws { try write(value) }
}

/// The elements of an array in a tree.
struct TreeUnkeyedEncoding: UnkeyedEncodingContainer {
    let encoder: TreeEncoder

    var codingPath: [any CodingKey] { encoder.codingPath }

    var count: Int {
        if case .array(let elements) = encoder.tree.content { elements.count } else { 0 }
    }

    private func next() -> TreeEncoder {
        let key = PlaceKey(index: count)
        return encoder.within(encoder.tree.element(), key)
    }

    func encodeNil() throws { try next().encodeNil() }
    // The standard library needs these two for such values.
    func encode(_ value: Int128) throws { try next().encode(value) }
    func encode(_ value: UInt128) throws { try next().encode(value) }
    func encode<Value: Encodable>(_ value: Value) throws { try next().write(value) }

    func nestedContainer<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        next().container(keyedBy: type)
    }

    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { next().unkeyedContainer() }
    func superEncoder() -> any Encoder { next() }
}

/// The members of a map in a tree.
struct TreeKeyedEncoding<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let encoder: TreeEncoder
    let hasIntegerKeys: Bool

    var codingPath: [any CodingKey] { encoder.codingPath }

    private func place(of key: any CodingKey) -> TreeEncoder {
        let bytes = CBORTree.item { output in
            if hasIntegerKeys, let number = key.intValue {
                output.append(integer: number)
            } else {
                output.appendText(key.stringValue)
            }
        }
        return encoder.within(encoder.tree.member(bytes), key)
    }

    /// A place for another value: the last one counts, as in a dictionary that is assigned to.
    private func free(_ key: Key) -> TreeEncoder {
        let place = place(of: key)
        place.tree.content = .nothing
        return place
    }

    func encodeNil(forKey key: Key) throws { try free(key).encodeNil() }
    func encode(_ value: Int128, forKey key: Key) throws { try free(key).encode(value) }
    func encode(_ value: UInt128, forKey key: Key) throws { try free(key).encode(value) }
    func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws { try free(key).write(value) }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) -> KeyedEncodingContainer<Nested> {
        place(of: key).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer { place(of: key).unkeyedContainer() }
    func superEncoder() -> any Encoder { place(of: PlaceKey("super")) }
    func superEncoder(forKey key: Key) -> any Encoder { place(of: key) }
}
