/// A decoder without bytes: it records what a type asks for, and returns samples.
struct ExploringDecoder: Decoder {
    let recorder: SchemaRecorder

    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedDecodingContainer<Key> {
        recorder.openKeyed(type)
        return KeyedDecodingContainer(ExploringKeys(recorder: recorder))
    }

    func unkeyedContainer() -> any UnkeyedDecodingContainer {
        recorder.openUnkeyed()
        return ExploringElements(recorder: recorder)
    }

    func singleValueContainer() -> any SingleValueDecodingContainer {
        recorder.openSingle()
        return ExploringValue(recorder: recorder)
    }
}

private struct ExploringKeys<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let recorder: SchemaRecorder

    var codingPath: [any CodingKey] { [] }
    var allKeys: [Key] { recorder.allKeys(Key.self) }

    func contains(_ key: Key) -> Bool {
        recorder.mayLack(key.stringValue)
        return true
    }

    func decodeNil(forKey key: Key) -> Bool {
        recorder.mayLack(key.stringValue)
        return false
    }

    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
        try recorder.value(type, for: key.stringValue)
    }

    func decodeIfPresent<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value? {
        try recorder.valueIfPresent(type, for: key.stringValue)
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) -> KeyedDecodingContainer<Nested> {
        ExploringDecoder(recorder: recorder.nested(key.stringValue)).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedDecodingContainer {
        ExploringDecoder(recorder: recorder.nested(key.stringValue)).unkeyedContainer()
    }

    func superDecoder() -> any Decoder { ExploringDecoder(recorder: recorder.nested("super")) }

    func superDecoder(forKey key: Key) -> any Decoder { ExploringDecoder(recorder: recorder.nested(key.stringValue)) }
}

private struct ExploringElements: UnkeyedDecodingContainer {
    let recorder: SchemaRecorder

    var codingPath: [any CodingKey] { [] }
    var count: Int? { 1 }
    var isAtEnd: Bool { recorder.isAtEnd }
    var currentIndex: Int { recorder.length }

    func decodeNil() -> Bool { false }

    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try recorder.element(type) }

    func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) -> KeyedDecodingContainer<Nested> {
        ExploringDecoder(recorder: recorder.nestedElement()).container(keyedBy: type)
    }

    func nestedUnkeyedContainer() -> any UnkeyedDecodingContainer {
        ExploringDecoder(recorder: recorder.nestedElement()).unkeyedContainer()
    }

    func superDecoder() -> any Decoder { ExploringDecoder(recorder: recorder.nestedElement()) }
}

private struct ExploringValue: SingleValueDecodingContainer {
    let recorder: SchemaRecorder

    var codingPath: [any CodingKey] { [] }

    func decodeNil() -> Bool {
        recorder.mayBeNull()
        return false
    }

    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try recorder.single(type) }
}
