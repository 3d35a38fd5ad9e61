/// The members of an object.
struct KeyedDecoding<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let view: TypedView<Key, KeyedDecodingContainer<Key>>

    private var machine: DecodingMachine { view.machine }

    var codingPath: [any CodingKey] { view.isCurrent ? machine.path(to: view.object) : [] }

    var allKeys: [Key] { view.isCurrent ? view.keys() : [] }

    func contains(_ key: Key) -> Bool {
        view.isCurrent && view.find(key) != nil
    }

    func decodeNil(forKey key: Key) throws -> Bool { machine.node(try view.place(of: key)).kind == .null }

    func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool { try view.bool(key) }
    func decode(_ type: String.Type, forKey key: Key) throws -> String { try view.string(key) }
    func decode(_ type: Double.Type, forKey key: Key) throws -> Double { try view.double(key) }
    func decode(_ type: Float.Type, forKey key: Key) throws -> Float { try view.float(key) }
    func decode(_ type: Int.Type, forKey key: Key) throws -> Int { try view.integer(key) }
    func decode(_ type: Int8.Type, forKey key: Key) throws -> Int8 { try view.integer(key) }
    func decode(_ type: Int16.Type, forKey key: Key) throws -> Int16 { try view.integer(key) }
    func decode(_ type: Int32.Type, forKey key: Key) throws -> Int32 { try view.integer(key) }
    func decode(_ type: Int64.Type, forKey key: Key) throws -> Int64 { try view.integer(key) }
    func decode(_ type: Int128.Type, forKey key: Key) throws -> Int128 { try view.integer(key) }
    func decode(_ type: UInt.Type, forKey key: Key) throws -> UInt { try view.integer(key) }
    func decode(_ type: UInt8.Type, forKey key: Key) throws -> UInt8 { try view.integer(key) }
    func decode(_ type: UInt16.Type, forKey key: Key) throws -> UInt16 { try view.integer(key) }
    func decode(_ type: UInt32.Type, forKey key: Key) throws -> UInt32 { try view.integer(key) }
    func decode(_ type: UInt64.Type, forKey key: Key) throws -> UInt64 { try view.integer(key) }
    func decode(_ type: UInt128.Type, forKey key: Key) throws -> UInt128 { try view.integer(key) }

    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
        try view.value(key)
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<Nested> {
        try view.keyed(key)
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try UnkeyedDecoding(machine, at: view.place(of: key))
    }

    func superDecoder() throws -> any Decoder { try superDecoder(named: "super") }

    func superDecoder(forKey key: Key) throws -> any Decoder { try superDecoder(named: key.stringValue) }

    /// What is missing decodes like null, as Foundation does it.
    private func superDecoder(named name: String) throws -> any Decoder {
        guard view.isCurrent else { throw DecodingError.outlived }
        return NodeDecoder(
            machine, at: machine.find(name, for: view) ?? machine.missingPlace(of: name, in: view.object))
    }
}

// What optional properties ask for.
extension KeyedDecoding {
    func decodeIfPresent(_ type: Bool.Type, forKey key: Key) throws -> Bool? {
        try view.placeIfPresent(of: key).map { try machine.bool($0) }
    }

    func decodeIfPresent(_ type: String.Type, forKey key: Key) throws -> String? {
        try view.placeIfPresent(of: key).map { try machine.string($0) }
    }

    func decodeIfPresent(_ type: Double.Type, forKey key: Key) throws -> Double? {
        try view.placeIfPresent(of: key).map { try machine.double($0) }
    }

    func decodeIfPresent(_ type: Float.Type, forKey key: Key) throws -> Float? {
        try view.placeIfPresent(of: key).map { try machine.float($0) }
    }

    func decodeIfPresent(_ type: Int.Type, forKey key: Key) throws -> Int? {
        try view.placeIfPresent(of: key).map { try machine.integer($0) }
    }

    func decodeIfPresent(_ type: Int8.Type, forKey key: Key) throws -> Int8? {
        try view.placeIfPresent(of: key).map { try machine.integer($0) }
    }

    func decodeIfPresent(_ type: Int16.Type, forKey key: Key) throws -> Int16? {
        try view.placeIfPresent(of: key).map { try machine.integer($0) }
    }

    func decodeIfPresent(_ type: Int32.Type, forKey key: Key) throws -> Int32? {
        try view.placeIfPresent(of: key).map { try machine.integer($0) }
    }

    func decodeIfPresent(_ type: Int64.Type, forKey key: Key) throws -> Int64? {
        try view.placeIfPresent(of: key).map { try machine.integer($0) }
    }

    func decodeIfPresent(_ type: Int128.Type, forKey key: Key) throws -> Int128? {
        try view.placeIfPresent(of: key).map { try machine.integer($0) }
    }

    func decodeIfPresent(_ type: UInt.Type, forKey key: Key) throws -> UInt? {
        try view.placeIfPresent(of: key).map { try machine.integer($0) }
    }

    func decodeIfPresent(_ type: UInt8.Type, forKey key: Key) throws -> UInt8? {
        try view.placeIfPresent(of: key).map { try machine.integer($0) }
    }

    func decodeIfPresent(_ type: UInt16.Type, forKey key: Key) throws -> UInt16? {
        try view.placeIfPresent(of: key).map { try machine.integer($0) }
    }

    func decodeIfPresent(_ type: UInt32.Type, forKey key: Key) throws -> UInt32? {
        try view.placeIfPresent(of: key).map { try machine.integer($0) }
    }

    func decodeIfPresent(_ type: UInt64.Type, forKey key: Key) throws -> UInt64? {
        try view.placeIfPresent(of: key).map { try machine.integer($0) }
    }

    func decodeIfPresent(_ type: UInt128.Type, forKey key: Key) throws -> UInt128? {
        try view.placeIfPresent(of: key).map { try machine.integer($0) }
    }

    func decodeIfPresent<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value? {
        guard let place = try view.placeIfPresent(of: key) else { return nil }
        return try machine.value(place)
    }
}
