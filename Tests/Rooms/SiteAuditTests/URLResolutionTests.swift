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
        ("http://h:0/", "http://h:0/"), ("http://h:065535/", "http://h:65535/"),
        // what is written stays, and only what the standard's sets contain is encoded, in upper case
        ("http://h/%7Euser/%41%2fb/%c3%b6/~", "http://h/%7Euser/%41%2fb/%c3%b6/~"),
        ("http://h/a b/ä?ö x", "http://h/a%20b/%C3%A4?%C3%B6%20x"),
        ("http://h/100%.html?5%", "http://h/100%.html?5%"), ("http://h/%zz%4", "http://h/%zz%4"),
        ("http://h/[x]|\"<>^`{}'", "http://h/[x]|%22%3C%3E%5E%60%7B%7D'"),
        ("http://h/?[x]|\"<>^`{}'\\", "http://h/?[x]|%22%3C%3E^`{}%27\\"),
        ("http://a^b|c:d'e[;@h/", "http://a%5Eb%7Cc:d'e%5B%3B@h/"),
        ("http://user:pa%3Ass@h/", "http://user:pa%3Ass@h/"), ("http://a@b@h/", "http://a%40b@h/"),
        ("http://:@h/", "http://h/"), ("http://u:@h/", "http://u@h/"), ("http://:p@h/", "http://:p@h/"),
        // segments of dots, in every spelling
        ("http://h/a/%2e%2E/b", "http://h/b"), ("http://h/a/b/.%2e/%2e", "http://h/a/"),
        ("http://h/a/%2e.", "http://h/"),
        ("http://h/.../%2e%2", "http://h/.../%2e%2"), ("http://h/a//..", "http://h/a/"),
        ("http://h/a//b", "http://h/a//b"),
        ("http://h?q", "http://h/?q"), ("http://h/x?", "http://h/x?"),
        // white space at the ends and line ends inside are ignored
        ("\thttp://h/\nx ", "http://h/x"), ("\u{0}\u{1F} ht\ntp://h/x\u{0}", "http://h/x"),
        ("http://h/x\r\ny", "http://h/xy"),
        // slashes of all kinds and numbers
        ("http:\\\\h\\a\\b?c\\d", "http://h/a/b?c\\d"), ("http:///h/x", "http://h/x"), ("http:h/x", "http://h/x"),
        ("https:/\\/h", "https://h/"),
    ])
    func serialised(written: String, text: String) throws {
        let url = try #require(WebURL(written))
        #expect(url.text == text)
        #expect(WebURL(text)?.text == text, "what is serialised does not change")
    }

    @Test(arguments: [
        "http://", "http:///", "http://ex ample.org/", "http://h:65536/", "http://h:99999999999999999999/",
        "http://h:x/",
        "http://h:-1/", "http://:80/", "http://u@/x", "http://@/", "//", "http://h:80:80/",
    ])
    func invalid(written: String) throws {
        let base = try #require(WebURL("http://a/"))
        #expect(base.resolve(written) == .invalid)
        #expect(WebURL(written) == nil)
    }

    /// Slashes and backslashes as browsers take them: a base of the same scheme makes a difference.
    @Test(arguments: [
        ("http:/one", "http://h/one"), ("http:one", "http://h/d/one"), ("http:?q", "http://h/d/p?q"),
        ("http:", "http://h/d/p"), ("http://x/two", "http://x/two"), ("http:///x/two", "http://x/two"),
        ("http:\\\\x\\two", "http://x/two"), ("\\\\x/five", "http://x/five"), ("/\\x/six", "http://x/six"),
        ("\\/x", "http://x/"), ("////x", "http://x/"), ("/\t/x", "http://x/"), ("\\x", "http://h/x"),
        ("https:x", "https://x/"), ("https:/x/y", "https://x/y"), ("https:\\x", "https://x/"),
    ])
    func slashes(written: String, text: String) throws {
        let base = try #require(WebURL("http://h/d/p"))
        #expect(base.resolve(written) == .web(url: text, fragment: nil))
    }

    @Test func queriesAreInTheEncodingOfThePage() throws {
        let base = try #require(WebURL("http://h/d"))
        let latin1 = { (query: String) in query.unicodeScalars.map { UInt8(exactly: $0.value) ?? UInt8(ascii: "?") } }
        #expect(
            base.resolve("/ü?q=ü %7e'#ü", query: latin1) == .web(url: "http://h/%C3%BC?q=%FC%20%7e%27", fragment: "ü"))
        let never = { (query: String) -> [UInt8] in
            Issue.record("asked for \(query)")
            return []
        }
        #expect(base.resolve("x?q=%fc#ü", query: never) == .web(url: "http://h/x?q=%fc", fragment: "ü"))
    }

    /// What robots.txt and the scope of an audit compare.
    @Test(arguments: [
        ("http://h/%7euser/%2f%c3%b6?%7e", "/~user/%2F%C3%B6?~"), ("http://h/[x]/100%", "/%5Bx%5D/100%25"),
        ("http://h/a?b?c#d", "/a?b?c"), ("http://h", "/"),
    ])
    func normalForm(written: String, normal: String) throws {
        let url = try #require(WebURL(written))
        #expect(url.normalForm == normal)
        #expect(WebURL.normalized(path: normal) == normal, "the normal form is its own normal form")
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
