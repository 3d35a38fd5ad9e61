/// Records what one call of a type's `init(from:)` asks its decoder for.
///
/// All containers of a decoder share it; a nested container has its own.
final class SchemaRecorder {
    /// The content of a key or an element.
    private enum Slot {
        case shape(SchemaShape)
        case nested(SchemaRecorder)

        var shape: SchemaShape {
            switch self {
            case .shape(let shape): shape
            case .nested(let recorder): recorder.shape()
            }
        }
    }

    private enum Kind {
        case keyed, unkeyed, single
    }

    let reader: SchemaReader
    let samples: SchemaSamples
    /// The index of the case that is given to an enum that asks for its key.
    let choice: Int
    /// Notes what is asked after a failure, if this run fails on purpose.
    let probe: SchemaProbe?
    /// The names of all cases of an enum that asked for its key.
    private(set) var cases: [String] = []
    /// The number of values that were asked for.
    private(set) var count = 0
    /// The number of elements of its array.
    var length: Int { elements.count }

    private var kind: Kind?
    private var fields: [(name: String, slot: Slot)] = []
    private var optional: Set<String> = []
    /// All keys of the types of keys, if these are enums.
    private var known: [String] = []
    private var hasAnyKeys = false
    private var elements: [Slot] = []
    private var endChecks = 0
    private var isNullable = false

    init(_ reader: SchemaReader, _ samples: SchemaSamples, choice: Int = 0, probe: SchemaProbe? = nil) {
        self.reader = reader
        self.samples = samples
        self.choice = choice
        self.probe = probe
    }

    // MARK: - Containers

    func openKeyed(_ keys: (some CodingKey).Type) {
        open(.keyed)
        for name in CaseNames.of(keys) where !known.contains(name) { known.append(name) }
    }

    func openUnkeyed() { open(.unkeyed) }

    func openSingle() { open(.single) }

    private func open(_ kind: Kind) {
        if self.kind != nil, self.kind != kind { probe?.sawAnotherKind() }
        self.kind = kind
    }

    // MARK: - Keys

    /// The key of the chosen case, or a sample of a key that may be any.
    func allKeys<Key: CodingKey>(_ type: Key.Type) -> [Key] {
        let names = CaseNames.of(type)
        guard !names.isEmpty else {
            hasAnyKeys = true
            return [Key(stringValue: "1")].compactMap(\.self)
        }
        cases = names
        return [Key(stringValue: names[min(choice, names.count - 1)])].compactMap(\.self)
    }

    func mayLack(_ name: String) { optional.insert(name) }

    func value<Value: Decodable>(_ type: Value.Type, for name: String) throws -> Value {
        try probe?.ask(name, type)
        let (shape, sample) = note(type)
        set(.shape(shape), for: name)
        return try required(sample)
    }

    /// The value of a key that may be missing.
    func valueIfPresent<Value: Decodable>(_ type: Value.Type, for name: String) throws -> Value? {
        try probe?.ask(name, type)
        let (shape, sample) = note(type)
        mayLack(name)
        set(.shape(shape), for: name)
        return sample
    }

    func nested(_ name: String) -> SchemaRecorder {
        let nested = SchemaRecorder(reader, samples, probe: probe)
        set(.nested(nested), for: name)
        return nested
    }

    private func set(_ slot: Slot, for name: String) {
        if let place = fields.firstIndex(where: { $0.name == name }) {
            fields[place].slot = slot
        } else {
            fields.append((name, slot))
        }
    }

    // MARK: - Elements and single values

    /// Whether an array is at its end: it has one element.
    var isAtEnd: Bool {
        endChecks += 1
        return !elements.isEmpty || endChecks > 16
    }

    func element<Value: Decodable>(_ type: Value.Type) throws -> Value {
        try probe?.ask("\(elements.count)", type)
        let (shape, sample) = note(type)
        elements.append(.shape(shape))
        return try required(sample)
    }

    func nestedElement() -> SchemaRecorder {
        let nested = SchemaRecorder(reader, samples, probe: probe)
        elements.append(.nested(nested))
        return nested
    }

    func mayBeNull() { isNullable = true }

    func single<Value: Decodable>(_ type: Value.Type) throws -> Value {
        try probe?.ask("", type)
        let (shape, sample) = note(type)
        elements = [.shape(shape)]
        return try required(sample)
    }

    private func note<Value: Decodable>(_ type: Value.Type) -> (SchemaShape, Value?) {
        count += 1
        return reader.explore(type, samples)
    }

    private func required<Value>(_ sample: Value?) throws -> Value {
        guard let sample else { throw SchemaBlocked() }
        return sample
    }

    // MARK: - Result

    /// The form that the questions show; `isComplete` if the type was satisfied with the answers.
    func shape(isComplete: Bool = true, isLenient: Bool = false) -> SchemaShape {
        let shape: SchemaShape
        switch kind {
        case nil: return .any("it reads nothing")
        case .single: shape = elements.first?.shape ?? .any("it decodes by hand")
        case .unkeyed: shape = array(isComplete)
        case .keyed: shape = object(isComplete, isLenient)
        }
        return isNullable ? .optional(shape) : shape
    }

    private func array(_ isComplete: Bool) -> SchemaShape {
        let shapes = elements.map(\.shape)
        if endChecks == 0, isComplete { return .tuple(shapes) }
        guard let first = shapes.first, shapes.allSatisfy({ $0 == first }) else {
            return .list(.any("it decodes by hand"))
        }
        return .list(first)
    }

    private func object(_ isComplete: Bool, _ isLenient: Bool) -> SchemaShape {
        let read = fields.map { SchemaField($0.name, $0.slot.shape, isOptional: optional.contains($0.name)) }
        if hasAnyKeys {
            guard read.count <= 1 else { return .map(.any("it decodes by hand")) }
            return .map(read.first?.shape ?? .any("it decodes by hand"))
        }
        let unread = known.filter { name in !read.contains { $0.name == name } }
        guard isComplete, unread.isEmpty, !isLenient else {
            let rest = unread.map { SchemaField($0, .any("it decodes by hand"), isOptional: true) }
            return .record(
                read.map { SchemaField($0.name, $0.shape, isOptional: true) } + rest, isPartial: true)
        }
        return .record(read, isPartial: false)
    }

    /// The case that this run was about, with its values; `nil` if the type also read other keys.
    var chosenCase: SchemaField? {
        guard cases.indices.contains(choice), fields.allSatisfy({ $0.name == cases[choice] }) else { return nil }
        return SchemaField(cases[choice], fields.first?.slot.shape ?? .record([], isPartial: false))
    }
}

/// A type needs a value of a type of which there is none yet: one that contains itself, or that refuses all samples.
struct SchemaBlocked: Error {}

/// Fails at the first value, and notes what is asked after that: a synthesized decoder asks nothing more.
final class SchemaProbe {
    private var failed: (name: String, type: ObjectIdentifier)?
    /// Whether other values are read after one was not: the type ignores errors.
    private(set) var isLenient = false
    /// Whether the same place is read as something else: the value has several forms.
    private(set) var hasAlternatives = false

    func ask(_ name: String, _ type: any Any.Type) throws {
        if let failed {
            isLenient = true
            if failed.name == name, failed.type != ObjectIdentifier(type) { hasAlternatives = true }
        } else {
            failed = (name, ObjectIdentifier(type))
        }
        throw DecodingError.typeMismatch(type, DecodingError.Context(codingPath: [], debugDescription: ""))
    }

    func sawAnotherKind() {
        if failed != nil { hasAlternatives = true }
    }
}
