/// The elements of an array, one after the other.
struct UnkeyedEncoding: UnkeyedEncodingContainer {
    let machine: EncodingMachine
    let place: EncodingPlace

    var codingPath: [any CodingKey] { machine.path(to: place) }

    var count: Int {
        machine.state.pointee.reach(place) ? Int(machine.state.pointee.levels[Int(place.height)].count) : 0
    }

    func encodeNil() throws { machine.element(of: place) { $0.appendNull() } }
    func encode(_ value: Bool) throws { machine.element(of: place) { $0.append(value) } }
    func encode(_ value: String) throws { machine.element(of: place) { $0.appendText(value) } }

    func encode(_ value: Double) throws {
        guard value.isFinite else {
            throw machine.noNumber(value, at: codingPath + [PlaceKey(index: count)])
        }
        machine.element(of: place) { $0.append(number: value) }
    }

    func encode(_ value: Float) throws {
        guard value.isFinite else {
            throw machine.noNumber(value, at: codingPath + [PlaceKey(index: count)])
        }
        machine.element(of: place) { $0.append(number: value) }
    }

    func encode(_ value: Int) throws { machine.element(of: place) { $0.append(integer: value) } }
    func encode(_ value: Int8) throws { machine.element(of: place) { $0.append(integer: value) } }
    func encode(_ value: Int16) throws { machine.element(of: place) { $0.append(integer: value) } }
    func encode(_ value: Int32) throws { machine.element(of: place) { $0.append(integer: value) } }
    func encode(_ value: Int64) throws { machine.element(of: place) { $0.append(integer: value) } }
    func encode(_ value: Int128) throws { machine.element(of: place) { $0.append(integer: value) } }
    func encode(_ value: UInt) throws { machine.element(of: place) { $0.append(integer: value) } }
    func encode(_ value: UInt8) throws { machine.element(of: place) { $0.append(integer: value) } }
    func encode(_ value: UInt16) throws { machine.element(of: place) { $0.append(integer: value) } }
    func encode(_ value: UInt32) throws { machine.element(of: place) { $0.append(integer: value) } }
    func encode(_ value: UInt64) throws { machine.element(of: place) { $0.append(integer: value) } }
    func encode(_ value: UInt128) throws { machine.element(of: place) { $0.append(integer: value) } }

    func encode<Value: Encodable>(_ value: Value) throws {
        try machine.write(value, into: machine.elementPlace(of: place))
    }

    func nestedContainer<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        machine.keyed(machine.elementPlace(of: place, .object))
    }

    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
        UnkeyedEncoding(machine: machine, place: machine.elementPlace(of: place, .array))
    }

    func superEncoder() -> any Encoder {
        PlaceEncoder(machine: machine, place: machine.elementPlace(of: place))
    }
}
