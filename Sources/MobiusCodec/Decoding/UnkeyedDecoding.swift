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
    @inline(__always)
    private func next(_ type: @autoclosure () -> any Any.Type) throws -> Int {
        guard machine.generation == generation else { throw DecodingError.outlived }
        guard index < machine.node(Int(array)).length else { throw atEnd(type()) }
        return Int(element)
    }

    @inline(never)
    private func atEnd(_ type: any Any.Type) -> DecodingError {
        .valueNotFound(
            type,
            DecodingError.Context(
                codingPath: codingPath + [PlaceKey(index: currentIndex)],
                debugDescription: "Unkeyed container is at end."))
    }

    @inline(__always)
    private mutating func pass() {
        element = machine.node(Int(element)).next
        index += 1
    }

    @inline(__always)
    private mutating func integer<Integer: FixedWidthInteger>() throws -> Integer {
        let integer: Integer = try machine.integer(next(Integer.self))
        pass()
        return integer
    }

    mutating func decodeNil() throws -> Bool {
        guard machine.node(try next(Any?.self)).kind == .null else { return false }
        pass()
        return true
    }

    mutating func decode(_ type: Bool.Type) throws -> Bool {
        let bool = try machine.bool(next(type))
        pass()
        return bool
    }

    mutating func decode(_ type: String.Type) throws -> String {
        let string = try machine.string(next(type))
        pass()
        return string
    }

    mutating func decode(_ type: Double.Type) throws -> Double {
        let double = try machine.double(next(type))
        pass()
        return double
    }

    mutating func decode(_ type: Float.Type) throws -> Float {
        let float = try machine.float(next(type))
        pass()
        return float
    }

    mutating func decode(_ type: Int.Type) throws -> Int { try integer() }
    mutating func decode(_ type: Int8.Type) throws -> Int8 { try integer() }
    mutating func decode(_ type: Int16.Type) throws -> Int16 { try integer() }
    mutating func decode(_ type: Int32.Type) throws -> Int32 { try integer() }
    mutating func decode(_ type: Int64.Type) throws -> Int64 { try integer() }
    mutating func decode(_ type: Int128.Type) throws -> Int128 { try integer() }
    mutating func decode(_ type: UInt.Type) throws -> UInt { try integer() }
    mutating func decode(_ type: UInt8.Type) throws -> UInt8 { try integer() }
    mutating func decode(_ type: UInt16.Type) throws -> UInt16 { try integer() }
    mutating func decode(_ type: UInt32.Type) throws -> UInt32 { try integer() }
    mutating func decode(_ type: UInt64.Type) throws -> UInt64 { try integer() }
    mutating func decode(_ type: UInt128.Type) throws -> UInt128 { try integer() }

    mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        let value: Value = try machine.value(next(type))
        pass()
        return value
    }

    mutating func nestedContainer<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        let container: KeyedDecodingContainer<Key> = try machine.keyed(next(KeyedDecodingContainer<Key>.self))
        pass()
        return container
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        let container = try UnkeyedDecoding(machine, at: next((any UnkeyedDecodingContainer).self))
        pass()
        return container
    }

    mutating func superDecoder() throws -> any Decoder {
        let decoder = NodeDecoder(machine, at: try next((any Decoder).self))
        pass()
        return decoder
    }
}
