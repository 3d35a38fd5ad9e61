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

    @Test("is not looked for in other codings")
    func fast() {
        #expect(name([0x7B, 0x22, 0x65, 0x6E, 0x64, 0x22], PayloadKind.fastContentType) == nil)
    }
}
