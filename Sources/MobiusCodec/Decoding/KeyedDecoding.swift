/// The members of an object.
struct KeyedDecoding<Key: CodingKey>: KeyedDecodingContainerProtocol {
    typealias View = TypedView<Key, KeyedDecodingContainer<Key>>

    /// Its view.
    ///
    /// The standard library copies this struct at every call of the container, so the view is not reference-counted:
    /// the pool owns it as long as the container exists.
    private let view: Unmanaged<View>
    /// The view of a container that the pool does not keep.
    private let owner: View?

    init(_ view: View, isKept: Bool) {
        self.view = Unmanaged.passUnretained(view)
        owner = isKept ? nil : view
    }

    /// Accesses the view without reference counting.
    @inline(__always)
    private func look<Answer>(_ body: (View) throws -> Answer) rethrows -> Answer {
        try view._withUnsafeGuaranteedRef(body)
    }

    var codingPath: [any CodingKey] { look { $0.isCurrent ? $0.machine.path(to: $0.object) : [] } }

    var allKeys: [Key] { look { $0.isCurrent ? $0.keys() : [] } }

    func contains(_ key: Key) -> Bool { look { $0.isCurrent && $0.find(key) != nil } }

    func decodeNil(forKey key: Key) throws -> Bool {
        try look { $0.machine.node(try $0.place(of: key)).kind == .null }
    }

    func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool { try look { try $0.bool(key) } }
    func decode(_ type: String.Type, forKey key: Key) throws -> String { try look { try $0.string(key) } }
    func decode(_ type: Double.Type, forKey key: Key) throws -> Double { try look { try $0.double(key) } }
    func decode(_ type: Float.Type, forKey key: Key) throws -> Float { try look { try $0.float(key) } }
    func decode(_ type: Int.Type, forKey key: Key) throws -> Int { try look { try $0.integer(key) } }
    func decode(_ type: Int8.Type, forKey key: Key) throws -> Int8 { try look { try $0.integer(key) } }
    func decode(_ type: Int16.Type, forKey key: Key) throws -> Int16 { try look { try $0.integer(key) } }
    func decode(_ type: Int32.Type, forKey key: Key) throws -> Int32 { try look { try $0.integer(key) } }
    func decode(_ type: Int64.Type, forKey key: Key) throws -> Int64 { try look { try $0.integer(key) } }
    func decode(_ type: Int128.Type, forKey key: Key) throws -> Int128 { try look { try $0.integer(key) } }
    func decode(_ type: UInt.Type, forKey key: Key) throws -> UInt { try look { try $0.integer(key) } }
    func decode(_ type: UInt8.Type, forKey key: Key) throws -> UInt8 { try look { try $0.integer(key) } }
    func decode(_ type: UInt16.Type, forKey key: Key) throws -> UInt16 { try look { try $0.integer(key) } }
    func decode(_ type: UInt32.Type, forKey key: Key) throws -> UInt32 { try look { try $0.integer(key) } }
    func decode(_ type: UInt64.Type, forKey key: Key) throws -> UInt64 { try look { try $0.integer(key) } }
    func decode(_ type: UInt128.Type, forKey key: Key) throws -> UInt128 { try look { try $0.integer(key) } }

    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
        try look { try $0.value(key) }
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<Nested> {
        try look { try $0.keyed(key) }
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try look { try UnkeyedDecoding($0.machine, at: $0.place(of: key)) }
    }

    func superDecoder() throws -> any Decoder { try superDecoder(named: "super") }

    func superDecoder(forKey key: Key) throws -> any Decoder { try superDecoder(named: key.stringValue) }

    /// A missing value decodes like null, as in Foundation.
    private func superDecoder(named name: String) throws -> any Decoder {
        try look { view in
            guard view.isCurrent else { throw DecodingError.outlived }
            let place = view.machine.find(name, for: view)
            return NodeDecoder(view.machine, at: place ?? view.machine.missingPlace(of: name, in: view.object))
        }
    }
}

// Used for optional properties.
extension KeyedDecoding {
    func decodeIfPresent(_ type: Bool.Type, forKey key: Key) throws -> Bool? {
        try look { view in try view.placeIfPresent(of: key).map { try view.machine.bool($0) } }
    }

    func decodeIfPresent(_ type: String.Type, forKey key: Key) throws -> String? {
        try look { view in try view.placeIfPresent(of: key).map { try view.machine.string($0) } }
    }

    func decodeIfPresent(_ type: Double.Type, forKey key: Key) throws -> Double? {
        try look { view in try view.placeIfPresent(of: key).map { try view.machine.double($0) } }
    }

    func decodeIfPresent(_ type: Float.Type, forKey key: Key) throws -> Float? {
        try look { view in try view.placeIfPresent(of: key).map { try view.machine.float($0) } }
    }

    func decodeIfPresent(_ type: Int.Type, forKey key: Key) throws -> Int? {
        try look { view in try view.placeIfPresent(of: key).map { try view.machine.integer($0) } }
    }

    func decodeIfPresent(_ type: Int8.Type, forKey key: Key) throws -> Int8? {
        try look { view in try view.placeIfPresent(of: key).map { try view.machine.integer($0) } }
    }

    func decodeIfPresent(_ type: Int16.Type, forKey key: Key) throws -> Int16? {
        try look { view in try view.placeIfPresent(of: key).map { try view.machine.integer($0) } }
    }

    func decodeIfPresent(_ type: Int32.Type, forKey key: Key) throws -> Int32? {
        try look { view in try view.placeIfPresent(of: key).map { try view.machine.integer($0) } }
    }

    func decodeIfPresent(_ type: Int64.Type, forKey key: Key) throws -> Int64? {
        try look { view in try view.placeIfPresent(of: key).map { try view.machine.integer($0) } }
    }

    func decodeIfPresent(_ type: Int128.Type, forKey key: Key) throws -> Int128? {
        try look { view in try view.placeIfPresent(of: key).map { try view.machine.integer($0) } }
    }

    func decodeIfPresent(_ type: UInt.Type, forKey key: Key) throws -> UInt? {
        try look { view in try view.placeIfPresent(of: key).map { try view.machine.integer($0) } }
    }

    func decodeIfPresent(_ type: UInt8.Type, forKey key: Key) throws -> UInt8? {
        try look { view in try view.placeIfPresent(of: key).map { try view.machine.integer($0) } }
    }

    func decodeIfPresent(_ type: UInt16.Type, forKey key: Key) throws -> UInt16? {
        try look { view in try view.placeIfPresent(of: key).map { try view.machine.integer($0) } }
    }

    func decodeIfPresent(_ type: UInt32.Type, forKey key: Key) throws -> UInt32? {
        try look { view in try view.placeIfPresent(of: key).map { try view.machine.integer($0) } }
    }

    func decodeIfPresent(_ type: UInt64.Type, forKey key: Key) throws -> UInt64? {
        try look { view in try view.placeIfPresent(of: key).map { try view.machine.integer($0) } }
    }

    func decodeIfPresent(_ type: UInt128.Type, forKey key: Key) throws -> UInt128? {
        try look { view in try view.placeIfPresent(of: key).map { try view.machine.integer($0) } }
    }

    func decodeIfPresent<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value? {
        try look { view in try view.placeIfPresent(of: key).map { try view.machine.value($0) } }
    }
}
