import Foundation
import MobiusCodec
import Testing

/// What stands before the value in a map.
@Suite("CBOR's keys")
struct CBORKeyTests {
    private func coded<Value: Codable>(_ value: Value) throws -> String {
        var scratch = CodingScratch()
        var bytes: [UInt8] = []
        try CBORCodec(Value.self, deterministic: true).encode(value, into: &bytes, scratch: &scratch)
        return hex(bytes)
    }

    private func read<Value: Codable>(_ type: Value.Type = Value.self, _ hex: String) throws -> Value {
        var scratch = CodingScratch()
        return try CBORCodec(type).value(of: bytes(hex: hex).span.bytes, scratch: &scratch)
    }

    enum Colour: String, Codable, CodingKeyRepresentable { case red, blue = "7" }
    enum Level: Int, Codable, CodingKeyRepresentable { case low = 1, high = 2 }
    enum Plain: String, Codable { case one }

    @Test("of dictionaries: integers where the type has them, and text otherwise, whatever it looks like")
    func dictionaries() throws {
        #expect(try coded([1: "a"]) == "a1016161")
        #expect(try coded(["1": "a", "01": "b"]) == "a2613161616230316162")
        let names = ["1": "a", "01": "b", "+1": "c", "x": "d"]
        #expect(try read([String: String].self, coded(names)) == names)
        #expect(try coded([Level.high: 1]) == "a10201")
        #expect(try read([Level: Int].self, "a10201") == [.high: 1])
        #expect(try coded([Colour.blue: 1]) == "a1613701")
        #expect(try read([Colour: Int].self, "a1613701") == [.blue: 1])
        // Not representable as keys: an array of keys and values in turn, as in JSON.
        #expect(try coded([Plain.one: 1]) == "82636f6e6501")
        #expect(try coded([1: ["1": [2: "x"]]]) == "a101a16131a1026178")
        #expect(try read([Int: [String: [Int: String]]].self, "a101a16131a1026178") == [1: ["1": [2: "x"]]])
    }

    @Test("of dictionaries are read from integers and text alike; others are passed over")
    func foreign() throws {
        #expect(try read([Int: Int].self, "a20102613304") == [1: 2, 3: 4])
        #expect(try read([String: Int].self, "a20102613304") == ["1": 2, "3": 4])
        #expect(try read([String: Int].self, "a441ff01f502a003616105") == ["a": 5])
        #expect(try read([String: Int].self, "a11bffffffffffffffff01") == [:])
        #expect(try read([Int: Int].self, "a2390001011b7fffffffffffffff02") == [-2: 1, .max: 2])
    }

    struct Short: Codable, Equatable {
        var a = 1
        var b: String? = "x"
        var c: [Int]?

        enum CodingKeys: Int, CodingKey { case a = 1, b = 2, c = -1 }
    }

    @Test("of types whose keys have integers")
    func integers() throws {
        #expect(try coded(Short()) == "a20101026178")
        #expect(try coded(Short(c: [])) == "a301010261782080")
        #expect(try read(Short.self, "a301010261782080") == Short(c: []))
        #expect(try read(Short.self, "a30261782080 0101") == Short(c: []))
        // By their names, too.
        #expect(try read(Short.self, "a26161016162 6178") == Short())
        let missing = #expect(throws: DecodingError.self) { try read(Short.self, "a0") }
        guard case .keyNotFound(let key, _) = missing else { return #expect(Bool(false)) }
        #expect(key.stringValue == "a")
        let wrong = #expect(throws: DecodingError.self) { try read([Short].self, "81a201010200") }
        guard case .typeMismatch(_, let context) = wrong else { return #expect(Bool(false)) }
        #expect(context.codingPath.map(\.intValue) == [0, 2])
    }

    @Test("that are there twice: the first one counts, in small maps and large ones")
    func repeated() throws {
        struct A: Codable { var a: Int }
        #expect(try read(A.self, "a2616101616102").a == 1)
        #expect(try read([String: Int].self, "a2616101616102") == ["a": 1])
        #expect(try read([String: Int].self, "a26161017f6161ff02") == ["a": 1])
        #expect(try read([Int: Int].self, "a20101180102") == [1: 1])
        let many = (0..<40).map { "18\(hex([UInt8(24 + $0)]))01" }.joined() + "181902"
        #expect(try read([Int: Int].self, "b829" + many)[25] == 1)
    }
}
