/// The state of a keyed container that is reset when the container is reused.
class KeyedView {
    final let machine: DecodingMachine
    final var generation: UInt32 = 0
    /// The object, and its member that comes behind the one found last.
    final var object = 0
    final var cursor = 0
    private final let numbers: KeyNumbers
    /// The names of the keys found so far, by their numbers.
    private final let known: UnsafeMutablePointer<NameBytes>

    init(_ machine: DecodingMachine, _ numbers: KeyNumbers) {
        self.machine = machine
        self.numbers = numbers
        known = .allocate(capacity: KeyNumbers.count)
        known.initialize(repeating: NameBytes(), count: KeyNumbers.count)
    }

    deinit {
        known.deallocate()
    }

    /// Moves to the start of an object.
    @inline(__always)
    final func turn(to object: Int) {
        generation = machine.generation
        self.object = object
        cursor = object + 1
    }

    /// Whether the bytes are still there.
    @inline(__always)
    final var isCurrent: Bool { machine.generation == generation }

    /// The value of a key; `nil` when it is missing.
    @inline(__always)
    final func find(_ key: some CodingKey) -> Int? {
        if let number = numbers.number(of: key), machine.isNext(known[number], for: self) {
            return machine.takeNext(for: self)
        }
        return search(key)
    }

    /// The value of a key that is not the next one, or whose name is not known.
    @inline(never)
    private func search(_ key: some CodingKey) -> Int? {
        var name = key.stringValue
        guard let place = machine.find(name, for: self) else { return nil }
        if let number = numbers.number(of: key), known[number].count == 0 {
            known[number] = name.withUTF8 { NameBytes($0) }
        }
        return place
    }

    /// The value of a key that must be there.
    @inline(__always)
    final func place(of key: some CodingKey) throws -> Int {
        guard isCurrent else { throw DecodingError.outlived }
        guard let place = find(key) else { throw machine.missing(key, in: object) }
        return place
    }

    /// The value of a key, or `nil` when it is missing or null.
    @inline(__always)
    final func placeIfPresent(of key: some CodingKey) throws -> Int? {
        guard isCurrent else { throw DecodingError.outlived }
        guard let place = find(key), machine.node(place).kind != .null else {
            return nil
        }
        return place
    }
}

// The values of keys. Each finds its place first, so that the machine need not be retained during the lookup.
extension KeyedView {
    @inline(__always)
    final func bool(_ key: some CodingKey) throws -> Bool {
        let place = try place(of: key)
        return try machine.bool(place)
    }

    @inline(__always)
    final func string(_ key: some CodingKey) throws -> String {
        let place = try place(of: key)
        return try machine.string(place)
    }

    @inline(__always)
    final func double(_ key: some CodingKey) throws -> Double {
        let place = try place(of: key)
        return try machine.double(place)
    }

    @inline(__always)
    final func float(_ key: some CodingKey) throws -> Float {
        let place = try place(of: key)
        return try machine.float(place)
    }

    @inline(__always)
    final func integer<Integer: FixedWidthInteger>(_ key: some CodingKey) throws -> Integer {
        let place = try place(of: key)
        return try machine.integer(place)
    }

    @inline(__always)
    final func value<Value: Decodable>(_ key: some CodingKey) throws -> Value {
        let place = try place(of: key)
        return try machine.value(place)
    }

    @inline(__always)
    final func keyed<Nested: CodingKey>(_ key: some CodingKey) throws -> KeyedDecodingContainer<Nested> {
        let place = try place(of: key)
        return try machine.keyed(place)
    }
}

/// A view that stores its types, which the runtime would have to look up otherwise.
///
/// A `KeyedDecodingContainer` is only a reference to its box, but the compiler does not know that and looks up the
/// type's metadata at each copy. Here the object provides it.
final class TypedView<Key: CodingKey, Container>: KeyedView {
    /// Cached results of ``KeyedDecoding/allKeys`` for objects of one member, by its name: decoders of enums need them
    /// for each value.
    private let answers: UnsafeMutablePointer<[Key]>
    private let names: UnsafeMutablePointer<ShortName>
    private var count = 0
    private static var capacity: Int { 16 }

    init(_ machine: DecodingMachine) {
        answers = .allocate(capacity: Self.capacity)
        names = .allocate(capacity: Self.capacity)
        super.init(machine, KeyNumbers(Key.self))
    }

    deinit {
        answers.deinitialize(count: count).deallocate()
        names.deinitialize(count: count).deallocate()
    }

    /// The box as the container that it is.
    // Not inlined, because then the metadata would be looked up.
    @inline(never)
    func container(of box: AnyObject) -> Container { unsafeBitCast(box, to: Container.self) }

    /// The keys of the object, each once, as far as the key type knows them.
    func keys() -> [Key] {
        guard machine.node(object).length == 1, case let key = machine.node(object + 1), key.kind == .text,
            let name = ShortName(machine.text(of: key))
        else { return keys(of: object) }
        for index in 0..<count where names[index] == name { return answers[index] }
        return answer(name)
    }

    @inline(never)
    private func answer(_ name: ShortName) -> [Key] {
        let keys = keys(of: object)
        // Others are not kept, so that each of them is noted for the error that follows.
        if keys.count == 1, count < Self.capacity {
            (names + count).initialize(to: name)
            (answers + count).initialize(to: keys)
            count += 1
        }
        return keys
    }

    @inline(never)
    private func keys(of object: Int) -> [Key] {
        var keys: [Key] = []
        machine.visitKeys(of: object) { name in
            if let key = Key(stringValue: name) { keys.append(key) }
        }
        if keys.count != 1 { machine.state.pointee.choice = DecodingMachine.Choice(object, Key.self) }
        return keys
    }
}

/// A name of at most 16 bytes, as two words.
struct ShortName: Equatable {
    private var words = SIMD2<UInt64>()
    private let count: UInt8

    /// The name of these bytes, if they are few.
    init?(_ bytes: UnsafeBufferPointer<UInt8>) {
        guard bytes.count <= 16 else { return nil }
        count = UInt8(bytes.count)
        withUnsafeMutableBytes(of: &words) { $0.copyMemory(from: UnsafeRawBufferPointer(bytes)) }
    }
}
