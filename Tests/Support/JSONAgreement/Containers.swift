// Types that write their own `encode(to:)` and `init(from:)`.

/// A key of any name.
struct NameKey: CodingKey {
    let stringValue: String
    let intValue: Int?

    init(_ name: String) {
        stringValue = name
        intValue = nil
    }

    init?(stringValue: String) { self.init(stringValue) }

    init?(intValue: Int) {
        stringValue = "\(intValue)"
        self.intValue = intValue
    }
}

/// Is what it holds.
struct Single<A: Drawn>: Drawn {
    var value: A

    init(_ value: A) { self.value = value }

    init(from decoder: any Decoder) throws { value = try decoder.singleValueContainer().decode(A.self) }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(value)
    }

    static func drawn(by chance: inout SeededGenerator, depth: Int) -> Single {
        Single(.drawn(by: &chance, depth: depth))
    }
}

/// Containers in containers, all kinds of them, in order.
struct Nested<A: Drawn, B: Drawn>: Drawn {
    var a: A
    var b: B
    var rest: [Int]

    init(a: A, b: B, rest: [Int]) {
        self.a = a
        self.b = b
        self.rest = rest
    }

    init(from decoder: any Decoder) throws {
        let outer = try decoder.container(keyedBy: NameKey.self)
        var list = try outer.nestedUnkeyedContainer(forKey: NameKey("list"))
        a = try list.decode(A.self)
        let inner = try list.nestedContainer(keyedBy: NameKey.self)
        b = try inner.decode(B.self, forKey: NameKey("b"))
        guard try inner.decodeNil(forKey: NameKey("nil")) else {
            throw DecodingError.dataCorruptedError(forKey: NameKey("nil"), in: inner, debugDescription: "nil")
        }
        var numbers = try list.nestedUnkeyedContainer()
        rest = []
        while !numbers.isAtEnd { rest.append(try numbers.decode(Int.self)) }
        _ = try list.superDecoder().singleValueContainer().decode(Bool.self)
        _ = try outer.superDecoder(forKey: NameKey("above")).container(keyedBy: NameKey.self)
        guard list.count == 4, list.isAtEnd else {
            throw DecodingError.dataCorruptedError(in: list, debugDescription: "")
        }
    }

    func encode(to encoder: any Encoder) throws {
        var outer = encoder.container(keyedBy: NameKey.self)
        var list = outer.nestedUnkeyedContainer(forKey: NameKey("list"))
        try list.encode(a)
        var inner = list.nestedContainer(keyedBy: NameKey.self)
        try inner.encode(b, forKey: NameKey("b"))
        try inner.encodeNil(forKey: NameKey("nil"))
        var numbers = list.nestedUnkeyedContainer()
        try numbers.encode(contentsOf: rest)
        try true.encode(to: list.superEncoder())
        _ = outer.superEncoder(forKey: NameKey("above")).container(keyedBy: NameKey.self)
    }

    static func drawn(by chance: inout SeededGenerator, depth: Int) -> Nested {
        Nested(
            a: .drawn(by: &chance, depth: depth - 1), b: .drawn(by: &chance, depth: depth - 1),
            rest: .drawn(by: &chance, depth: 0))
    }
}

/// Fills two containers at once.
struct Crossed<A: Drawn>: Drawn {
    var a: A
    var b: Int

    init(a: A, b: Int) {
        self.a = a
        self.b = b
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: NameKey.self)
        b = try container.nestedContainer(keyedBy: NameKey.self, forKey: NameKey("two")).decode(
            Int.self, forKey: NameKey("b"))
        a = try container.nestedContainer(keyedBy: NameKey.self, forKey: NameKey("one")).decode(
            A.self, forKey: NameKey("a"))
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: NameKey.self)
        var one = container.nestedContainer(keyedBy: NameKey.self, forKey: NameKey("one"))
        var two = container.nestedContainer(keyedBy: NameKey.self, forKey: NameKey("two"))
        try one.encode(a, forKey: NameKey("a"))
        try two.encode(b, forKey: NameKey("b"))
        try container.encode(1, forKey: NameKey("end"))
        try one.encode(2, forKey: NameKey("c"))
    }

    static func drawn(by chance: inout SeededGenerator, depth: Int) -> Crossed {
        Crossed(a: .drawn(by: &chance, depth: depth - 1), b: .drawn(by: &chance, depth: 0))
    }
}

/// Takes what it can: tries types one after the other, and leaves out what is none of them.
struct Lenient<A: Drawn>: Drawn {
    var values: [A]
    var texts: [String] = []
    var nils = 0
    var optional: A?
    var keys: [String] = []

    init(_ values: [A]) { self.values = values }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: NameKey.self)
        keys = container.allKeys.map(\.stringValue).sorted()
        optional = try container.decodeIfPresent(A.self, forKey: NameKey("optional"))
        values = []
        guard container.contains(NameKey("values")) else { return }
        var list = try container.nestedUnkeyedContainer(forKey: NameKey("values"))
        while !list.isAtEnd {
            if let value = try? list.decode(A.self) {
                values.append(value)
            } else if let text = try list.decodeIfPresent(String.self) {
                texts.append("\(list.currentIndex) \(text)")
            } else {
                nils += 1
            }
        }
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: NameKey.self)
        try container.encode(values, forKey: NameKey("values"))
        try container.encodeIfPresent(optional, forKey: NameKey("optional"))
    }

    static func == (one: Self, other: Self) -> Bool {
        one.values == other.values && one.texts == other.texts && one.nils == other.nils
            && one.optional == other.optional && (one.keys == other.keys || one.keys.isEmpty || other.keys.isEmpty)
    }

    static func drawn(by chance: inout SeededGenerator, depth: Int) -> Lenient {
        var drawn = Lenient(.drawn(by: &chance, depth: depth - 1))
        drawn.optional = .drawn(by: &chance, depth: depth - 1)
        return drawn
    }
}

/// Knows where it stood when it was read.
struct Placed<A: Drawn>: Drawn {
    var value: A
    var path: String?

    init(_ value: A) { self.value = value }

    private static func text(_ path: [any CodingKey]) -> String {
        // Keys of objects have no integer in our paths: a known difference.
        path.map { key in
            key.stringValue.hasPrefix("Index ") ? "\(key.stringValue)=\(key.intValue ?? -1)" : key.stringValue
        }.joined(separator: "|")
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: NameKey.self)
        let above = try container.superDecoder()
        var list = try container.nestedUnkeyedContainer(forKey: NameKey("list"))
        value = try list.decode(A.self)
        path = [decoder.codingPath, container.codingPath, list.codingPath, above.codingPath].map(Self.text).joined(
            separator: ";")
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: NameKey.self)
        var list = container.nestedUnkeyedContainer(forKey: NameKey("list"))
        try list.encode(value)
    }

    /// Drawn values have no path yet.
    static func == (one: Self, other: Self) -> Bool {
        one.value == other.value && (one.path == nil || other.path == nil || one.path == other.path)
    }

    static func drawn(by chance: inout SeededGenerator, depth: Int) -> Placed {
        Placed(.drawn(by: &chance, depth: depth - 1))
    }
}
