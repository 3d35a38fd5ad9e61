import PageFetching
import SiteAudit
import Testing

@Suite("What attributes say")
struct AttributeTests {
    @Test(
        "srcset",
        arguments: [
            ("", []), (" , ,", []), ("a", ["a"]), ("a,", ["a"]), ("a,,b", ["a,,b"]), ("a, b", ["a", "b"]),
            ("a 1x,b 2x", ["a", "b"]), ("a 1x, b 2x", ["a", "b"]), ("a,b 1x", ["a,b"]),
            ("a?x=1,2 100w, b 200w", ["a?x=1,2", "b"]),
            ("a (1,2) 1x, b", ["a", "b"]), ("a (1,2, b", ["a"]), ("\n  a\t2x ,\n b", ["a", "b"]),
            ("a  ,b", ["a", "b"]),
            ("data:image/png;base64,AA== 1x, b 2x", ["data:image/png;base64,AA==", "b"]),
        ] as [(String, [String])])
    func srcset(_ attribute: String, _ urls: [String]) {
        #expect(Srcset.urls(in: attribute) == urls)
    }

    @Test(
        "meta refresh",
        arguments: [
            ("5", nil), ("", nil), ("x; url=y", nil), ("0;", nil), ("0; url=", nil), ("0;url=x", "x"),
            ("0, URL = x", "x"),
            (" 3.5 ; url='x y'", "x y"), ("0; url=\"x", "x"), ("0; x", "x"), ("0 x", "x"), ("0; urlx", "urlx"),
            ("0x", nil),
        ] as [(String, String?)])
    func refresh(_ content: String, _ url: String?) {
        #expect(MetaRefresh.url(in: content) == url)
    }

    @Test(
        "link relations",
        arguments: [
            ("stylesheet", nil, nil, .stylesheet), ("Alternate  StyleSheet", nil, nil, .stylesheet),
            ("shortcut icon", nil, nil, .image), ("apple-touch-icon", nil, nil, .image), ("next", nil, nil, .document),
            ("alternate", "text/html", nil, .document), ("alternate", "application/rss+xml", nil, .other),
            ("search", "application/opensearchdescription+xml", nil, .other), ("canonical", nil, nil, .document),
            ("preload", nil, "style", .stylesheet), ("preload", nil, "font", .other), ("prefetch", nil, nil, .other),
            ("modulepreload", nil, nil, .script), ("manifest", nil, nil, .other), ("preconnect", nil, nil, nil),
            ("dns-prefetch", nil, nil, nil), ("pingback", nil, nil, nil), ("", nil, nil, nil),
            ("schema.dc", nil, nil, nil),
        ] as [(String, String?, String?, FetchedLink.Kind?)])
    func relation(_ rel: String, _ type: String?, _ destination: String?, _ kind: FetchedLink.Kind?) {
        #expect(LinkRelation.kind(rel: rel, type: type, as: destination) == kind)
    }
}
