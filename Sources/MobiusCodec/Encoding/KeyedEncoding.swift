/// Where a keyed container stands: the part of it that is written again when the container serves anew.
final class EncodingView {
    var machine: EncodingMachine?
    var place = EncodingPlace(height: 0, serial: 0)
}

extension EncodingMachine {
    /// A keyed container of the object at a place.
    func keyed<Key: CodingKey>(_ place: EncodingPlace) -> KeyedEncodingContainer<Key> {
        let (box, view) = views.free(for: ObjectIdentifier(Key.self)) ?? newView(for: Key.self)
        view.machine = self
        view.place = place
        return unsafeBitCast(box, to: KeyedEncodingContainer<Key>.self)
    }

    // Apart, because the runtime looks up what it needs wherever it may be needed.
    @inline(never)
    private func newView<Key: CodingKey>(for key: Key.Type) -> (box: AnyObject, view: EncodingView) {
        let view = EncodingView()
        let box = unsafeBitCast(KeyedEncodingContainer(KeyedEncoding<Key>(view: view)), to: AnyObject.self)
        views.keep(box, view, for: ObjectIdentifier(key))
        return (box, view)
    }
}

/// The members of an object, one after the other.
struct KeyedEncoding<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let view: EncodingView

    private var machine: EncodingMachine { view.machine.unsafelyUnwrapped }

    var codingPath: [any CodingKey] { machine.path(to: view.place) }

    private func member(_ key: Key, _ write: (inout OutputBytes) -> Void) {
        machine.member(key, of: view.place, write)
    }

    func encodeNil(forKey key: Key) throws { member(key) { $0.append("null") } }
    func encode(_ value: Bool, forKey key: Key) throws { member(key) { $0.append(value ? "true" : "false") } }
    func encode(_ value: String, forKey key: Key) throws { member(key) { $0.appendText(value) } }

    func encode(_ value: Double, forKey key: Key) throws {
        let digits = try machine.digits(of: value) { codingPath + [key] }
        member(key) { $0.appendASCII(digits) }
    }

    func encode(_ value: Float, forKey key: Key) throws {
        let digits = try machine.digits(of: value) { codingPath + [key] }
        member(key) { $0.appendASCII(digits) }
    }

    func encode(_ value: Int, forKey key: Key) throws { member(key) { $0.append(value) } }
    func encode(_ value: Int8, forKey key: Key) throws { member(key) { $0.append(value) } }
    func encode(_ value: Int16, forKey key: Key) throws { member(key) { $0.append(value) } }
    func encode(_ value: Int32, forKey key: Key) throws { member(key) { $0.append(value) } }
    func encode(_ value: Int64, forKey key: Key) throws { member(key) { $0.append(value) } }
    func encode(_ value: Int128, forKey key: Key) throws { member(key) { $0.append(value) } }
    func encode(_ value: UInt, forKey key: Key) throws { member(key) { $0.append(value) } }
    func encode(_ value: UInt8, forKey key: Key) throws { member(key) { $0.append(value) } }
    func encode(_ value: UInt16, forKey key: Key) throws { member(key) { $0.append(value) } }
    func encode(_ value: UInt32, forKey key: Key) throws { member(key) { $0.append(value) } }
    func encode(_ value: UInt64, forKey key: Key) throws { member(key) { $0.append(value) } }
    func encode(_ value: UInt128, forKey key: Key) throws { member(key) { $0.append(value) } }

    func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws {
        try machine.write(value, into: machine.memberPlace(key, of: view.place))
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) -> KeyedEncodingContainer<Nested> {
        machine.keyed(machine.memberPlace(key, of: view.place, .object))
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        UnkeyedEncoding(machine: machine, place: machine.memberPlace(key, of: view.place, .array))
    }

    func superEncoder() -> any Encoder {
        PlaceEncoder(machine: machine, place: machine.memberPlace(PlaceKey("super"), of: view.place))
    }

    func superEncoder(forKey key: Key) -> any Encoder {
        PlaceEncoder(machine: machine, place: machine.memberPlace(key, of: view.place))
    }
}
