import Foundation
import JSONAgreement
import MobiusCodec
import Synchronization
import Testing

/// Types that write their own `encode(to:)` and `init(from:)`, in usual and unusual ways.
@Suite("CBOR of types that code themselves")
struct CBORContainerTests {
    private typealias Odd = JSONContainerTests.Odd

    private func coded<Value: Codable>(_ value: Value, deterministic: Bool = true) throws -> [UInt8] {
        var scratch = CodingScratch()
        var bytes: [UInt8] = []
        try CBORCoding(Value.self, deterministic: deterministic).encode(value, into: &bytes, scratch: &scratch)
        return bytes
    }

    private func text<Value: Codable>(_ value: Value, deterministic: Bool = true) throws -> String {
        let bytes = try coded(value, deterministic: deterministic)
        return try CBORText.json(of: bytes.span.bytes)
    }

    @Test("containers in any order are what Foundation's JSON makes of them", arguments: JSONContainerTests.odds)
    func nested(_ odd: JSONContainerTests.Odd) throws {
        func object(_ json: Data) throws -> NSObject {
            try #require(try JSONSerialization.jsonObject(with: json, options: .fragmentsAllowed) as? NSObject)
        }
        let foundation = try object(JSONEncoder().encode(["x": [odd, odd]]))
        #expect(try object(Data(text(["x": [odd, odd]]).utf8)) == foundation)
    }

    /// A value twice; the one in the inner container may come after that was left.
    private struct Pair: Codable {
        let value: Sample
        let isLate: Bool

        func encode(to encoder: any Encoder) throws {
            var outer = encoder.container(keyedBy: AnyKey.self)
            var inner = outer.nestedUnkeyedContainer(forKey: AnyKey("inner"))
            if !isLate { try inner.encode(value) }
            try outer.encode(value, forKey: AnyKey("value"))
            if isLate { try inner.encode(value) }
        }
    }

    @Test("the slow way writes what the fast way writes")
    func slow() throws {
        var chance = SeededGenerator(11)
        for _ in 0..<500 {
            let value = Sample.drawn(depth: 4, by: &chance)
            #expect(try coded(Pair(value: value, isLate: true)) == coded(Pair(value: value, isLate: false)))
        }
    }

    @Test("the slow way knows where it is, and refuses two kinds of value in one place")
    func misuse() throws {
        let seen = Mutex<[String]>([])
        let odd = Odd { encoder in
            var outer = encoder.container(keyedBy: AnyKey.self)
            let late = outer.superEncoder(forKey: AnyKey("late"))
            var list = outer.nestedUnkeyedContainer(forKey: AnyKey("list"))
            try list.encode([1: 2])
            #expect(list.count == 1)
            let path = list.nestedContainer(keyedBy: AnyKey.self).codingPath.map(\.stringValue)
            seen.withLock { $0.append(path.joined(separator: ".")) }
            var single = late.singleValueContainer()
            try single.encodeNil()
        }
        #expect(try text([7: odd]) == #"{"7":{"late":null,"list":[{"1":2},{}]}}"#)
        #expect(seen.withLock { $0.last } == "7.list.Index 1")
        let wrong = Odd { encoder in
            var container = encoder.unkeyedContainer()
            try container.encode(1)
            var other = encoder.container(keyedBy: AnyKey.self)
            try other.encode(1, forKey: AnyKey("a"))
        }
        let failure = #expect(throws: CodingFailure.self) { try text(["x": wrong]) }
        #expect(failure?.description.contains("at x: the value has no form in CBOR") == true)
        let twice = Odd { encoder in
            var container = encoder.singleValueContainer()
            try container.encode(1)
            try container.encode(2)
        }
        #expect(throws: CodingFailure.self) { try text(["x": twice]) }
        #expect(throws: CodingFailure.self) { try text(Odd { _ in }) }
        #expect(try text(["a": Odd { _ in }]) == #"{"a":{}}"#)
    }

    @Test("a class and its superclass")
    func inheritance() throws {
        #expect(try text(JSONContainerTests.Cat()) == #"{"lives":9,"super":{"legs":4}}"#)
        var scratch = CodingScratch()
        let bytes = try coded(JSONContainerTests.Cat())
        let cat = try CBORCoding(JSONContainerTests.Cat.self).decode(bytes.span.bytes, scratch: &scratch)
        #expect(cat.lives == 9 && cat.legs == 4)
    }

    @Test("a decoder that is kept beyond its decoding throws, also for JSON's bytes")
    func outlived() throws {
        struct Keeper: Codable {
            let decoder: any Decoder

            init(from decoder: any Decoder) throws { self.decoder = decoder }
            func encode(to encoder: any Encoder) throws {}
        }
        var scratch = CodingScratch()
        let bytes: [UInt8] = [0xa1, 0x01, 0x02]
        let kept = try CBORCoding(Keeper.self).value(of: bytes.span.bytes, scratch: &scratch)
        _ = try JSONCoding([String: Int].self).value(of: Array(#"{"a":2}"#.utf8).span.bytes, scratch: &scratch)
        #expect(throws: DecodingError.self) { try kept.decoder.container(keyedBy: AnyKey.self) }
    }
}
