import Foundation
import MobiusCodec
import Testing

@Suite("The fast coding as text")
struct FastTextTests {
    private func text(_ value: some FastPayload) throws -> String {
        let bytes = try Fast.bytes(value, deterministic: true)
        return try FastText.json(of: bytes.span.bytes)
    }

    @Test("shows every kind without knowing the type")
    func kinds() throws {
        #expect(try text(FastPage("/a\"\n", 200)) == #"{"1":"/a\"\n","2":200}"#)
        #expect(try text(FastStep.stopped) == #"{"case":1}"#)
        #expect(
            try text(FastStep.fetched(FastPage("", -1), after: 0.5)) == #"{"case":2,"1":{"1":"","2":-1},"2":0.5}"#)
        #expect(try text([true, false]) == "[true,false]")
        #expect(try text([Double.nan, -.infinity, 1e300]) == #"["nan","-inf",1e+300]"#)
        #expect(try text([1.5 as Float, .infinity]) == #"[1.5,"inf"]"#)
        #expect(try text([UInt128.max]) == "[340282366920938463463374607431768211455]")
        #expect(try text(Int128.min) == "-170141183460469231731687303715884105728")
        #expect(try text(["a": ["b": 1], "c": [:]]) == #"{"a":{"b":1},"c":{}}"#)
        #expect(try text([-1: "x", 2: "y"]) == #"{"-1":"x","2":"y"}"#)
        #expect(try text([true: 1]) == "[[true,1]]")
        #expect(try text(Data([1, 2, 3])) == #""AQID""#)
        #expect(try text([nil, 3] as [Int?]) == #"[{},{"1":3}]"#)
        #expect(try text(Date(timeIntervalSince1970: 0.5)) == #""1970-01-01T00:00:00.500Z""#)
        #expect(try text(Date(timeIntervalSinceReferenceDate: 1e300)) == "1e+300")
        #expect(try text(Date(timeIntervalSinceReferenceDate: .nan)) == #""nan""#)
        let uuid = try #require(UUID(uuidString: "00010203-0405-0607-0809-0A0B0C0D0E0F"))
        #expect(try text(uuid) == #""00010203-0405-0607-0809-0A0B0C0D0E0F""#)
    }

    @Test("writes JSON that others read")
    func json() throws {
        var value = FastEverything()
        value.steps = [.all([.stopped], named: ["é\u{1}": .stopped])]
        value.double = -0.0
        value.date = Date(timeIntervalSince1970: 1e9)
        let json = try JSONSerialization.jsonObject(with: Data(text(value).utf8))
        #expect((json as? [String: Any])?.count == 13)
    }
}
