/// The state of a keyed container that is reset when the container is reused.
class EncodingView {
    final let machine: EncodingMachine
    /// The machine's, for as long as it is there.
    final let state: UnsafeMutablePointer<EncodingState>
    final var place = EncodingPlace(height: 0, serial: 0)
    private final let numbers: KeyNumbers
    /// The written forms of the keys, by their numbers, as far as they were written.
    private final let written: UnsafeMutablePointer<NameBytes>

    init(_ machine: EncodingMachine, _ numbers: KeyNumbers) {
        self.machine = machine
        state = machine.state
        self.numbers = numbers
        written = .allocate(capacity: KeyNumbers.count)
        written.initialize(repeating: NameBytes(), count: KeyNumbers.count)
    }

    deinit {
        written.deallocate()
    }

    /// Writes a member that is no container.
    @inline(__always)
    final func member(_ key: some CodingKey, _ write: (inout OutputBytes) -> Void) {
        if beginMember(key) != nil { write(&state.pointee.output) }
    }

    /// Writes what stands before a member's value; see ``EncodingState``.
    @inline(__always)
    final func beginMember(_ key: some CodingKey) -> Int? {
        guard let number = numbers.number(of: key) else { return beginMember(asking: key) }
        let name = written + number
        if name.pointee.count > 0 { return state.pointee.beginMember(written: name.pointee, of: place) }
        return beginMember(key, noting: name)
    }

    @inline(never)
    private func beginMember(_ key: some CodingKey, noting name: UnsafeMutablePointer<NameBytes>) -> Int? {
        guard let start = beginMember(asking: key) else { return nil }
        name.pointee = NameBytes(UnsafeBufferPointer(rebasing: state.pointee.output.content[start...]))
        return start
    }

    /// Writes a key by its name.
    @inline(never)
    private func beginMember(asking key: some CodingKey) -> Int? {
        state.pointee.beginMember(key.stringValue, of: place)
    }

    /// Opens the place of a member's value.
    @inline(__always)
    final func memberPlace(_ key: some CodingKey, _ kind: EncodingState.Level.Kind = .empty) -> EncodingPlace {
        guard let start = beginMember(key) else { return place }
        return state.pointee.open(kind, key: start)
    }

    /// A container that is a member's value.
    // Here, because the machine need not be held over it then.
    @inline(__always)
    final func keyed<Nested: CodingKey>(_ key: some CodingKey) -> KeyedEncodingContainer<Nested> {
        let place = memberPlace(key, .object)
        return machine.keyed(place)
    }
}

/// A view that stores the type of its container, which the runtime would have to look up otherwise: see ``TypedView``.
final class TypedEncodingView<Container>: EncodingView {
    /// The box as the container that it is.
    // Not inlined, because then the metadata would be looked up.
    @inline(never)
    func container(of box: AnyObject) -> Container { unsafeBitCast(box, to: Container.self) }
}

extension EncodingMachine {
    /// A keyed container of the object at a place.
    func keyed<Key: CodingKey>(_ place: EncodingPlace) -> KeyedEncodingContainer<Key> {
        guard let free = views.free(for: ObjectIdentifier(Key.self)) else { return newContainer(at: place) }
        let view = unsafeDowncast(views.view(at: free), to: TypedEncodingView<KeyedEncodingContainer<Key>>.self)
        view.place = place
        return view.container(of: views.box(at: free))
    }

    // A separate function, because the runtime looks up metadata at every place that may need it.
    @inline(never)
    private func newContainer<Key: CodingKey>(at place: EncodingPlace) -> KeyedEncodingContainer<Key> {
        let view = TypedEncodingView<KeyedEncodingContainer<Key>>(self, KeyNumbers(Key.self))
        view.place = place
        let container = KeyedEncodingContainer(KeyedEncoding<Key>(view: view))
        let key = ObjectIdentifier(Key.self)
        if let room = views.room(for: key) {
            views.keep(unsafeBitCast(container, to: AnyObject.self), view, for: key, at: room)
        }
        return container
    }
}

/// The members of an object, one after the other.
struct KeyedEncoding<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let view: EncodingView

    private var machine: EncodingMachine { view.machine }

    var codingPath: [any CodingKey] { machine.path(to: view.place) }

    func encodeNil(forKey key: Key) throws { view.member(key) { $0.appendNull() } }
    func encode(_ value: Bool, forKey key: Key) throws { view.member(key) { $0.append(value) } }
    func encode(_ value: String, forKey key: Key) throws { view.member(key) { $0.appendText(value) } }

    func encode(_ value: Double, forKey key: Key) throws {
        guard value.isFinite else { throw machine.noNumber(value, at: codingPath + [key]) }
        view.member(key) { $0.append(number: value) }
    }

    func encode(_ value: Float, forKey key: Key) throws {
        guard value.isFinite else { throw machine.noNumber(value, at: codingPath + [key]) }
        view.member(key) { $0.append(number: value) }
    }

    func encode(_ value: Int, forKey key: Key) throws { view.member(key) { $0.append(integer: value) } }
    func encode(_ value: Int8, forKey key: Key) throws { view.member(key) { $0.append(integer: value) } }
    func encode(_ value: Int16, forKey key: Key) throws { view.member(key) { $0.append(integer: value) } }
    func encode(_ value: Int32, forKey key: Key) throws { view.member(key) { $0.append(integer: value) } }
    func encode(_ value: Int64, forKey key: Key) throws { view.member(key) { $0.append(integer: value) } }
    func encode(_ value: Int128, forKey key: Key) throws { view.member(key) { $0.append(integer: value) } }
    func encode(_ value: UInt, forKey key: Key) throws { view.member(key) { $0.append(integer: value) } }
    func encode(_ value: UInt8, forKey key: Key) throws { view.member(key) { $0.append(integer: value) } }
    func encode(_ value: UInt16, forKey key: Key) throws { view.member(key) { $0.append(integer: value) } }
    func encode(_ value: UInt32, forKey key: Key) throws { view.member(key) { $0.append(integer: value) } }
    func encode(_ value: UInt64, forKey key: Key) throws { view.member(key) { $0.append(integer: value) } }
    func encode(_ value: UInt128, forKey key: Key) throws { view.member(key) { $0.append(integer: value) } }

    func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws {
        let place = view.memberPlace(key)
        try machine.write(value, into: place)
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) -> KeyedEncodingContainer<Nested> {
        view.keyed(key)
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        UnkeyedEncoding(machine: machine, place: view.memberPlace(key, .array))
    }

    func superEncoder() -> any Encoder {
        PlaceEncoder(machine: machine, place: machine.memberPlace("super", of: view.place))
    }

    func superEncoder(forKey key: Key) -> any Encoder {
        PlaceEncoder(machine: machine, place: view.memberPlace(key))
    }
}
