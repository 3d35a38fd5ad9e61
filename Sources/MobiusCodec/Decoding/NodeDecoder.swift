/// The decoder of one value: a place among the nodes.
///
/// It fits into an existential, so handing it to `init(from:)` allocates nothing.
struct NodeDecoder: Decoder {
    let machine: DecodingMachine
    private let place: UInt32
    private let generation: UInt32

    init(_ machine: DecodingMachine, at place: Int) {
        self.machine = machine
        self.place = UInt32(place)
        generation = machine.generation
    }

    /// The place, as long as the bytes are there.
    func node() throws -> Int {
        guard machine.generation == generation else { throw DecodingError.outlived }
        return Int(place)
    }

    var codingPath: [any CodingKey] {
        machine.generation == generation ? machine.path(to: Int(place)) : []
    }

    var userInfo: [CodingUserInfoKey: Any] { machine.userInfo }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        try machine.keyed(try node())
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        try UnkeyedDecoding(machine, at: try node())
    }

    func singleValueContainer() throws -> any SingleValueDecodingContainer { self }
}

extension NodeDecoder: SingleValueDecodingContainer {
    func decodeNil() -> Bool {
        machine.generation == generation && machine.node(Int(place)).kind == .null
    }

    func decode(_ type: Bool.Type) throws -> Bool { try machine.bool(try node()) }
    func decode(_ type: String.Type) throws -> String { try machine.string(try node()) }
    func decode(_ type: Double.Type) throws -> Double { try machine.double(try node()) }
    func decode(_ type: Float.Type) throws -> Float { try machine.float(try node()) }
    func decode(_ type: Int.Type) throws -> Int { try machine.integer(try node()) }
    func decode(_ type: Int8.Type) throws -> Int8 { try machine.integer(try node()) }
    func decode(_ type: Int16.Type) throws -> Int16 { try machine.integer(try node()) }
    func decode(_ type: Int32.Type) throws -> Int32 { try machine.integer(try node()) }
    func decode(_ type: Int64.Type) throws -> Int64 { try machine.integer(try node()) }
    func decode(_ type: Int128.Type) throws -> Int128 { try machine.integer(try node()) }
    func decode(_ type: UInt.Type) throws -> UInt { try machine.integer(try node()) }
    func decode(_ type: UInt8.Type) throws -> UInt8 { try machine.integer(try node()) }
    func decode(_ type: UInt16.Type) throws -> UInt16 { try machine.integer(try node()) }
    func decode(_ type: UInt32.Type) throws -> UInt32 { try machine.integer(try node()) }
    func decode(_ type: UInt64.Type) throws -> UInt64 { try machine.integer(try node()) }
    func decode(_ type: UInt128.Type) throws -> UInt128 { try machine.integer(try node()) }
    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try machine.value(try node()) }
}

extension DecodingError {
    /// A decoder or container was used after its value was decoded.
    static var outlived: DecodingError {
        .dataCorrupted(
            Context(codingPath: [], debugDescription: "This decoder was kept beyond the decoding it belongs to."))
    }
}
