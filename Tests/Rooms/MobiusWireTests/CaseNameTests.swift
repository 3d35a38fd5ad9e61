import MobiusWire
import Testing

@Suite("The name of an enum case in a payload")
struct CaseNameTests {
    private func name(_ bytes: [UInt8], _ type: String) -> String? {
        Payload(kind: PayloadKind(type: "T", contentType: type), bytes: bytes).caseName
    }

    @Test(
        "is the first key of a JSON object, if it is an identifier",
        arguments: [
            (#"{"greet":{"_0":"Ada"}}"#, "greet"), ("\n { \"end\" : {}}", "end"), (#"{"_a1":1}"#, "_a1"), ("{}", nil),
            ("", nil),
            (#"{"#, nil), (#"{"a"#, nil), (#""greet""#, nil), ("[1]", nil), (#"{"a b":1}"#, nil), (#"{"1a":1}"#, nil),
            (#"{"a\u0041":1}"#, nil), ("{\"" + String(repeating: "x", count: 65) + "\":1}", nil),
            ("{\"" + String(repeating: "x", count: 64) + "\":1}", String(repeating: "x", count: 64)),
        ] as [(String, String?)])
    func json(text: String, expected: String?) {
        #expect(name(Array(text.utf8), PayloadKind.jsonContentType) == expected)
    }

    @Test(
        "is the only key of a CBOR map",
        arguments: [
            ([0xA1, 0x63, 0x65, 0x6E, 0x64, 0xA0], "end"), ([0xA1, 0x78, 3, 0x65, 0x6E, 0x64, 0xA0], "end"),
            ([0xA2, 0x63, 0x65, 0x6E, 0x64, 0xA0], nil), ([0xA1, 0x77, 0x65], nil), ([0xA1, 0x78, 0xFF], nil),
            ([0xA1, 0x78], nil),
            ([0xA1, 0x01, 0x65], nil), ([0xA1], nil), ([], nil),
        ] as [([UInt8], String?)])
    func cbor(bytes: [UInt8], expected: String?) {
        #expect(name(bytes, PayloadKind.cborContentType) == expected)
        #expect(name(bytes, PayloadKind.fastContentType) == nil)
    }
}
