import MobiusCodec
import Testing

@Suite("JSON within JSON")
struct JSONFragmentTests {
    private struct Document: Codable, Equatable {
        var before: Int
        var value: JSONFragment?
        var list: [Int]
    }

    @Test(
        "a value passes as it is",
        arguments: [
            "1", "-2.5e+10", "null", "true", #""""#, #""a\"b\\ \u00e4 \ud83e\udd8a ä""#, "[]", "{}", "[ ]", "{ }",
            "[1 ,\n[2],{ \"a\" : [ ] , \"b\":\"]\"}]", #"{"a":{"b":{"c":null}},"d":"}"}"#, "[\"a\",\"b\"]",
        ])
    func same(text: String) throws {
        let fragment = try #require(JSONFragment(Array(text.utf8)))
        let document = Document(before: 1, value: fragment, list: [2])
        var (bytes, scratch) = ([UInt8](), CodingScratch())
        let codec = JSONCodec(Document.self)
        try codec.encode(document, into: &bytes, scratch: &scratch)
        #expect(String(decoding: bytes, as: UTF8.self) == #"{"before":1,"value":\#(text),"list":[2]}"#)
        let spaced = Array(#"{ "before": 1, "value" :  \#(text)  , "list" : [2] }"#.utf8)
        let read = try codec.decode(spaced.span.bytes, scratch: &scratch)
        #expect(read == Document(before: 1, value: text == "null" ? nil : fragment, list: [2]))
    }

    @Test(
        "what strict readers refuse is none",
        arguments: [
            "", " ", "[1,]", #"{"a":1,}"#, "01", "1.", "-", "+1", "NaN", "tru", "'a'", "\"\u{1}\"", #""\x""#,
            #""\ud800""#, "{a:1}", "[1 2]", "1 2", "\u{FEFF}1", "[\"\u{9}\"]", "{\"\\q\":1}", "[1]]",
        ])
    func refused(text: String) {
        #expect(JSONFragment(Array(text.utf8)) == nil)
    }

    @Test("invalid UTF-8 and deep nesting are refused")
    func bytes() {
        #expect(JSONFragment([0x22, 0xFF, 0x22]) == nil)
        func nested(_ depth: Int) -> [UInt8] {
            [UInt8](repeating: 0x5B, count: depth) + [UInt8](repeating: 0x5D, count: depth)
        }
        #expect(JSONFragment(nested(JSONFragment.maximumDepth)) != nil)
        #expect(JSONFragment(nested(JSONFragment.maximumDepth + 1)) == nil)
    }

    @Test("an element of a list and a whole document are no fragments")
    func places() {
        var scratch = CodingScratch()
        for text in [#"["a"]"#, #"["a",{"b":1}]"#, "[[1]]"] {
            #expect(throws: CodingFailure.self) {
                try JSONCodec([JSONFragment].self).decode(Array(text.utf8).span.bytes, scratch: &scratch)
            }
        }
        #expect(throws: CodingFailure.self) {
            try JSONCodec(JSONFragment.self).decode(Array("1".utf8).span.bytes, scratch: &scratch)
        }
    }

    @Test("Foundation's coders have the text", arguments: ["[1,2]", #"{"a":"b"}"#])
    func foundation(text: String) throws {
        let fragment = try #require(JSONFragment(Array(text.utf8)))
        var (bytes, scratch) = ([UInt8](), CodingScratch())
        let codec = FoundationJSONCodec([JSONFragment].self)
        try codec.encode([fragment], into: &bytes, scratch: &scratch)
        #expect(try codec.decode(bytes.span.bytes, scratch: &scratch) == [fragment])
    }
}
