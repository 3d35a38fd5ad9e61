import SiteAudit
import Testing

/// Addresses: what leads where, and when two of them are the same.
@Suite struct URLResolutionTests {
    /// All of RFC 3986, 5.4, against `http://a/b/c/d;p?q`.
    @Test(
        arguments: [
            // 5.4.1, normal
            ("g", "http://a/b/c/g", nil), ("./g", "http://a/b/c/g", nil), ("g/", "http://a/b/c/g/", nil),
            ("/g", "http://a/g", nil), ("//g", "http://g/", nil), ("?y", "http://a/b/c/d;p?y", nil),
            ("g?y", "http://a/b/c/g?y", nil), ("#s", "http://a/b/c/d;p?q", "s"), ("g#s", "http://a/b/c/g", "s"),
            ("g?y#s", "http://a/b/c/g?y", "s"), (";x", "http://a/b/c/;x", nil), ("g;x", "http://a/b/c/g;x", nil),
            ("g;x?y#s", "http://a/b/c/g;x?y", "s"), ("", "http://a/b/c/d;p?q", nil), (".", "http://a/b/c/", nil),
            ("./", "http://a/b/c/", nil), ("..", "http://a/b/", nil), ("../", "http://a/b/", nil),
            ("../g", "http://a/b/g", nil),
            ("../..", "http://a/", nil), ("../../", "http://a/", nil), ("../../g", "http://a/g", nil),
            // 5.4.2, abnormal
            ("../../../g", "http://a/g", nil), ("../../../../g", "http://a/g", nil), ("/./g", "http://a/g", nil),
            ("/../g", "http://a/g", nil), ("g.", "http://a/b/c/g.", nil), (".g", "http://a/b/c/.g", nil),
            ("g..", "http://a/b/c/g..", nil), ("..g", "http://a/b/c/..g", nil), ("./../g", "http://a/b/g", nil),
            ("./g/.", "http://a/b/c/g/", nil), ("g/./h", "http://a/b/c/g/h", nil), ("g/../h", "http://a/b/c/h", nil),
            ("g;x=1/./y", "http://a/b/c/g;x=1/y", nil), ("g;x=1/../y", "http://a/b/c/y", nil),
            ("g?y/./x", "http://a/b/c/g?y/./x", nil), ("g?y/../x", "http://a/b/c/g?y/../x", nil),
            ("g#s/./x", "http://a/b/c/g", "s/./x"), ("g#s/../x", "http://a/b/c/g", "s/../x"),
            // "for backward compatibility": as every browser takes it
            ("http:g", "http://a/b/c/g", nil),
        ] as [(String, String, String?)])
    func rfc3986(reference: String, url: String, fragment: String?) throws {
        let base = try #require(WebURL("http://a/b/c/d;p?q"))
        #expect(base.resolve(reference) == .web(url: url, fragment: fragment))
    }

    @Test func otherSchemesAreSkipped() throws {
        let base = try #require(WebURL("http://a/b/c/d;p?q"))
        #expect(base.resolve("g:h") == .skipped(scheme: "g"))
        #expect(base.resolve("MAILTO:a@b.c") == .skipped(scheme: "mailto"))
        #expect(base.resolve("tel:+49 30") == .skipped(scheme: "tel"))
        #expect(base.resolve(" javascript:void(0)") == .skipped(scheme: "javascript"))
        #expect(base.resolve("data:,x") == .skipped(scheme: "data"))
    }

    @Test(arguments: [
        ("HTTP://EXAMPLE.org", "http://example.org/"), ("http://example.org:80/", "http://example.org/"),
        ("https://example.org:443/x", "https://example.org/x"), ("http://example.org:443/", "http://example.org:443/"),
        ("http://example.org:/", "http://example.org/"), ("http://example.org:0080/", "http://example.org/"),
        ("http://h/%7Euser/%41%2fb", "http://h/~user/A%2Fb"),
        ("http://h/a b/ä?ö x", "http://h/a%20b/%C3%A4?%C3%B6%20x"),
        ("http://h/100%.html", "http://h/100%25.html"), ("http://h/%zz%4", "http://h/%25zz%254"),
        ("http://h/a/%2e%2E/b", "http://h/b"), ("http://h/a//b", "http://h/a//b"), ("http://h?q", "http://h/?q"),
        ("http://h/x?", "http://h/x?"), ("\thttp://h/\nx ", "http://h/x"),
        ("http:\\\\h\\a\\b?c\\d", "http://h/a/b?c%5Cd"),
        ("http://user:pa%3Ass@h/", "http://user:pa%3Ass@h/"), ("http://%65xample.org/", "http://example.org/"),
        ("http://[2001:DB8:0:0:0:0:0:1]:8080/x", "http://[2001:db8::1]:8080/x"), ("http://[::1]/", "http://[::1]/"),
        ("http://[::]/", "http://[::]/"), ("http://[::ffff:192.168.0.1]/", "http://[::ffff:c0a8:1]/"),
        ("http://[1:0:0:2:0:0:0:3]/", "http://[1:0:0:2::3]/"),
        ("http://Bücher.example/ü", "http://xn--bcher-kva.example/%C3%BC"),
        ("http://例え.テスト/", "http://xn--r8jz45g.xn--zckzah/"), ("http://127.0.0.1:5701/", "http://127.0.0.1:5701/"),
        ("http://h/[x]|^", "http://h/%5Bx%5D%7C%5E"),
    ])
    func normalForm(written: String, normal: String) throws {
        let url = try #require(WebURL(written))
        #expect(url.text == normal)
        #expect(WebURL(normal)?.text == normal, "the normal form is its own normal form")
    }

    @Test(arguments: [
        "http://", "http:///x", "http://ex ample.org/", "http://h:99999/", "http://h:x/", "http://h:-1/",
        "http://[::1/",
        "http://[1:2]/", "http://[12345::]/", "http://[::1]x/", "http://a<b/", "https://%/", "//", "http://h:0/",
        "https:g", "http://\(String(repeating: "a", count: 64)).org/", "http://[1:2:3:4:5:6:7:8:9]/",
        "http://[::1.2.3.400]/",
    ])
    func invalid(written: String) throws {
        let base = try #require(WebURL("http://a/"))
        #expect(base.resolve(written) == .invalid)
        #expect(WebURL(written) == nil)
    }

    @Test(
        arguments: [
            ("//other.org/x", "https://other.org/x"), ("//OTHER.org:443", "https://other.org/"),
            ("?", "https://h/dir/page?"),
            ("x:y", nil), ("./x:y", "https://h/dir/x:y"), ("Über uns.html", "https://h/dir/%C3%9Cber%20uns.html"),
            ("..\\x", "https://h/x"), ("a/b/../../..", "https://h/"), ("/", "https://h/"),
        ] as [(String, String?)])
    func relative(written: String, url: String?) throws {
        let base = try #require(WebURL("https://h/dir/page?query#fragment"))
        let expected = url.map { LinkTarget.web(url: $0, fragment: nil) } ?? .skipped(scheme: "x")
        #expect(base.resolve(written) == expected)
    }

    @Test(
        arguments: [
            ("#", ""), ("#top", "top"), ("#a%20b", "a b"), ("#%C3%BC", "ü"), ("#100%", "100%"), ("#:~:text=some", nil),
            ("#part:~:text=some", "part"), ("#a#b", "a#b"), ("#ü", "ü"),
        ] as [(String, String?)])
    func fragments(written: String, fragment: String?) throws {
        let base = try #require(WebURL("https://h/page"))
        #expect(base.resolve(written) == .web(url: "https://h/page", fragment: fragment))
    }

    @Test func partsOfAURL() throws {
        let url = try #require(WebURL("https://me@h:8443/a/b.html?x=1#y"))
        #expect(url.origin == "https://h:8443")
        #expect(url.directory == "/a/")
        #expect(url.pathAndQuery == "/a/b.html?x=1")
        #expect(WebURL("ftp://h/") == nil)
        #expect(WebURL("relative") == nil)
    }
}
