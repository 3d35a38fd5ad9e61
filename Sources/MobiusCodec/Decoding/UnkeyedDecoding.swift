/// The elements of an array, one after the other.
struct UnkeyedDecoding: UnkeyedDecodingContainer {
    private let machine: DecodingMachine
    private let generation: UInt32
    private let array: UInt32
    private var element: UInt32
    private var index: UInt32 = 0

    init(_ machine: DecodingMachine, at array: Int) throws {
        guard machine.node(array).kind == .array else { throw machine.mismatch([Any].self, at: array) }
        self.machine = machine
        self.array = UInt32(array)
        generation = machine.generation
        element = UInt32(array + 1)
    }

    var codingPath: [any CodingKey] {
        machine.generation == generation ? machine.path(to: Int(array)) : []
    }

    var count: Int? { machine.generation == generation ? Int(machine.node(Int(array)).length) : 0 }
    var currentIndex: Int { Int(index) }
    var isAtEnd: Bool { index >= count ?? 0 }

    /// The next element, which is not passed before it could be decoded.
    private func next<Value>(_ type: Value.Type = Value.self) throws -> Int {
        guard machine.generation == generation else { throw DecodingError.outlived }
        guard !isAtEnd else {
            throw DecodingError.valueNotFound(
                Value.self,
                DecodingError.Context(
                    codingPath: codingPath + [PlaceKey(index: currentIndex)],
                    debugDescription: "Unkeyed container is at end."))
        }
        return Int(element)
    }

    private mutating func pass() {
        element = machine.node(Int(element)).next
        index += 1
    }

    private mutating func take<Value>(_ read: (DecodingMachine, Int) throws -> Value) throws -> Value {
        let value = try read(machine, try next(Value.self))
        pass()
        return value
    }

    mutating func decodeNil() throws -> Bool {
        guard machine.node(try next(Any?.self)).kind == .null else { return false }
        pass()
        return true
    }

    mutating func decode(_ type: Bool.Type) throws -> Bool { try take { try $0.bool($1) } }
    mutating func decode(_ type: String.Type) throws -> String { try take { try $0.string($1) } }
    mutating func decode(_ type: Double.Type) throws -> Double { try take { try $0.double($1) } }
    mutating func decode(_ type: Float.Type) throws -> Float { try take { try $0.float($1) } }
    mutating func decode(_ type: Int.Type) throws -> Int { try take { try $0.integer($1) } }
    mutating func decode(_ type: Int8.Type) throws -> Int8 { try take { try $0.integer($1) } }
    mutating func decode(_ type: Int16.Type) throws -> Int16 { try take { try $0.integer($1) } }
    mutating func decode(_ type: Int32.Type) throws -> Int32 { try take { try $0.integer($1) } }
    mutating func decode(_ type: Int64.Type) throws -> Int64 { try take { try $0.integer($1) } }
    mutating func decode(_ type: Int128.Type) throws -> Int128 { try take { try $0.integer($1) } }
    mutating func decode(_ type: UInt.Type) throws -> UInt { try take { try $0.integer($1) } }
    mutating func decode(_ type: UInt8.Type) throws -> UInt8 { try take { try $0.integer($1) } }
    mutating func decode(_ type: UInt16.Type) throws -> UInt16 { try take { try $0.integer($1) } }
    mutating func decode(_ type: UInt32.Type) throws -> UInt32 { try take { try $0.integer($1) } }
    mutating func decode(_ type: UInt64.Type) throws -> UInt64 { try take { try $0.integer($1) } }
    mutating func decode(_ type: UInt128.Type) throws -> UInt128 { try take { try $0.integer($1) } }
    mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try take { try $0.value($1) } }

    mutating func nestedContainer<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        let place = try next(KeyedDecodingContainer<Key>.self)
        let container: KeyedDecodingContainer<Key> = try machine.keyed(place)
        pass()
        return container
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        let container = try UnkeyedDecoding(machine, at: try next(UnkeyedDecoding.self))
        pass()
        return container
    }

    mutating func superDecoder() throws -> any Decoder {
        let decoder = NodeDecoder(machine, at: try next((any Decoder).self))
        pass()
        return decoder
    }
}
