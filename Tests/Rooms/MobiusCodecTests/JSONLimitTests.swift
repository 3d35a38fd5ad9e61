import Foundation
import MobiusCodec
import TestTraits
import Testing

@Suite("JSON at its limits", .ownThread)
struct JSONLimitTests {
    private func bytes<Value: Codable>(_ coding: JSONCodec<Value>, _ value: Value) throws -> [UInt8] {
        var scratch = CodingScratch()
        var bytes: [UInt8] = []
        try coding.encode(value, into: &bytes, scratch: &scratch)
        return bytes
    }

    @Test("texts of 4 MiB, with and without escapes and beyond ASCII", arguments: ["a", "\n\"é😀\u{1}", "/b\\"])
    func longTexts(_ part: String) throws {
        let text = String(repeating: part, count: (4 << 20) / part.utf8.count)
        let coding = JSONCodec([String: String].self)
        let coded = try bytes(coding, [text: text])
        let encoder = JSONEncoder()
        encoder.outputFormatting = .withoutEscapingSlashes
        #expect(try coded == Array(encoder.encode([text: text])))
        var scratch = CodingScratch()
        #expect(try coding.decode(coded.span.bytes, scratch: &scratch) == [text: text])
        // A broken last byte is found.
        var damaged = coded
        damaged[coded.count - 3] = 0xff
        #expect(throws: CodingFailure.self) { try coding.decode(damaged.span.bytes, scratch: &scratch) }
    }

    /// Arrays within arrays, written and read by recursion.
    struct Nest: Codable, Equatable {
        var depth: Int

        init(depth: Int) { self.depth = depth }

        init(from decoder: any Decoder) throws {
            var container = try decoder.unkeyedContainer()
            depth = container.isAtEnd ? 1 : try container.decode(Nest.self).depth + 1
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.unkeyedContainer()
            if depth > 1 { try container.encode(Nest(depth: depth - 1)) }
        }
    }

    @Test("what is written can be read: no more than 512 levels", arguments: [1, 511, 512])
    func deep(_ depth: Int) throws {
        let coded = try bytes(JSONCodec(Nest.self), Nest(depth: depth))
        var scratch = CodingScratch()
        #expect(try JSONCodec(Nest.self).decode(coded.span.bytes, scratch: &scratch) == Nest(depth: depth))
        #expect((try? JSONDecoder().decode(Nest.self, from: Data(coded))) == Nest(depth: depth))
    }

    @Test("what is nested more deeply is an error of the whole, before the stack ends", arguments: [513, 10_000_000])
    func tooDeep(_ depth: Int) throws {
        let error = #expect(throws: EncodingError.self) {
            var (bytes, scratch) = ([UInt8](), CodingScratch())
            try JSONCodec(Nest.self).append(Nest(depth: depth), to: &bytes, scratch: &scratch)
        }
        guard case .invalidValue(let value, let context) = error else { return #expect(Bool(false)) }
        #expect(value as? Nest == Nest(depth: depth))
        #expect(context.codingPath.isEmpty)
        #expect(throws: EncodingError.self) { try JSONEncoder().encode(Nest(depth: 513)) }
    }

    /// Finds a word in its coder.
    struct Spoken: Codable, Equatable {
        static let key = CodingUserInfoKey(rawValue: "word") ?? unreachable()

        var word: String?

        init(word: String?) { self.word = word }

        init(from decoder: any Decoder) throws {
            let written = try decoder.singleValueContainer().decode(String.self)
            word = (decoder.userInfo[Self.key] as? String).map { $0 + written }
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode(encoder.userInfo[Self.key] as? String ?? "nothing")
        }

        private static func unreachable() -> CodingUserInfoKey { fatalError("any text is a key's name") }
    }

    @Test("types find the coding's user info, and not another coding's that had the scratch before")
    func userInfo() throws {
        let telling = JSONCodec([Spoken].self, userInfo: [Spoken.key: "x"])
        let silent = JSONCodec([Spoken].self)
        var scratch = CodingScratch()
        for _ in 0..<2 {
            var bytes: [UInt8] = []
            try telling.encode([Spoken(word: nil)], into: &bytes, scratch: &scratch)
            #expect(String(decoding: bytes, as: UTF8.self) == #"["x"]"#)
            #expect(try telling.decode(bytes.span.bytes, scratch: &scratch) == [Spoken(word: "xx")])
            #expect(try silent.decode(bytes.span.bytes, scratch: &scratch) == [Spoken(word: nil)])
            bytes = []
            try silent.encode([Spoken(word: nil)], into: &bytes, scratch: &scratch)
            #expect(String(decoding: bytes, as: UTF8.self) == #"["nothing"]"#)
        }
    }

    @Test("a type that uses containers out of order finds the user info too")
    func userInfoOutOfOrder() throws {
        struct Crossed: Codable {
            init() {}
            init(from decoder: any Decoder) throws {}

            func encode(to encoder: any Encoder) throws {
                var outer = encoder.container(keyedBy: AnyKey.self)
                var one = outer.nestedUnkeyedContainer(forKey: AnyKey("one"))
                var two = outer.nestedUnkeyedContainer(forKey: AnyKey("two"))
                try one.encode(1)
                try two.encode(encoder.userInfo[Spoken.key] as? String)
                try one.encode(3)
            }
        }
        let coding = JSONCodec(Crossed.self, sortedKeys: true, userInfo: [Spoken.key: "x"])
        #expect(String(decoding: try bytes(coding, Crossed()), as: UTF8.self) == #"{"one":[1,3],"two":["x"]}"#)
    }

    @Test("dates, data, decimals, URLs and UUIDs come back exactly as they were")
    func exactStrategies() throws {
        struct Known: Codable, Equatable {
            var dates: [Date]
            var data: [Data]
            var decimals: [Decimal]
            var urls: [URL]
            var uuid: UUID
        }
        let known = Known(
            dates: [
                .distantPast, .distantFuture, Date(timeIntervalSinceReferenceDate: 0.1 + 0.2),
                Date(timeIntervalSince1970: 1.0e-9),
            ],
            data: [Data(), Data(0...255)],
            decimals: [
                .greatestFiniteMagnitude, .leastNonzeroMagnitude, 0, Decimal(string: "-0.10") ?? 0,
                Decimal(string: "12345678901234567890123456789012345678") ?? 0,
            ],
            urls: [URL(filePath: "/a b"), URL(string: "https://a.b/c?d=e%20f#g") ?? URL(filePath: "/")], uuid: UUID())
        let coding = JSONCodec(Known.self)
        let coded = try bytes(coding, known)
        var scratch = CodingScratch()
        #expect(try coding.decode(coded.span.bytes, scratch: &scratch) == known)
        #expect(try JSONDecoder().decode(Known.self, from: Data(coded)) == known)
    }

    @Test("keys that are the same text in other scalars are one key, in small and large objects", arguments: [2, 40])
    func equivalentKeys(_ count: Int) throws {
        let others = (0..<count - 2).map { #","k\#($0)":7"# }.joined()
        let text = "{\"e\u{301}\":1,\"\u{e9}\":2\(others)}"
        var scratch = CodingScratch()
        let ours = try JSONCodec([String: Int].self).decode(Array(text.utf8).span.bytes, scratch: &scratch)
        #expect(ours["\u{e9}"] == 1)
        #expect(try ours == JSONDecoder().decode([String: Int].self, from: Data(text.utf8)))
    }

    @Test("decoders are found in the same object again, however deep objects of one type lie within each other")
    func recursion() throws {
        struct Chain: Codable, Equatable {
            var name: String
            var next: [Chain]
            var last: Int?
        }
        var chain = Chain(name: "end", next: [], last: nil)
        for number in 0..<200 { chain = Chain(name: "\(number)", next: [chain], last: number) }
        let coding = JSONCodec(Chain.self)
        var scratch = CodingScratch()
        for _ in 0..<3 {
            var coded: [UInt8] = []
            try coding.encode(chain, into: &coded, scratch: &scratch)
            #expect(try coding.decode(coded.span.bytes, scratch: &scratch) == chain)
        }
    }
}
