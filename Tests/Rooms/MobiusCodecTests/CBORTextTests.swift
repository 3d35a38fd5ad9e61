import Foundation
import JSONAgreement
import MobiusCodec
import Testing

@Suite("CBOR as JSON for people")
struct CBORTextTests {
    private func text(_ hex: String) throws -> String { try CBORText.json(of: bytes(hex: hex).span.bytes) }

    @Test(
        "the examples of RFC 8949, appendix A",
        arguments: [
            ("00", "0"), ("1903e8", "1000"), ("1bffffffffffffffff", "18446744073709551615"),
            ("c249010000000000000000", "18446744073709551616"), ("3bffffffffffffffff", "-18446744073709551616"),
            ("c349010000000000000000", "-18446744073709551617"), ("3903e7", "-1000"), ("f90000", "0"),
            ("f98000", "-0"), ("fb3ff199999999999a", "1.1"), ("f97bff", "65504"), ("fb7e37e43c8800759c", "1e+300"),
            ("f97c00", #""Infinity""#), ("fa7fc00000", #""NaN""#), ("fbfff0000000000000", #""-Infinity""#),
            ("f4", "false"), ("f5", "true"), ("f6", "null"), ("f7", "null"), ("f0", #""simple(16)""#),
            ("f8ff", #""simple(255)""#),
            ("c074323031332d30332d32315432303a30343a30305a", #""2013-03-21T20:04:00Z""#),
            ("c11a514b67b0", #""2013-03-21T20:04:00Z""#), ("c1fb41d452d9ec200000", #""2013-03-21T20:04:00.5Z""#),
            ("d74401020304", #"{"$tag":23,"$value":"AQIDBA=="}"#),
            ("d818456449455446", #"{"$tag":24,"$value":"ZElFVEY="}"#),
            ("d82076687474703a2f2f7777772e6578616d706c652e636f6d", #""http://www.example.com""#),
            ("40", #""""#), ("62225c", #""\"\\""#), ("63e6b0b4", #""水""#), ("80", "[]"),
            ("8301820203820405", "[1,[2,3],[4,5]]"), ("a201020304", #"{"1":2,"3":4}"#),
            ("a26161016162820203", #"{"a":1,"b":[2,3]}"#), ("5f42010243030405ff", #""AQIDBAU=""#),
            ("7f657374726561646d696e67ff", #""streaming""#), ("9fff", "[]"),
            ("9f018202039f0405ffff", "[1,[2,3],[4,5]]"),
            ("bf6346756ef563416d7421ff", #"{"Fun":true,"Amt":-2}"#),
        ])
    func vectors(_ hex: String, _ json: String) throws {
        #expect(try text(hex) == json)
    }

    @Test(
        "tags that the coding writes, and those that are not what they say",
        arguments: [
            ("d825507c9e66797425", ""),  // a UUID that ends
            ("d825507c9e6679742540de944be07fc1f90ae7", #""7C9E6679-7425-40DE-944B-E07FC1F90AE7""#),
            ("d8254101", #"{"$tag":37,"$value":"AQ=="}"#), ("c4822119 6ab3", "273.15"), ("c4820119 03e8", "10000"),
            ("c48219ffff01", #"{"$tag":4,"$value":[65535,1]}"#), ("c48101", #"{"$tag":4,"$value":[1]}"#),
            ("c16161", #"{"$tag":1,"$value":"a"}"#), ("c1f97e00", #"{"$tag":1,"$value":"NaN"}"#),
            ("c1fb7e37e43c8800759c", #"{"$tag":1,"$value":1e+300}"#), ("c13903e7", #""1969-12-31T23:43:20Z""#),
            ("d903e9a10582211b0000000100000001", #""2004-01-10T13:37:04.25Z""#), ("d9d9f701", "1"),
            ("c7c801", #"{"$tag":7,"$value":{"$tag":8,"$value":1}}"#),
            ("c2510102030405060708090a0b0c0d0e0f1011", #""0x0102030405060708090a0b0c0d0e0f1011""#),
        ])
    func tags(_ hex: String, _ json: String) throws {
        #expect((try? text(hex)) ?? "" == json)
    }

    @Test("keys of any kind, and texts that are none")
    func keys() throws {
        #expect(try text("a4200140026161038004") == #"{"-1":1,"":2,"a":3,"gA==":4}"#)
        #expect(try text("a2616101616102") == #"{"a":1,"a":2}"#)
        #expect(try text("62ffff") == "\"\u{fffd}\u{fffd}\"")
        // A key within a key within a key, and so on, is no longer for it.
        let deep = [UInt8](repeating: 0xa1, count: 500) + [0] + [UInt8](repeating: 0, count: 500)
        #expect(try CBORText.json(of: deep.span.bytes).utf8.count < 2000)
    }

    @Test("any number of tags")
    func manyTags() throws {
        let tags = [UInt8](repeating: 0xc1, count: 100_000) + [0]
        #expect(try CBORText.json(of: tags.span.bytes).hasPrefix(#"{"$tag":1,"$value":{"$tag":1"#))
    }

    @Test("what is no CBOR is an error", arguments: ["", "61", "ff", "1c", "f818", "0000", "9f", "bf01ff", "5f6161ff"])
    func malformed(_ hex: String) {
        #expect(throws: CodingFailure.self) { try text(hex) }
    }

    @Test("what the coding writes of any value can be shown")
    func drawn() throws {
        var chance = SeededGenerator(5)
        var scratch = CodingScratch()
        for _ in 0..<1000 {
            var bytes: [UInt8] = []
            try CBORCodec(Sample.self).encode(Sample.drawn(depth: 4, by: &chance), into: &bytes, scratch: &scratch)
            let text = try CBORText.json(of: bytes.span.bytes)
            #expect(throws: Never.self, "\(text)") { try JSONSerialization.jsonObject(with: Data(text.utf8)) }
        }
    }
}
