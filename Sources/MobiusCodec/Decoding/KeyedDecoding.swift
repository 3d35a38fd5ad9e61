/// Where a keyed container stands: the part of it that is written again when the container serves anew.
final class KeyedView {
    var machine: DecodingMachine?
    var generation: UInt32 = 0
    /// The object, and its member that comes behind the one found last.
    var object = 0
    var cursor = 0
}

/// The members of an object.
struct KeyedDecoding<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let view: KeyedView

    /// The machine, as long as the bytes are there.
    private func machine() throws -> DecodingMachine {
        guard let machine = view.machine, machine.generation == view.generation else { throw DecodingError.outlived }
        return machine
    }

    var codingPath: [any CodingKey] { (try? machine().path(to: view.object)) ?? [] }

    var allKeys: [Key] {
        guard let machine = view.machine, machine.generation == view.generation else { return [] }
        var keys: [Key] = []
        machine.visitKeys(of: view.object) { name in
            if let key = Key(stringValue: name) { keys.append(key) }
        }
        return keys
    }

    func contains(_ key: Key) -> Bool {
        (try? machine().find(key.stringValue, for: view)) != nil
    }

    /// The value of a key that must be there.
    private func take<Value>(_ key: Key, _ read: (DecodingMachine, Int) throws -> Value) throws -> Value {
        let machine = try machine()
        guard let place = machine.find(key.stringValue, for: view) else { throw machine.missing(key, in: view.object) }
        return try read(machine, place)
    }

    /// The value of a key, or `nil` when it is missing or null.
    private func takeIfPresent<Value>(_ key: Key, _ read: (DecodingMachine, Int) throws -> Value) throws -> Value? {
        let machine = try machine()
        guard let place = machine.find(key.stringValue, for: view), machine.node(place).kind != .null else {
            return nil
        }
        return try read(machine, place)
    }

    func decodeNil(forKey key: Key) throws -> Bool { try take(key) { $0.node($1).kind == .null } }

    func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool { try take(key) { try $0.bool($1) } }
    func decode(_ type: String.Type, forKey key: Key) throws -> String { try take(key) { try $0.string($1) } }
    func decode(_ type: Double.Type, forKey key: Key) throws -> Double { try take(key) { try $0.double($1) } }
    func decode(_ type: Float.Type, forKey key: Key) throws -> Float { try take(key) { try $0.float($1) } }
    func decode(_ type: Int.Type, forKey key: Key) throws -> Int { try take(key) { try $0.integer($1) } }
    func decode(_ type: Int8.Type, forKey key: Key) throws -> Int8 { try take(key) { try $0.integer($1) } }
    func decode(_ type: Int16.Type, forKey key: Key) throws -> Int16 { try take(key) { try $0.integer($1) } }
    func decode(_ type: Int32.Type, forKey key: Key) throws -> Int32 { try take(key) { try $0.integer($1) } }
    func decode(_ type: Int64.Type, forKey key: Key) throws -> Int64 { try take(key) { try $0.integer($1) } }
    func decode(_ type: Int128.Type, forKey key: Key) throws -> Int128 { try take(key) { try $0.integer($1) } }
    func decode(_ type: UInt.Type, forKey key: Key) throws -> UInt { try take(key) { try $0.integer($1) } }
    func decode(_ type: UInt8.Type, forKey key: Key) throws -> UInt8 { try take(key) { try $0.integer($1) } }
    func decode(_ type: UInt16.Type, forKey key: Key) throws -> UInt16 { try take(key) { try $0.integer($1) } }
    func decode(_ type: UInt32.Type, forKey key: Key) throws -> UInt32 { try take(key) { try $0.integer($1) } }
    func decode(_ type: UInt64.Type, forKey key: Key) throws -> UInt64 { try take(key) { try $0.integer($1) } }
    func decode(_ type: UInt128.Type, forKey key: Key) throws -> UInt128 { try take(key) { try $0.integer($1) } }

    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
        try take(key) { try $0.value($1) }
    }

    // Those that optional properties use most; the others come by `contains` and `decodeNil`.
    func decodeIfPresent(_ type: String.Type, forKey key: Key) throws -> String? {
        try takeIfPresent(key) { try $0.string($1) }
    }

    func decodeIfPresent(_ type: Int.Type, forKey key: Key) throws -> Int? {
        try takeIfPresent(key) { try $0.integer($1) }
    }

    func decodeIfPresent(_ type: Double.Type, forKey key: Key) throws -> Double? {
        try takeIfPresent(key) { try $0.double($1) }
    }

    func decodeIfPresent<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value? {
        try takeIfPresent(key) { try $0.value($1) }
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<Nested> {
        try take(key) { try $0.keyed($1) }
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try take(key) { try UnkeyedDecoding($0, at: $1) }
    }

    func superDecoder() throws -> any Decoder { try superDecoder(named: "super") }

    func superDecoder(forKey key: Key) throws -> any Decoder { try superDecoder(named: key.stringValue) }

    /// What is missing decodes like null, as Foundation does it.
    private func superDecoder(named name: String) throws -> any Decoder {
        let machine = try machine()
        return NodeDecoder(machine, at: machine.find(name, for: view) ?? DecodingMachine.missing)
    }
}
