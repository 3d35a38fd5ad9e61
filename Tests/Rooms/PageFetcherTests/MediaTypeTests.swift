import PageFetching
import Testing

@Suite("The type of an answer")
struct MediaTypeTests {
    @Test(
        "one header",
        arguments: [
            ("text/html", "text/html", nil), (" Text/HTML ; Charset=\"UTF-8\"", "text/html", "utf-8"),
            ("text/html;charset=", "text/html", nil), ("a/b; x=y; charset=Latin1; charset=z", "a/b", "latin1"),
            ("text/html;;=", "text/html", nil), ("text/html;;charset=UTF-8", "text/html", "utf-8"),
            ("text/html;", "text/html", nil),
            ("text/html;charset=\"u\\tf\"x;y", "text/html", "utf"),
            ("text/html;x=\";charset=a\";charset=b", "text/html", "b"),
            ("text/html;charset=\"utf-8", "text/html", "utf-8"), ("text/html;charset =a;charset=b", "text/html", "b"),
            ("text/html; charset='gbk'", "text/html", "'gbk'"),
        ] as [(String, String, String?)])
    func header(_ header: String, _ essence: String, _ charset: String?) {
        let type = MediaType(header: header)
        #expect(type?.essence == essence)
        #expect(type?.charset == charset)
    }

    @Test(
        "a header that names none",
        arguments: [
            "", " ", ";charset=utf-8", "html", "text/", "/html", "text/ht ml", "text /html", "te(xt/html",
            "text/html/x",
        ])
    func noType(_ header: String) {
        #expect(MediaType(header: header) == nil)
    }

    @Test(
        "several headers: the last type counts",
        arguments: [
            (["text/html, text/html"], "text/html", nil), (["text/html,charset=utf-8"], "text/html", nil),
            (["text/plain", "text/html"], "text/html", nil), (["text/html;charset=gbk, text/html"], "text/html", "gbk"),
            (["text/html;charset=gbk", "text/plain", "text/html"], "text/html", nil),
            (["text/html;charset=gbk", "text/html;x=y"], "text/html", "gbk"), (["text/html, */*"], "text/html", nil),
            (["text/html;x=\"a,b/c\""], "text/html", nil),
            (["text/html;charset=gbk, x, text/html;charset=big5"], "text/html", "big5"),
        ] as [([String], String, String?)])
    func headers(_ headers: [String], _ essence: String, _ charset: String?) {
        let type = MediaType(headers: headers)
        #expect(type?.essence == essence)
        #expect(type?.charset == charset)
    }

    @Test(
        "a body without a type that is HTML",
        arguments: [
            "<!doctype html>", "<!DOCTYPE HTML PUBLIC", "<html ", " \t\r\n\u{C}<HTML>", "<head>", "<script >",
            "<iframe>", "<h1>", "<div>",
            "<font >", "<table>", "<a >", "<style>", "<title>", "<b>", "<body>", "<br>", "<p>", "<!-- x", "<!-->",
        ])
    func html(_ body: String) {
        #expect(sniffed(body) == "text/html")
    }

    @Test(
        "a body without a type that is none",
        arguments: [
            ("<html\n>", "text/plain"), ("<h2>", "text/plain"), ("<!--x", "text/plain"), ("<br/>", "text/plain"),
            ("x<html>", "text/plain"), ("\u{FEFF}<html>", "text/plain"), ("<html", "text/plain"),
            ("<p>\0", "text/html"),
            (" <?xml version='1.0'?>", "text/xml"), ("%PDF-1.7", "application/pdf"), (" %PDF-1.7", "text/plain"),
            ("GIF89a\0", "image/gif"), ("PK\u{3}\u{4}", "application/zip"), ("a\u{1}", "application/octet-stream"),
            ("a\u{1B}", "text/plain"),
        ])
    func other(_ body: String, _ essence: String) {
        #expect(sniffed(body) == essence)
    }

    @Test("only the beginning of a body counts")
    func beginning() {
        let spaces = String(repeating: " ", count: MediaType.sniffedBytes)
        #expect(sniffed(spaces.dropLast(6) + "<html>") == "text/html")
        #expect(sniffed(spaces.dropLast(5) + "<html>") == "text/plain")
        #expect(sniffed(spaces + "\0") == "text/plain")
    }

    @Test(
        "a type that is stated is believed, and nothing else is sniffed",
        arguments: [
            ([], "text/html", nil), (["html"], "text/html", nil), (["*/*"], "text/html", nil),
            (["unknown/unknown"], "text/html", nil), (["Application/Unknown; charset=gbk"], "text/html", "gbk"),
            (["text/plain"], "text/plain", nil), (["image/png"], "image/png", nil),
            (["application/octet-stream"], "application/octet-stream", nil),
        ] as [([String], String, String?)])
    func computed(_ headers: [String], _ essence: String, _ charset: String?) {
        let type = computed(headers, "<html>")
        #expect(type?.essence == essence)
        #expect(type?.charset == charset)
    }

    @Test("no HTML, but an image, is found where the server forbids to sniff, and nothing in an empty body")
    func limits() {
        #expect(computed([], "<html>", noSniff: true)?.essence == "text/plain")
        #expect(computed([], "GIF87a", noSniff: true)?.essence == "image/gif")
        #expect(computed([], "") == nil)
        #expect(computed(["text/html"], "")?.isHTML == true)
    }

    private func sniffed(_ body: String) -> String? {
        Array(body.utf8).withUnsafeBytes { MediaType.sniffed(from: $0)?.essence }
    }

    private func computed(_ headers: [String], _ body: String, noSniff: Bool = false) -> MediaType? {
        Array(body.utf8).withUnsafeBytes {
            MediaType.computed(contentTypeHeaders: headers, noSniff: noSniff, beginning: $0)
        }
    }
}
