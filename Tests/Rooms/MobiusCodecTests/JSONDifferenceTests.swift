import Foundation
import MobiusCodec
import Testing

/// The table in the documentation of `JSONCodec`, row by row: what differs from Foundation, and is meant to.
@Suite("JSON differs from Foundation's where its documentation says so")
struct JSONDifferenceTests {
    private func ours<Value: Codable>(_ type: Value.Type, _ text: String) throws -> Value {
        var scratch = CodingScratch()
        return try JSONCodec(type).value(of: Array(text.utf8).span.bytes, scratch: &scratch)
    }

    private func foundations<Value: Codable>(_ type: Value.Type, _ text: String) throws -> Value {
        try JSONDecoder().decode(type, from: Data(text.utf8))
    }

    @Test("slashes are not escaped")
    func slashes() throws {
        var scratch = CodingScratch()
        var bytes: [UInt8] = []
        try JSONCodec(String.self).encode("a/b", into: &bytes, scratch: &scratch)
        #expect(String(decoding: bytes, as: UTF8.self) == #""a/b""#)
        #expect(String(decoding: try JSONEncoder().encode("a/b"), as: UTF8.self) == #""a\/b""#)
    }

    @Test("integers with a fraction or an exponent are exact")
    func exactIntegers() throws {
        let large = "100000000000000000000000000000000000000"
        #expect(try ours(Int128.self, "1e38") == Int128(large))
        #expect(throws: DecodingError.self) { try foundations(Int128.self, "1e38") }
        for rounded in ["-9227372036854775.808", "1e-400"] {
            #expect(throws: DecodingError.self) { try ours(Int.self, rounded) }
            #expect(throws: Never.self) { try foundations(Int.self, rounded) }
        }
    }

    @Test("only UTF-8 is read")
    func encodings() throws {
        let bytes: [UInt8] = [0, UInt8(ascii: "3")]
        var scratch = CodingScratch()
        #expect(throws: CodingFailure.self) {
            try JSONCodec(Int.self).decode(bytes.span.bytes, scratch: &scratch)
        }
        #expect(try JSONDecoder().decode(Int.self, from: Data(bytes)) == 3)
    }

    @Test("of keys that are one number the last counts")
    func keysThatAreOneNumber() throws {
        for _ in 0..<20 {
            #expect(try ours([Int: String].self, #"{"2":"a","02":"b","+2":"c"}"#) == [2: "c"])
            #expect(try ours([Int: String].self, #"{"+2":"c","02":"b","2":"a"}"#) == [2: "a"])
        }
    }

    @Test("of several mistakes the first is reported")
    func firstMistake() throws {
        for _ in 0..<20 {
            let error = #expect(throws: DecodingError.self) {
                try ours([String: Int].self, #"{"b":"x","a":"x","c":[]}"#)
            }
            guard case .typeMismatch(_, let context) = error else { return #expect(Bool(false), "\(error as Any)") }
            #expect(context.codingPath.map(\.stringValue) == ["b"])
        }
    }

    enum Reading: Codable { case single(value: Double) }

    /// The path of the error that encoding a value throws.
    private func path<Value: Codable>(_ value: Value, _ encode: (Value) throws -> Void) -> [String] {
        do {
            try encode(value)
        } catch EncodingError.invalidValue(_, let context) {
            return context.codingPath.map(\.stringValue)
        } catch {}
        return []
    }

    @Test("an encoding error's path names the containers within containers")
    func paths() throws {
        let ours = path([Reading.single(value: .nan)]) { value in
            var (bytes, scratch) = ([UInt8](), CodingScratch())
            try JSONCodec([Reading].self).append(value, to: &bytes, scratch: &scratch)
        }
        #expect(ours == ["Index 0", "single", "value"])
        #expect(path([Reading.single(value: .nan)]) { _ = try JSONEncoder().encode($0) } == ["Index 0", "value"])
    }

    @Test("a key of an object has no integer, a place in an array has")
    func integers() throws {
        struct Where: Codable {
            let path: [Int?]

            init(from decoder: any Decoder) throws { path = decoder.codingPath.map(\.intValue) }
        }
        #expect(try ours([Int: [Where]].self, #"{"7":[{}]}"#)[7]?.first?.path == [nil, 0])
        #expect(try foundations([Int: [Where]].self, #"{"7":[{}]}"#)[7]?.first?.path == [7, 0])
    }
}
