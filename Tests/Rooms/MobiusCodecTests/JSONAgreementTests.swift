import Foundation
import JSONAgreement
import MobiusCodec
import TestTraits
import Testing

/// What both coders make of the same.
@Suite("JSON agrees with Foundation's coders", .ownThread)
struct JSONAgreementTests {
    /// What a decoder makes of a text: the value, or the kind and place of its error.
    private func outcome<Value>(_ body: () throws -> Value) -> String {
        func path(_ path: [any CodingKey]) -> String { path.map(\.stringValue).joined(separator: ".") }
        do {
            return "\(try body())"
        } catch DecodingError.typeMismatch(let type, let context) {
            return "no \(type) at \(path(context.codingPath))"
        } catch DecodingError.valueNotFound(let type, let context) {
            return "missing \(type) at \(path(context.codingPath))"
        } catch DecodingError.keyNotFound(let key, let context) {
            return "missing key \(key.stringValue) at \(path(context.codingPath))"
        } catch DecodingError.dataCorrupted(let context) {
            return "corrupted at \(path(context.codingPath))"
        } catch {
            return "\(error)"
        }
    }

    private func compare<Value: Codable>(_ type: Value.Type, _ bytes: [UInt8], _ location: SourceLocation) {
        var scratch = CodingScratch()
        let own = outcome { try JSONCodec(Value.self).value(of: bytes.span.bytes, scratch: &scratch) }
        let foundation = outcome { try JSONDecoder().decode(Value.self, from: Data(bytes)) }
        #expect(own == foundation, "\(String(decoding: bytes, as: UTF8.self))", sourceLocation: location)
    }

    private func compare<Value: Codable>(_ type: Value.Type, _ texts: String..., at: SourceLocation = #_sourceLocation)
    {
        for text in texts { compare(type, Array(text.utf8), at) }
    }

    struct A<Value: Codable>: Codable { var a: Value }

    @Test("on numbers, at every limit")
    func numbers() {
        compare(
            A<Int>.self, #"{"a":1}"#, #"{"a":-0}"#, #"{"a":1.0}"#, #"{"a":1e2}"#, #"{"a":1E+2}"#, #"{"a":100e-2}"#,
            #"{"a":1.5}"#, #"{"a":9223372036854775807}"#, #"{"a":9223372036854775808}"#, #"{"a":-9223372036854775808}"#,
            #"{"a":9007199254740993.0}"#, #"{"a":99999999999999999999}"#, #"{"a":01}"#, #"{"a":+1}"#, #"{"a":1.}"#,
            #"{"a":.5}"#, #"{"a":-}"#, #"{"a":1e}"#, #"{"a":--1}"#, #"{"a":1e400}"#, #"{"a":"1"}"#, #"{"a":true}"#,
            #"{"a":0e5}"#, #"{"a":0.000}"#)
        compare(A<Int8>.self, #"{"a":127}"#, #"{"a":128}"#, #"{"a":-128}"#, #"{"a":-129}"#, #"{"a":1.28e2}"#)
        compare(A<UInt64>.self, #"{"a":18446744073709551615}"#, #"{"a":18446744073709551616}"#, #"{"a":-1}"#)
        compare(A<Int128>.self, #"{"a":170141183460469231731687303715884105727}"#, #"{"a":1e39}"#)
        compare(
            A<Double>.self, #"{"a":0.1}"#, #"{"a":-0.0}"#, #"{"a":1e308}"#, #"{"a":1e309}"#, #"{"a":5e-324}"#,
            #"{"a":1e-999}"#, #"{"a":0e999}"#, #"{"a":123456789012345678901234567890}"#, #"{"a":0.30000000000000004}"#,
            #"{"a":9007199254740993}"#, #"{"a":1e22}"#, #"{"a":1e23}"#, #"{"a":2.2250738585072014e-308}"#,
            #"{"a":8.41e21}"#, #"{"a":0.000001}"#, #"{"a":NaN}"#)
        compare(
            A<Float>.self, #"{"a":0.1}"#, #"{"a":16777217}"#, #"{"a":3.4028235e38}"#, #"{"a":3.5e38}"#, #"{"a":1e-50}"#)
        compare(A<Decimal>.self, #"{"a":1.10}"#, #"{"a":"1"}"#, #"{"a":1e200}"#, #"{"a":0.1e}"#, #"{"a":null}"#)
    }

    /// A value of each integer type, as a member, an element and by itself.
    struct Integers<Integer: FixedWidthInteger & Codable>: Codable, Equatable {
        var member: Integer
        var elements: [Integer]
        var optional: Integer?
        var table: [String: Integer]
    }

    @Test("on integers of every size that are written")
    func writtenIntegers() throws {
        func compare<Integer: FixedWidthInteger & Codable>(_ type: Integer.Type) throws {
            for number in [Integer.min, 0, 34, 92, .max] {
                let value = Integers(member: number, elements: [number], optional: number, table: ["k": number])
                var scratch = CodingScratch()
                var bytes: [UInt8] = []
                try JSONCodec(Integers<Integer>.self, sortedKeys: true).encode(value, into: &bytes, scratch: &scratch)
                let encoder = JSONEncoder()
                encoder.outputFormatting = .sortedKeys
                #expect(try bytes == Array(encoder.encode(value)), "\(type)")
                bytes = []
                try JSONCodec(Integer.self).encode(number, into: &bytes, scratch: &scratch)
                #expect(String(decoding: bytes, as: UTF8.self) == "\(number)")
            }
        }
        try compare(Int.self)
        try compare(Int8.self)
        try compare(Int16.self)
        try compare(Int32.self)
        try compare(Int64.self)
        try compare(Int128.self)
        try compare(UInt.self)
        try compare(UInt8.self)
        try compare(UInt16.self)
        try compare(UInt32.self)
        try compare(UInt64.self)
        try compare(UInt128.self)
    }

    @Test("on texts")
    func texts() {
        compare(
            A<String>.self, #"{"a":"\ud83d\ude00"}"#, #"{"a":"\ud83d"}"#, #"{"a":"\ude00"}"#, #"{"a":"\ud83d\u0041"}"#,
            #"{"a":"\u0000\b\f\n\r\t\/\\\""}"#, #"{"a":"\q"}"#, #"{"a":"\u00g0"}"#, #"{"a":"\u00"}"#,
            #"{"b":"\u00","a":1}"#, #"{"a":1,"b":"\u0[""}"#,
            #"{"a":"x}"#,
            #"{"a":"\"}"#, "{\"a\":\"\u{1}\"}", "{\"a\":\"é\u{2028}\"}", #"{"b":"\q\ud800","a":"x"}"#,
            #"{"\u0061":"x"}"#,
            #"{"\q":1,"a":"x"}"#, #"{"a":1}"#, #"{"a":null}"#)
        for wrong: [UInt8] in [
            [0xff], [0xc3, 0x28], [0xed, 0xa0, 0x80], [0xf4, 0x90, 0x80, 0x80], [0xc0, 0x80], [0xe2, 0x82],
        ] {
            let body = Array("{\"a\":\"".utf8) + wrong + Array("\"}".utf8)
            compare(A<String>.self, body, #_sourceLocation)
            compare(A<String>.self, Array("{\"b\":\"".utf8) + wrong + Array("\",\"a\":\"x\"}".utf8), #_sourceLocation)
            compare(A<String>.self, Array("{\"".utf8) + wrong + Array("\":1,\"a\":\"x\"}".utf8), #_sourceLocation)
        }
    }

    enum Shape: Codable { case dot, line(Int), box(w: Int, h: Int?), group([Shape]) }

    @Test("on containers, keys and nothing at all")
    func containers() {
        compare(
            A<[Int]>.self, #"{"a":[1,2]}"#, #"{"a":[1,]}"#, #"{"a":[,]}"#, #"{"a":[1 2]}"#, #"{"a":[1,null]}"#,
            #"{"a":{}}"#,
            #"{"a":[1,"x"]}"#, #"{"a":1,}"#, #"{,}"#, #"{"a" 1}"#, #"{"a":}"#, "{}", "[]", "null", "1", "", " \n", "{",
            "[",
            #"{"a":[1]} x"#, "\u{feff}{\"a\":[1]}", " \t\r\n{ \"a\" : [ 1 ] } ", "{a:1}", #"{"a":[1]"#, #"{"a":[tru]}"#,
            "nul")
        compare(
            Shape.self, #"{"dot":{}}"#, #"{"line":{"_0":3}}"#, #"{"box":{"w":1}}"#, #"{"box":{"w":1,"h":null}}"#,
            #"{"box":{}}"#,
            #"{"dot":{},"line":{"_0":1}}"#, #"{"none":{}}"#, "{}", #"{"dot":null}"#, #"{"dot":[]}"#, #""dot""#,
            #"{"group":{"_0":[{"dot":{}},{"line":{"_0":"x"}}]}}"#, #"{"dot":{},"more":1}"#)
        compare([String: Int].self, #"{"a":1,"a":2}"#, #"{"b":"x"}"#)
        compare(A<Int>.self, #"{"a":1,"a":2}"#, #"{"a":"x","a":2}"#)
        compare([Int: String].self, #"{"1":"a"}"#, #"{"x":"a"}"#, #"{"-7":"a"}"#)
        compare(A<Int?>.self, "{}", #"{"a":null}"#, #"{"a":4}"#, #"{"a":"x"}"#)
        compare(Int.self, "5", "null", "\"5\"")
        compare(Int?.self, "null", "5")
        compare(A<Bool>.self, #"{"a":true}"#, #"{"a":1}"#)
        compare(Accent.self, "{\"e\u{301}\":1}", "{\"é\":1}", #"{"\u00e9":1}"#)
    }

    /// Asks for one container more than there are.
    struct Greedy: Codable {
        init(from decoder: any Decoder) throws {
            var container = try decoder.unkeyedContainer()
            while true { _ = try container.nestedUnkeyedContainer() }
        }

        func encode(to encoder: any Encoder) throws {}
    }

    @Test("on containers that are missing at the end of an array")
    func missingContainers() {
        compare(A<Greedy>.self, #"{"a":[]}"#, #"{"a":[[]]}"#, #"{"a":[[],{}]}"#)
    }

    struct Accent: Codable {
        var value: Int

        enum CodingKeys: String, CodingKey { case value = "é" }
    }

    @Test("on what Foundation knows by itself")
    func foundation() {
        compare(A<Data>.self, #"{"a":"AQID"}"#, #"{"a":"!"}"#, #"{"a":[1]}"#, #"{"a":""}"#, #"{"a":null}"#)
        compare(A<URL>.self, #"{"a":"http://a/b"}"#, #"{"a":"http://x y"}"#, #"{"a":""}"#, #"{"a":1}"#, #"{"a":null}"#)
        compare(A<Date>.self, #"{"a":1.5}"#, #"{"a":"2020-01-01"}"#, #"{"a":null}"#)
        compare(A<UUID>.self, #"{"a":"7c9e6679-7425-40de-944b-e07fc1f90ae7"}"#, #"{"a":"x"}"#)
    }

    @Test("on 20,000 drawn values, and on their bytes with mistakes", arguments: 1...100 as ClosedRange<UInt64>)
    func drawn(_ seed: UInt64) throws {
        var agreement = Agreement(seed: seed)
        agreement.compare(values: 200, mistakes: 2)
        #expect(agreement.differences == [])
        #expect(agreement.values == 200)
    }
}
