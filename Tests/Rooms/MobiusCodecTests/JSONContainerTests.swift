import Foundation
import MobiusCodec
import Synchronization
import Testing

/// Types that write their own `encode(to:)` and `init(from:)`, in usual and unusual ways.
@Suite("JSON of types that code themselves")
struct JSONContainerTests {
    private func text<Value: Codable>(_ value: Value) throws -> String {
        var scratch = CodingScratch()
        var bytes: [UInt8] = []
        try JSONCodec(Value.self, sortedKeys: true).encode(value, into: &bytes, scratch: &scratch)
        return String(decoding: bytes, as: UTF8.self)
    }

    private func foundation<Value: Encodable>(_ value: Value) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }

    private func value<Value: Codable>(_ type: Value.Type, _ text: String) throws -> Value {
        var scratch = CodingScratch()
        return try JSONCodec(type).value(of: Array(text.utf8).span.bytes, scratch: &scratch)
    }

    /// Encodes by a closure; decodes nothing.
    struct Odd: Codable, Sendable {
        let body: @Sendable (any Encoder) throws -> Void

        init(_ body: @escaping @Sendable (any Encoder) throws -> Void) { self.body = body }
        init(from decoder: any Decoder) throws { body = { _ in } }
        func encode(to encoder: any Encoder) throws { try body(encoder) }
    }

    class Animal: Codable {
        var legs = 4
    }

    final class Cat: Animal {
        var lives = 9

        enum CodingKeys: CodingKey { case lives }

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

    @Test("a class and its superclass, in an object of its own or in the same one")
    func inheritance() throws {
        #expect(try text(Cat()) == #"{"lives":9,"super":{"legs":4}}"#)
        let cat = try value(Cat.self, #"{"super":{"legs":3},"lives":1}"#)
        #expect(cat.legs == 3 && cat.lives == 1)
        #expect(throws: DecodingError.self) { try value(Cat.self, #"{"lives":1}"#) }
        let shared = Odd { encoder in
            var one = encoder.container(keyedBy: AnyKey.self)
            try one.encode(1, forKey: AnyKey("a"))
            var other = encoder.container(keyedBy: AnyKey.self)
            try other.encode(2, forKey: AnyKey("b"))
        }
        #expect(try text(shared) == #"{"a":1,"b":2}"#)
    }

    @Test("nothing at all is an empty object, and an error for the whole")
    func empty() throws {
        #expect(try text(["a": Odd { _ in }]) == #"{"a":{}}"#)
        #expect(try text([Odd { _ in }]) == "[{}]")
        #expect(throws: CodingFailure.self) { try text(Odd { _ in }) }
    }

    /// Containers within containers, and those that are filled at the same time or after they were left.
    static let odds = [
        Odd { encoder in
            var outer = encoder.container(keyedBy: AnyKey.self)
            var list = outer.nestedUnkeyedContainer(forKey: AnyKey("list"))
            try list.encode(1)
            var inner = list.nestedContainer(keyedBy: AnyKey.self)
            try inner.encodeNil(forKey: AnyKey("x"))
            try list.superEncoder().singleValue("s")
            var deeper = list.nestedUnkeyedContainer()
            try deeper.encode([1.5])
            try outer.encode(true, forKey: AnyKey("end"))
        },
        Odd { encoder in  // two at a time
            var outer = encoder.container(keyedBy: AnyKey.self)
            var one = outer.nestedContainer(keyedBy: AnyKey.self, forKey: AnyKey("one"))
            var two = outer.nestedUnkeyedContainer(forKey: AnyKey("two"))
            try one.encode(1, forKey: AnyKey("a"))
            try two.encode(2)
            try one.encode(3, forKey: AnyKey("b"))
            try outer.encode(4, forKey: AnyKey("three"))
        },
        Odd { encoder in  // the parent between the parts of its child
            var outer = encoder.unkeyedContainer()
            var inner = outer.nestedUnkeyedContainer()
            try inner.encode("a")
            try outer.encode("b")
            try inner.encode("c")
        },
        Odd { encoder in  // a super encoder that is used last
            var outer = encoder.container(keyedBy: AnyKey.self)
            let late = outer.superEncoder()
            try outer.encode(1, forKey: AnyKey("a"))
            try late.singleValue("late")
        },
        Odd { encoder in  // the same key twice: the last one counts
            var outer = encoder.container(keyedBy: AnyKey.self)
            try outer.encode(1, forKey: AnyKey("a"))
            try outer.encode(2, forKey: AnyKey("a"))
        },
    ]

    @Test("containers in any order", arguments: odds)
    func nested(_ odd: Odd) throws {
        #expect(try text(odd) == foundation(odd))
        // And within another value.
        #expect(try text(["x": [odd]]) == foundation(["x": [odd]]))
    }

    @Test("a place is known by its keys, in encoders and decoders")
    func paths() throws {
        let seen = Mutex<[String]>([])
        let odd = Odd { encoder in
            let path = encoder.codingPath.map(\.stringValue).joined(separator: ".")
            seen.withLock { $0.append(path) }
            var list = encoder.unkeyedContainer()
            try list.encode(1)
            try list.encode(2)
            #expect(list.count == 2)
            let next = list.nestedContainer(keyedBy: AnyKey.self).codingPath
            seen.withLock { $0.append(next.map(\.stringValue).joined(separator: ".")) }
        }
        _ = try text(["a\"b": ["c": odd]])
        #expect(seen.withLock { $0 } == ["a\"b.c", "a\"b.c.Index 2"])
        struct Where: Codable {
            let path: String

            init(from decoder: any Decoder) throws {
                path = decoder.codingPath.map(\.stringValue).joined(separator: ".")
            }
        }
        let places = try value([String: [Where]].self, #"{"k":[1,[2],{"z":3}]}"#)
        #expect(places["k"]?.map(\.path) == ["k.Index 0", "k.Index 1", "k.Index 2"])
    }

    @Test("a decoder that is kept beyond its decoding throws, whatever was decoded since")
    func outlived() throws {
        struct Keeper: Codable {
            let decoder: any Decoder
            let container: KeyedDecodingContainer<AnyKey>

            init(from decoder: any Decoder) throws {
                self.decoder = decoder
                container = try decoder.container(keyedBy: AnyKey.self)
            }

            func encode(to encoder: any Encoder) throws {}
        }
        var scratch = CodingScratch()
        let kept = try JSONCodec(Keeper.self).value(of: Array(#"{"a":1}"#.utf8).span.bytes, scratch: &scratch)
        _ = try JSONCodec([String: Int].self).value(of: Array(#"{"a":2}"#.utf8).span.bytes, scratch: &scratch)
        #expect(throws: DecodingError.self) { try kept.container.decode(Int.self, forKey: AnyKey("a")) }
        #expect(throws: DecodingError.self) { try kept.decoder.singleValueContainer().decode(Int.self) }
        #expect(kept.container.allKeys.isEmpty)
        #expect(kept.decoder.codingPath.isEmpty)
        // And when nothing is left of what decoded it.
        scratch = CodingScratch()
        #expect(throws: DecodingError.self) { try kept.container.decode(Int.self, forKey: AnyKey("a")) }
        #expect(throws: DecodingError.self) { try kept.container.superDecoder() }
        #expect(kept.container.codingPath.isEmpty)
    }

    @Test("objects of one key type within another")
    func recursion() throws {
        struct Tree: Codable, Equatable {
            var name: String
            var children: [Tree]
        }
        func tree(_ depth: Int) -> Tree {
            Tree(name: "t\(depth)", children: depth == 0 ? [] : [tree(depth - 1), tree(depth - 1)])
        }
        let whole = tree(6)
        #expect(try value(Tree.self, text(whole)) == whole)
        #expect(try text(whole) == foundation(whole))
        // More of them at a time than are kept for the next.
        let deep = (0..<40).reduce(tree(1)) { Tree(name: "d\($1)", children: [$0, tree(0)]) }
        #expect(try value(Tree.self, text(deep)) == deep)
        #expect(try text(deep) == foundation(deep))
    }
}

extension Encoder {
    fileprivate func singleValue(_ text: String) throws {
        var container = singleValueContainer()
        try container.encode(text)
    }
}
