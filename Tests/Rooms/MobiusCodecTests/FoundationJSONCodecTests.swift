import MobiusCodec
import Testing

@Suite("Foundation's JSON as a payload coding")
struct FoundationJSONCodecTests {
    struct Person: Codable, Equatable {
        var name: String
        var age: Double
        var friends: [String: Int]
    }

    private let ada = Person(name: "Ada/Ü", age: 36, friends: ["b": 2, "a": 1, "c": 3])

    private func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

    @Test("appends to the buffer, and reads back in place")
    func roundTrip() throws {
        let coding = FoundationJSONCodec(Person.self)
        var scratch = CodingScratch()
        var buffer = bytes("before")
        try coding.encode(ada, into: &buffer, scratch: &scratch)
        #expect(buffer.starts(with: bytes("before{")))
        let coded = Array(buffer.dropFirst(6))
        #expect(try coding.decode(coded.span.bytes, scratch: &scratch) == ada)
        #expect(coding.contentType == "application/json")
    }

    @Test("gives equal bytes for equal values when keys are sorted")
    func sorted() throws {
        let coding = FoundationJSONCodec(Person.self, sortedKeys: true)
        var scratch = CodingScratch()
        var buffer: [UInt8] = []
        try coding.encode(ada, into: &buffer, scratch: &scratch)
        #expect(buffer == bytes(#"{"age":36,"friends":{"a":1,"b":2,"c":3},"name":"Ada/Ü"}"#))
    }

    @Test(
        "says where and what, and quotes nothing of the payload",
        arguments: [
            (#"{"name":"secret","age":"secret","friends":{}}"#, "at age: it is no Double"),
            (#"{"name":"secret","friends":{}}"#, "the key age is missing"),
            (#"{"name":null,"age":1,"friends":{}}"#, "at name: a String is missing"),
            ("secret", "it is not valid"), ("", "it is not valid"),
        ])
    func failures(_ text: String, _ reason: String) {
        var scratch = CodingScratch()
        let failure = #expect(throws: CodingFailure.self) {
            _ = try FoundationJSONCodec(Person.self).decode(bytes(text).span.bytes, scratch: &scratch)
        }
        #expect(failure?.operation == .decoding)
        #expect(failure?.description.contains(reason) == true, "\(failure?.description ?? "")")
        #expect(failure?.description.contains("secret") == false)
    }

    @Test("leaves the buffer alone when a value has no form in JSON")
    func unencodable() {
        var scratch = CodingScratch()
        var buffer = bytes("x")
        let failure = #expect(throws: CodingFailure.self) {
            try FoundationJSONCodec(Person.self).encode(
                Person(name: "", age: .nan, friends: [:]), into: &buffer, scratch: &scratch)
        }
        #expect(failure?.description == "encoding Person failed at age: the value has no form in JSON")
        #expect(buffer == bytes("x"))
    }
}
