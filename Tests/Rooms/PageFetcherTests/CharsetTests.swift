import PageFetching
import SiteAudit
import Testing

@Suite("Encodings")
struct CharsetTests {
    private func text(_ bytes: [UInt8], _ charset: String? = nil) -> String {
        bytes.withUnsafeBytes { String(decoding: PageText.decode($0, charset: charset), as: UTF8.self) }
    }

    private static let latin: [UInt8] = [0x63, 0x61, 0x66, 0xE9, 0x80]

    @Test("UTF-8, with and without a mark, valid or not")
    func utf8() {
        #expect(text(Array("café".utf8)) == "café")
        #expect(text([0xEF, 0xBB, 0xBF] + Array("café".utf8), "latin1") == "café")
        #expect(text([0x61, 0xFF, 0x62], "UTF-8") == "a\u{FFFD}b")
        #expect(text([]) == "")
    }

    @Test(
        "ISO-8859-1 means windows-1252 on the web", arguments: ["iso-8859-1", "Latin1", "us-ascii", " Windows-1252 "])
    func latin1(_ label: String) {
        #expect(text(Self.latin, label) == "café€")
    }

    @Test("a page that is no UTF-8 and says nothing is windows-1252")
    func guess() {
        #expect(text(Self.latin) == "café€")
        #expect(text(Self.latin, "no-such-charset-x") == "café€")
    }

    @Test("UTF-16 by its mark")
    func utf16() {
        #expect(text([0xFF, 0xFE, 0x61, 0x00, 0xE9, 0x00]) == "aé")
        #expect(text([0xFE, 0xFF, 0x00, 0x61, 0x00, 0xE9, 0x00]) == "aé")
        #expect(text([0xFF, 0xFE]) == "")
    }

    @Test(
        "what iconv knows",
        arguments: [
            ("Shift_JIS", [0x93, 0xFA], "日"), ("gb2312", [0xC4, 0xE3], "你"), ("euc-kr", [0xC7, 0xD1], "한"),
            ("big5", [0xA4, 0xA4], "中"), ("koi8-r", [0xC4, 0xC1], "да"), ("iso-8859-9", [0xFD], "ı"),
            ("windows-1251", [0xE4, 0xE0], "да"), ("shift_jis", [0x61, 0xFF, 0x62], "a\u{FFFD}b"),
        ] as [(String, [UInt8], String)])
    func iconv(_ label: String, _ bytes: [UInt8], _ expected: String) {
        #expect(text(bytes, label) == expected)
    }

    @Test("a long text in a charset of iconv is converted whole")
    func long() {
        #expect(text(Array(repeating: 0xC4, count: 100_000), "koi8-r") == String(repeating: "д", count: 100_000))
    }

    @Test(
        "what a page declares about itself",
        arguments: [
            "<meta charset=koi8-r>", "<META http-equiv=x content='text/html; charset=KOI8-R'>",
            "<?xml version='1.0' encoding='koi8-r'?>",
            "<!-- <meta charset=big5> --><meta charset = \"koi8-r\" />", "<meta name=x><meta charset=koi8-r>",
        ])
    func declared(_ head: String) {
        #expect(text(Array(head.utf8) + [0xC4, 0xC1]).hasSuffix("да"))
        #expect(text(Array(head.utf8) + [0xC4, 0xC1], "windows-1251").hasSuffix("ДБ"), "the header goes first")
    }

    @Test("NUL becomes U+FFFD, so that nothing behind it is lost")
    func nul() {
        #expect(text([0x61, 0, 0x62]) == "a\u{FFFD}b")
        #expect(page(Array("<p>\0<a href=x\0y>".utf8)).links.map(\.written) == ["x\u{FFFD}y"])
    }

    @Test("an address in another encoding is percent-encoded as UTF-8")
    func address() {
        let html = Array("<a href=caf".utf8) + [0xE9] + Array(">".utf8)
        #expect(page(html, charset: "iso-8859-1").links.map(\.url) == ["http://site/dir/caf%C3%A9"])
    }
}
