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
        try CBORCodec(Value.self, deterministic: deterministic).encode(value, into: &bytes, scratch: &scratch)
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
        let cat = try CBORCodec(JSONContainerTests.Cat.self).decode(bytes.span.bytes, scratch: &scratch)
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
        let kept = try CBORCodec(Keeper.self).value(of: bytes.span.bytes, scratch: &scratch)
        _ = try JSONCodec([String: Int].self).value(of: Array(#"{"a":2}"#.utf8).span.bytes, scratch: &scratch)
        #expect(throws: DecodingError.self) { try kept.decoder.container(keyedBy: AnyKey.self) }
    }

    /// A value within so many arrays; the innermost may be filled after it was left.
    private struct Deep<Value: Codable & Equatable>: Codable, Equatable {
        var depth: Int
        var value: Value
        var isLate = false

        init(depth: Int, _ value: Value, isLate: Bool) {
            self.depth = depth
            self.value = value
            self.isLate = isLate
        }

        init(from decoder: any Decoder) throws {
            guard var list = try? decoder.unkeyedContainer() else {
                self.init(depth: 0, try decoder.singleValueContainer().decode(Value.self), isLate: false)
                return
            }
            self = try list.decode(Deep.self)
            depth += 1
        }

        func encode(to encoder: any Encoder) throws {
            guard depth > 0 else {
                var container = encoder.singleValueContainer()
                return try container.encode(value)
            }
            var list = encoder.unkeyedContainer()
            guard isLate else { return try list.encode(Deep(depth: depth - 1, value, isLate: false)) }
            let inner = list.superEncoder()
            _ = list.superEncoder()
            try Deep(depth: depth - 1, value, isLate: false).encode(to: inner)
        }
    }

    @Test("what is written can be read: no more than 512 levels, with two for a date", arguments: [false, true])
    func deep(_ isLate: Bool) throws {
        var scratch = CodingScratch()
        for depth in [1, 510, 511, 512, 513, 5000] {
            let number = Deep(depth: depth, 7, isLate: isLate)
            let bytes = try? coded(number)
            #expect((bytes != nil) == (depth <= 512), "\(depth)")
            let date = Deep(depth: depth, Date(timeIntervalSinceReferenceDate: 0.1), isLate: isLate)
            let dated = try? coded(date)
            #expect((dated != nil) == (depth <= 510), "\(depth)")
            if let bytes {
                let again = try CBORCodec(Deep<Int>.self).decode(bytes.span.bytes, scratch: &scratch)
                #expect(again.depth == depth && again.value == 7)
            }
            if let dated {
                let again = try CBORCodec(Deep<Date>.self).decode(dated.span.bytes, scratch: &scratch)
                #expect(again.depth == depth && again.value == date.value)
            }
        }
    }

    @Test("types find what they were given in their coder, on both ways", arguments: [false, true])
    func userInfo(_ isLate: Bool) throws {
        struct Word: Codable, Equatable {
            static let key = CodingUserInfoKey(rawValue: "word")!
            var word: String

            init(_ word: String) { self.word = word }

            init(from decoder: any Decoder) throws { word = decoder.userInfo[Self.key] as? String ?? "" }

            func encode(to encoder: any Encoder) throws {
                var container = encoder.singleValueContainer()
                try container.encode(encoder.userInfo[Self.key] as? String ?? "")
            }
        }
        let coding = CBORCodec(Deep<Word>.self, userInfo: [Word.key: "x"])
        var scratch = CodingScratch()
        var bytes: [UInt8] = []
        try coding.encode(Deep(depth: 1, Word(""), isLate: isLate), into: &bytes, scratch: &scratch)
        #expect(hex(bytes) == (isLate ? "826178a0" : "816178"))
        #expect(try coding.decode(bytes.span.bytes, scratch: &scratch).value == Word("x"))
    }
}
