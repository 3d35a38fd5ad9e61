/// The encoder of one value: the place where it is to be written.
///
/// It fits into an existential, so handing it to `encode(to:)` allocates nothing.
struct PlaceEncoder: Encoder {
    let machine: EncodingMachine
    let place: EncodingPlace

    var codingPath: [any CodingKey] { machine.path(to: place) }
    var userInfo: [CodingUserInfoKey: Any] { machine.userInfo }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        machine.state.pointee.makeContainer(.object, at: place)
        return machine.keyed(place)
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        machine.state.pointee.makeContainer(.array, at: place)
        return UnkeyedEncoding(machine: machine, place: place)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer { self }
}

extension PlaceEncoder: SingleValueEncodingContainer {
    func encodeNil() throws { machine.single(place) { $0.appendNull() } }
    func encode(_ value: Bool) throws { machine.single(place) { $0.append(value) } }
    func encode(_ value: String) throws { machine.single(place) { $0.appendText(value) } }

    func encode(_ value: Double) throws {
        guard value.isFinite else { throw machine.noNumber(value, at: codingPath) }
        machine.single(place) { $0.append(number: value) }
    }

    func encode(_ value: Float) throws {
        guard value.isFinite else { throw machine.noNumber(value, at: codingPath) }
        machine.single(place) { $0.append(number: value) }
    }

    func encode(_ value: Int) throws { machine.single(place) { $0.append(integer: value) } }
    func encode(_ value: Int8) throws { machine.single(place) { $0.append(integer: value) } }
    func encode(_ value: Int16) throws { machine.single(place) { $0.append(integer: value) } }
    func encode(_ value: Int32) throws { machine.single(place) { $0.append(integer: value) } }
    func encode(_ value: Int64) throws { machine.single(place) { $0.append(integer: value) } }
    func encode(_ value: Int128) throws { machine.single(place) { $0.append(integer: value) } }
    func encode(_ value: UInt) throws { machine.single(place) { $0.append(integer: value) } }
    func encode(_ value: UInt8) throws { machine.single(place) { $0.append(integer: value) } }
    func encode(_ value: UInt16) throws { machine.single(place) { $0.append(integer: value) } }
    func encode(_ value: UInt32) throws { machine.single(place) { $0.append(integer: value) } }
    func encode(_ value: UInt64) throws { machine.single(place) { $0.append(integer: value) } }
    func encode(_ value: UInt128) throws { machine.single(place) { $0.append(integer: value) } }
    func encode<Value: Encodable>(_ value: Value) throws { try machine.write(value, into: place) }
}
