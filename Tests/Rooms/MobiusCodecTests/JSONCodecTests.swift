import Foundation
import MobiusCodec
import TestTraits
import Testing

@Suite("JSON as a payload coding", .ownThread)
struct JSONCodecTests {
    struct Person: Codable, Equatable {
        var name: String
        var age: Double
        var friends: [String: Int]
    }

    private let ada = Person(name: "Ada/Ü", age: 36, friends: ["b": 2, "a": 1, "c": 3])

    private func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

    @Test("appends to the buffer, and reads back in place")
    func roundTrip() throws {
        let coding = JSONCodec(Person.self)
        var scratch = CodingScratch()
        var buffer = bytes("before")
        try coding.encode(ada, into: &buffer, scratch: &scratch)
        #expect(buffer.starts(with: bytes(#"before{"name":"Ada/Ü","age":36,"friends":{"#)))
        let coded = Array(buffer.dropFirst(6))
        #expect(try coding.decode(coded.span.bytes, scratch: &scratch) == ada)
        #expect(coding.contentType == "application/json")
    }

    @Test("gives equal bytes for equal values when keys are sorted, by their text and not by its escapes")
    func sorted() throws {
        var scratch = CodingScratch()
        var buffer: [UInt8] = []
        try JSONCodec(Person.self, sortedKeys: true).encode(ada, into: &buffer, scratch: &scratch)
        #expect(buffer == bytes(#"{"age":36,"friends":{"a":1,"b":2,"c":3},"name":"Ada/Ü"}"#))
        buffer = []
        try JSONCodec([String: [String: Int]].self, sortedKeys: true)
            .encode(["é": [:], "z\"": ["\n": 1, "!": 2], "z!": [:]], into: &buffer, scratch: &scratch)
        #expect(buffer == bytes(#"{"z!":{},"z\"":{"\n":1,"!":2},"é":{}}"#))
    }

    @Test(
        "says where and what, and quotes nothing of the payload",
        arguments: [
            (#"{"name":"secret","age":"secret","friends":{}}"#, "at age: it is no Double"),
            (#"{"name":"secret","friends":{}}"#, "the key age is missing"),
            (#"{"name":null,"age":1,"friends":{}}"#, "at name: a String is missing"),
            (#"{"name":"","age":1,"friends":{"secret":true}}"#, "at friends.secret: it is no Int"),
            ("secret", "a value begins with a strange character"), ("", "there is no value"),
            (#"{"name":"secret""#, "a comma or a closing bracket is expected"),
            (#"{"name":"secret"} {"#, "something follows the value"),
        ])
    func failures(_ text: String, _ reason: String) {
        var scratch = CodingScratch()
        let failure = #expect(throws: CodingFailure.self) {
            _ = try JSONCodec(Person.self).decode(bytes(text).span.bytes, scratch: &scratch)
        }
        #expect(failure?.operation == .decoding)
        #expect(failure?.description.contains(reason) == true, "\(failure?.description ?? "")")
    }

    @Test("leaves the buffer alone when a value has no form in JSON, and goes on with the next")
    func unencodable() throws {
        var scratch = CodingScratch()
        var buffer = bytes("x")
        let coding = JSONCodec([Person].self)
        let failure = #expect(throws: CodingFailure.self) {
            try coding.encode(
                [ada, Person(name: "", age: .nan, friends: [:])], into: &buffer, scratch: &scratch)
        }
        #expect(failure?.description == "encoding Array<Person> failed at Index 1.age: the value has no form in JSON")
        #expect(buffer == bytes("x"))
        try coding.encode([], into: &buffer, scratch: &scratch)
        #expect(buffer == bytes("x[]"))
    }

    @Test("any truncation of a value is an error, not a crash and not another value")
    func truncated() throws {
        var scratch = CodingScratch()
        var buffer: [UInt8] = []
        let coding = JSONCodec([Person].self)
        try coding.encode(
            [ada, Person(name: "\u{1}\"é😀", age: -1.5e-9, friends: [:])], into: &buffer, scratch: &scratch)
        for length in 0..<buffer.count {
            let part = Array(buffer[..<length])
            #expect(throws: CodingFailure.self, "\(length) bytes") {
                _ = try coding.decode(part.span.bytes, scratch: &scratch)
            }
        }
    }

    @Test("values may be nested as deeply as Foundation allows, and no deeper", arguments: [511, 512, 513, 100_000])
    func deep(_ depth: Int) throws {
        let text = bytes(String(repeating: "[", count: depth) + String(repeating: "]", count: depth))
        var scratch = CodingScratch()
        let own = Result { try JSONCodec(Nest.self).value(of: text.span.bytes, scratch: &scratch) }
        let foundation = Result { try JSONDecoder().decode(Nest.self, from: Data(text)) }
        #expect((try? own.get()) == (try? foundation.get()))
        #expect((try? own.get()) == (depth <= 512 ? Nest(depth: depth) : nil))
    }

    /// How deeply empty arrays are nested.
    struct Nest: Codable, Equatable {
        var depth: Int

        init(depth: Int) { self.depth = depth }

        init(from decoder: any Decoder) throws {
            var container = try decoder.unkeyedContainer()
            depth = container.isAtEnd ? 1 : try container.decode(Nest.self).depth + 1
        }

        func encode(to encoder: any Encoder) throws {}
    }

    @Test("an object of many keys is no slower for being asked out of order, whoever chose the keys")
    func manyKeys() throws {
        let count = 50_000
        let text = "{" + (0..<count).map { #""k\#($0)":\#($0)"# }.joined(separator: ",") + #","k0":9,"p":7}"#
        var scratch = CodingScratch()
        let all = try JSONCodec([String: Int].self).value(of: bytes(text).span.bytes, scratch: &scratch)
        #expect(all.count == count + 1)
        #expect(all["k0"] == 0)
        #expect(all["k49999"] == 49999)
        struct Backwards: Codable {
            var sum = 0

            init(from decoder: any Decoder) throws {
                let container = try decoder.container(keyedBy: AnyKey.self)
                for number in (0..<50_000).reversed() {
                    sum += try container.decode(Int.self, forKey: AnyKey("k\(number)"))
                }
            }
        }
        let sum = try JSONCodec(Backwards.self).value(of: bytes(text).span.bytes, scratch: &scratch).sum
        #expect(sum == count * (count - 1) / 2)
    }

    @Test("many threads may use one coding, each with a scratch of its own")
    func threads() async throws {
        let coding = JSONCodec(Person.self)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<8 {
                group.addTask {
                    var scratch = CodingScratch()
                    for round in 0..<500 {
                        let person = Person(name: "\(number)", age: Double(round), friends: ["\(round)": number])
                        var buffer: [UInt8] = []
                        try coding.encode(person, into: &buffer, scratch: &scratch)
                        // Copies of a scratch share nothing.
                        var copy = scratch
                        let other = try coding.decode(buffer.span.bytes, scratch: &copy)
                        #expect(try coding.decode(buffer.span.bytes, scratch: &scratch) == other)
                        #expect(other == person)
                    }
                }
            }
            try await group.waitForAll()
        }
    }
}

/// A key of any name.
struct AnyKey: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(_ name: String) { stringValue = name }
    init?(stringValue: String) { self.init(stringValue) }
    init?(intValue: Int) { nil }
}
