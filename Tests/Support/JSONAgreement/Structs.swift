import Foundation

/// Two of any types.
struct Pair<A: Drawn, B: Drawn>: Drawn {
    var a: A
    var b: B

    static func drawn(by chance: inout SeededGenerator, depth: Int) -> Pair {
        Pair(a: .drawn(by: &chance, depth: depth - 1), b: .drawn(by: &chance, depth: depth - 1))
    }
}

/// Members that may be missing, of most simple types.
struct Optionals: Drawn {
    var bool: Bool?
    var text: String?
    var double: Double?
    var float: Float?
    var int: Int?
    var int8: Int8?
    var int16: Int16?
    var int32: Int32?
    var int64: Int64?
    var int128: Int128?
    var uint: UInt?
    var uint8: UInt8?
    var uint16: UInt16?
    var uint32: UInt32?
    var uint64: UInt64?
    var uint128: UInt128?
    var date: Date?
    var url: URL?
    var list: [Int]?
    var twice: Int??

    static func drawn(by chance: inout SeededGenerator, depth: Int) -> Optionals {
        var drawn = Optionals()
        drawn.bool = .drawn(by: &chance, depth: 0)
        drawn.text = .drawn(by: &chance, depth: 0)
        drawn.double = .drawn(by: &chance, depth: 0)
        drawn.float = .drawn(by: &chance, depth: 0)
        drawn.int = .drawn(by: &chance, depth: 0)
        drawn.int8 = .drawn(by: &chance, depth: 0)
        drawn.int16 = .drawn(by: &chance, depth: 0)
        drawn.int32 = .drawn(by: &chance, depth: 0)
        drawn.int64 = .drawn(by: &chance, depth: 0)
        drawn.int128 = .drawn(by: &chance, depth: 0)
        drawn.uint = .drawn(by: &chance, depth: 0)
        drawn.uint8 = .drawn(by: &chance, depth: 0)
        drawn.uint16 = .drawn(by: &chance, depth: 0)
        drawn.uint32 = .drawn(by: &chance, depth: 0)
        drawn.uint64 = .drawn(by: &chance, depth: 0)
        drawn.uint128 = .drawn(by: &chance, depth: 0)
        drawn.date = .drawn(by: &chance, depth: 0)
        drawn.url = .drawn(by: &chance, depth: 0)
        drawn.list = .drawn(by: &chance, depth: 0)
        drawn.twice = chance.one(of: [nil, 5])
        return drawn
    }
}

/// Keys that need escapes, that are long, empty, or equal to another only canonically.
struct OddKeys: Drawn {
    var key: Int
    var slashed: [String: Int]
    var empty: String
    var accent: Bool
    var long: UInt8

    enum CodingKeys: String, CodingKey {
        case key = "ключ"
        case slashed = "a/\"b\\\n"
        case empty = ""
        case accent = "e\u{301}"
        case long = "a key that is longer than any small string may be"
    }

    static func drawn(by chance: inout SeededGenerator, depth: Int) -> OddKeys {
        OddKeys(
            key: .drawn(by: &chance, depth: 0), slashed: .drawn(by: &chance, depth: depth - 1),
            empty: .drawn(by: &chance, depth: 0), accent: .drawn(by: &chance, depth: 0),
            long: .drawn(by: &chance, depth: 0))
    }
}

/// A type within itself.
struct Tree: Drawn {
    var name: String
    var children: [Tree]
    var parent: [String: Tree]?

    static func drawn(by chance: inout SeededGenerator, depth: Int) -> Tree {
        let children = depth > 0 ? [Tree].drawn(by: &chance, depth: depth - 1) : []
        return Tree(
            name: .drawn(by: &chance, depth: 0), children: children,
            parent: depth > 0 && chance.chance(oneIn: 3) ? .drawn(by: &chance, depth: depth - 1) : nil)
    }
}

/// A superclass, in the object of its subclass or one of its own.
class Animal: Drawn {
    var legs = 4
    var name: String?

    init() {}

    class func make(by chance: inout SeededGenerator) -> Animal { Animal() }

    static func drawn(by chance: inout SeededGenerator, depth: Int) -> Self {
        let animal = make(by: &chance)
        animal.legs = .drawn(by: &chance, depth: 0)
        animal.name = .drawn(by: &chance, depth: 0)
        return unsafeDowncast(animal, to: Self.self)
    }

    func equals(_ other: Animal) -> Bool { legs == other.legs && name == other.name }

    static func == (one: Animal, other: Animal) -> Bool { one.equals(other) }
}

final class Cat: Animal {
    var lives = 9

    enum CodingKeys: CodingKey { case lives }

    override class func make(by chance: inout SeededGenerator) -> Animal { Cat() }

    override init() { super.init() }

    required init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        lives = try container.decode(Int.self, forKey: .lives)
        try super.init(from: container.superDecoder())
    }

    override func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(lives, forKey: .lives)
        try super.encode(to: container.superEncoder())
    }
}

final class Dog: Animal {
    var tricks: [String] = []

    enum CodingKeys: CodingKey { case tricks }

    override class func make(by chance: inout SeededGenerator) -> Animal {
        let dog = Dog()
        dog.tricks = .drawn(by: &chance, depth: 1)
        return dog
    }

    override init() { super.init() }

    required init(from decoder: any Decoder) throws {
        try super.init(from: decoder)
        tricks = try decoder.container(keyedBy: CodingKeys.self).decode([String].self, forKey: .tricks)
    }

    override func encode(to encoder: any Encoder) throws {
        try super.encode(to: encoder)
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(tricks, forKey: .tricks)
    }

    override func equals(_ other: Animal) -> Bool {
        super.equals(other) && tricks == (other as? Dog)?.tricks
    }
}
