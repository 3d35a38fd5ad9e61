import Foundation
import JSONAgreement
import MobiusCodec
import TestTraits
import Testing

@Suite("CBOR as a payload coding", .ownThread)
struct CBORCodecTests {
    struct Person: Codable, Equatable {
        var name: String
        var age: Double
        var friends: [String: Int]
    }

    private let ada = Person(name: "Ada/Ü", age: 36, friends: ["b": 2, "a": 1, "c": 3])

    private func coded<Value: Codable>(_ value: Value, deterministic: Bool = false) throws -> [UInt8] {
        var scratch = CodingScratch()
        var bytes: [UInt8] = []
        try CBORCodec(Value.self, deterministic: deterministic).encode(value, into: &bytes, scratch: &scratch)
        return bytes
    }

    private func read<Value: Codable>(_ type: Value.Type = Value.self, _ bytes: [UInt8]) throws -> Value {
        var scratch = CodingScratch()
        return try CBORCodec(type).value(of: bytes.span.bytes, scratch: &scratch)
    }

    @Test("appends to the buffer, and reads back in place")
    func roundTrip() throws {
        let coding = CBORCodec(Person.self)
        var scratch = CodingScratch()
        var buffer: [UInt8] = [1, 2]
        try coding.encode(ada, into: &buffer, scratch: &scratch)
        #expect(buffer.starts(with: [1, 2, 0xa3]))
        let bytes = Array(buffer.dropFirst(2))
        #expect(try coding.decode(bytes.span.bytes, scratch: &scratch) == ada)
        #expect(coding.contentType == "application/cbor")
    }

    @Test(
        "drawn values of drawn types come back; of bytes with mistakes come values or errors",
        arguments: 1...20 as ClosedRange<UInt64>)
    func drawn(_ seed: UInt64) {
        var trips = CBORRoundTrips(seed: seed)
        for _ in 0..<50 { trips.run(values: 10, mistakes: 4) }
        #expect(trips.problems == [], "seed \(seed)")
        #expect(trips.values == 500 && trips.damaged > 1500 && trips.understood > 100, "\(trips)")
    }

    @Test("gives equal bytes for equal values when it is deterministic: keys in the order of their bytes")
    func deterministic() throws {
        #expect(
            hex(try coded(ada, deterministic: true))
                == "a363616765f95080646e616d65664164612fc39c67667269656e6473a3616101616202616303")
        // RFC 8949, section 4.2.1: 10, 100, -1, "z", "aa", and so on.
        #expect(hex(try coded([100: 1, -1: 2, 10: 3], deterministic: true)) == "a30a03186401" + "2002")
        #expect(hex(try coded(["aa": 1, "z": 2, "": 3], deterministic: true)) == "a36003617a0262616101")
        // The last of two members with the same key, as in a dictionary that is assigned to.
        let twice = JSONContainerTests.Odd { encoder in
            var container = encoder.container(keyedBy: AnyKey.self)
            for number in 1...3 { try container.encode(number, forKey: AnyKey(number == 2 ? "a" : "b")) }
        }
        #expect(hex(try coded(twice, deterministic: true)) == "a2616102616203")
    }

    @Test("long containers say their length", arguments: [23, 24, 255, 256, 65_535, 65_536])
    func long(_ count: Int) throws {
        let head =
            count < 24
            ? [0x80 + UInt8(count)]
            : count < 256
                ? [0x98, UInt8(count)]
                : count < 65_536 ? [0x99, UInt8(count >> 8), UInt8(count & 0xff)] : [0x9a, 0, 1, 0, 0]
        let numbers = [Int](repeating: 7, count: count)
        #expect(try coded(numbers) == head + [UInt8](repeating: 7, count: count))
        let table = Dictionary(uniqueKeysWithValues: (0..<count).map { ("k\($0)", ["v": $0]) })
        #expect(try read([String: [String: Int]].self, coded(table)) == table)
        #expect(try read([String: [String: Int]].self, coded(table, deterministic: true)) == table)
    }

    @Test(
        "says where and what, and quotes nothing of the payload",
        arguments: [
            ("a3646e616d656673656372657463616765667365637265746766726965 6e6473a0", "at age: it is no Double"),
            ("a2646e616d65667365637265746766726965 6e6473a0", "the key age is missing"),
            ("a3646e616d65f663616765016766726965 6e6473a0", "at name: a String is missing"),
            ("a3646e616d656063616765016766726965 6e6473a166736563726574f5", "at friends.secret: it is no Int"),
            (
                "a3646e616d6560636167650067667269656e6473a161611bffffffffffffffff",
                "at friends.a: the number does not fit Int"
            ),
            ("a3646e616d6561ff636167650067667269656e6473a0", "at name: its text is not valid Unicode"),
            ("a3646e616d6560636167650067667269656e6473a161ff01", "at friends: a key in it is not valid Unicode"),
            ("1c", "it is not valid CBOR: a value begins with a byte that means nothing"), ("", "there is no value"),
            ("a3", "a map is longer than what is left"), ("a0a0", "something follows the value"),
            ("ff", "a container ends that did not begin"), ("63736563", "it is no object"),
        ])
    func failures(_ hex: String, _ reason: String) {
        var scratch = CodingScratch()
        let failure = #expect(throws: CodingFailure.self) {
            _ = try CBORCodec(Person.self).decode(bytes(hex: hex).span.bytes, scratch: &scratch)
        }
        #expect(failure?.operation == .decoding)
        #expect(failure?.description.contains(reason) == true, "\(failure?.description ?? "")")
    }

    @Test("a value without a form is an error that says so, and leaves the buffer alone")
    func unencodable() throws {
        struct Nothing: Codable { func encode(to encoder: any Encoder) throws {} }
        var scratch = CodingScratch()
        var buffer: [UInt8] = [1]
        let failure = #expect(throws: CodingFailure.self) {
            try CBORCodec(Nothing.self).encode(Nothing(), into: &buffer, scratch: &scratch)
        }
        #expect(failure?.description == "encoding Nothing failed: the value has no form in CBOR")
        #expect(buffer == [1])
    }

    @Test("any truncation of a value is an error, not a crash and not another value")
    func truncated() throws {
        let value = [ada, Person(name: "\u{1}\"é😀", age: -1.5e-9, friends: [:])]
        let whole = try coded(value)
        for length in 0..<whole.count {
            #expect(throws: DecodingError.self, "\(length) bytes") {
                try read([Person].self, Array(whole[..<length]))
            }
        }
    }

    @Test("values may be nested as deeply as in JSON, and no deeper", arguments: [511, 512, 513, 100_000])
    func deep(_ depth: Int) throws {
        for open: UInt8 in [0x81, 0x9f] {
            var bytes = [UInt8](repeating: open, count: depth - 1) + [0x80]
            if open == 0x9f { bytes += [UInt8](repeating: 0xff, count: depth - 1) }
            let nest = try? read(JSONCodecTests.Nest.self, bytes)
            #expect(nest == (depth <= 512 ? JSONCodecTests.Nest(depth: depth) : nil))
        }
        // Maps as keys, which nobody asks for, count as well; tags do not.
        let keys = [UInt8](repeating: 0xa1, count: depth) + [UInt8](repeating: 0, count: depth + 1)
        #expect(((try? read([String: Int].self, keys)) == [:]) == (depth <= 512))
        #expect(try read(Int.self, [UInt8](repeating: 0xc6, count: depth) + [7]) == 7)
    }

    @Test(
        "lengths that cannot be are refused at once",
        arguments: ["5b7fffffffffffffff", "7bffffffffffffffff00", "9b7fffffffffffffff00", "bbffffffffffffffff0000"])
    func lengths(_ hex: String) {
        #expect(throws: DecodingError.self) { try read([Int].self, bytes(hex: hex)) }
    }

    @Test("a map of many keys is no slower for being asked out of order, whoever chose the keys")
    func manyKeys() throws {
        struct Backwards: Codable {
            var sum = 0

            init(from decoder: any Decoder) throws {
                let container = try decoder.container(keyedBy: NumberKey.self)
                for number in (0..<50_000).reversed() {
                    sum += try container.decode(Int.self, forKey: NumberKey(number))
                }
            }
        }
        let count = 50_000
        let numbers = Dictionary(uniqueKeysWithValues: (0..<count).map { ($0, $0) })
        #expect(try read(Backwards.self, coded(numbers)).sum == count * (count - 1) / 2)
        #expect(try read([Int: Int].self, coded(numbers)) == numbers)
        let names = Dictionary(uniqueKeysWithValues: (0..<count).map { ("\($0)", $0) })
        #expect(try read(Backwards.self, coded(names)).sum == count * (count - 1) / 2)
    }

    @Test("many threads may use one coding, each with a scratch of its own, which serves for JSON too")
    func threads() async throws {
        let coding = CBORCodec(Person.self)
        let json = JSONCodec(Person.self)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<8 {
                group.addTask {
                    var scratch = CodingScratch()
                    for round in 0..<500 {
                        let person = Person(name: "\(number)", age: Double(round), friends: ["\(round)": number])
                        var buffer: [UInt8] = []
                        try coding.encode(person, into: &buffer, scratch: &scratch)
                        var text: [UInt8] = []
                        try json.encode(person, into: &text, scratch: &scratch)
                        #expect(try coding.decode(buffer.span.bytes, scratch: &scratch) == person)
                        #expect(try json.decode(text.span.bytes, scratch: &scratch) == person)
                    }
                }
            }
            try await group.waitForAll()
        }
    }
}

/// A key that is a number, by its integer or its text.
struct NumberKey: CodingKey {
    let intValue: Int?
    var stringValue: String { "\(intValue ?? 0)" }

    init(_ number: Int) { intValue = number }
    init?(stringValue: String) { intValue = Int(stringValue) }
    init?(intValue: Int) { self.init(intValue) }
}
