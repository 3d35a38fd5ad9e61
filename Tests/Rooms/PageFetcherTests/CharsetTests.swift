import PageFetching
import SiteAudit
import Testing

@Suite("Encodings")
struct CharsetTests {
    private func text(_ bytes: [UInt8], _ charset: String? = nil) -> String {
        bytes.withUnsafeBytes {
            PageText.read($0, charset: charset) { text, _ in String(decoding: text, as: UTF8.self) }
        }
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
        "UTF-16 by the header, which a mark overrules; a page that could say so in ASCII is UTF-8",
        arguments: [
            ("utf-16le", [0x61, 0, 0xE9, 0], "aé"), ("UTF-16", [0x61, 0, 0xE9, 0], "aé"),
            ("utf-16be", [0, 0x61, 0xD8, 0x3D, 0xDE, 0x00], "a😀"), ("utf-16be", [0xFF, 0xFE, 0x61, 0], "a"),
            ("utf-16le", [0x3D, 0xD8, 0x61, 0], "\u{FFFD}a"),
            (nil, Array("<meta charset=utf-16>é".utf8), "<meta charset=utf-16>é"),
            ("utf-16le", [0xEF, 0xBB, 0xBF, 0xC3, 0xA9], "é"),
        ] as [(String?, [UInt8], String)])
    func utf16ByHeader(_ label: String?, _ bytes: [UInt8], _ expected: String) {
        #expect(text(bytes, label) == expected)
    }

    @Test(
        "what iconv knows",
        arguments: [
            ("Shift_JIS", [0x93, 0xFA], "日"), ("gb2312", [0xC4, 0xE3], "你"), ("euc-kr", [0xC7, 0xD1], "한"),
            ("big5", [0xA4, 0xA4], "中"), ("koi8-r", [0xC4, 0xC1], "да"), ("iso-8859-9", [0xFD], "ı"),
            ("windows-1251", [0xE4, 0xE0], "да"), ("shift_jis", [0x61, 0xFF, 0x62], "a\u{FFFD}b"),
            ("logical", [0xE0], "א"), ("dos-874", [0xA1], "ก"), ("x-mac-ukrainian", [0xA2], "Ґ"),
            ("koi8-ru", [0xA4], "є"),
            ("ks_c_5601-1989", [0xC7, 0xD1], "한"), ("x-euc-jp", [0xA1, 0xC1], "～"),
            ("csiso2022jp", [0x1B, 0x24, 0x42, 0x46, 0x7C], "日"),
            ("chinese", [0x81, 0x30, 0x84, 0x36], "¥"), ("x-user-defined", [0x80], "€"),
            ("windows-1258", [0x61, 0xD2, 0x81], "a\u{309}\u{81}"), ("windows-1253", [0xAA, 0x98], "\u{FFFD}\u{98}"),
            ("big5", [0x88, 0x66], "\u{CA}"),
            ("iso-2022-kr", [0x61], "\u{FFFD}"),
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
            "<meta charset=koi8-r>", "<META http-equiv=Content-Type content='text/html; charset=KOI8-R'>",
            "<meta content='charset charset = \"koi8-r\"' http-equiv=content-type>",
            "<meta charset=nonsense><meta/charset=koi8>",
            "<meta content='x; charset=big5'><meta charset=koi8-r charset=big5>",
            "<!-- > --><x a='<meta charset=big5>'><meta charset=koi8-r>",
            "<meta http-equiv=content-type content='charset=\"big5'><meta charset=koi8-r>",
            "<meta name=charset content=big5><meta charset=koi8-r>",
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

    @Test("every encoding has a name that the system knows")
    func names() {
        for label in PageEncoding.labels {
            let encoding = PageEncoding(label: label)
            let (written, expected) =
                switch encoding?.name {
                case "utf-16le": ("a\0a\0", "aa")
                case "utf-16be": ("\0a\0a", "aa")
                case "replacement": ("aa", "\u{FFFD}")
                default: ("aa", "aa")
                }
            #expect(text(Array(written.utf8), label) == expected, "\(label)")
            guard let encoder = encoding.flatMap({ QueryEncoder($0) }) else { continue }
            #expect(encoder.encoded("a") == Array("a".utf8), "\(label)")
        }
        #expect(PageEncoding.labels.count == 228)
    }

    @Test("an address in another encoding is percent-encoded as UTF-8, but for its query")
    func address() {
        let html = Array("<a href=caf".utf8) + [0xE9] + Array("?caf".utf8) + [0xE9] + Array(">".utf8)
        #expect(page(html, charset: "iso-8859-1").links.map(\.url) == ["http://site/dir/caf%C3%A9?caf%E9"])
        #expect(page("<a href='é?é'>").links.map(\.url) == ["http://site/dir/%C3%A9?%C3%A9"])
    }

    @Test(
        "a query is in the encoding of its page",
        arguments: [
            ("gb2312", "洪7", [0xBA, 0xE9, 0x37]), ("gbk", "€", [0x80]), ("shift_jis", "日a", [0x93, 0xFA, 0x61]),
            ("latin1", "é€ж!", [0xE9, 0x80] + Array("%26%231078%3B!".utf8)),
            ("iso-2022-jp", "日", [0x1B, 0x24, 0x42, 0x46, 0x7C, 0x1B, 0x28, 0x42]),
            ("iso-2022-jp", "日😀", [0x1B, 0x24, 0x42, 0x46, 0x7C, 0x1B, 0x28, 0x42] + Array("%26%23128512%3B".utf8)),
        ] as [(String, String, [UInt8])])
    func query(_ label: String, _ query: String, _ bytes: [UInt8]) throws {
        let encoder = try #require(PageEncoding(label: label).flatMap { QueryEncoder($0) })
        #expect(encoder.encoded(query) == bytes)
    }

    @Test("queries of Unicode pages need no encoder", arguments: ["utf-8", "utf-16", "utf-16be", "replacement"])
    func unicodeQuery(_ label: String) throws {
        #expect(QueryEncoder(try #require(PageEncoding(label: label))) == nil)
    }
}
