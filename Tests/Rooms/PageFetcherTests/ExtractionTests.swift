import PageFetching
import SiteAudit
import Testing

@Suite("Links and anchors of a page")
struct ExtractionTests {
    struct Case: CustomTestStringConvertible, Sendable {
        let name: String
        let html: String
        /// `line kind written`, one per link.
        let links: [String]
        var testDescription: String { name }
    }

    static let documents = [
        Case(
            name: "a", html: "<p><a href=one>1</a>\n<a href='two'>2</a>", links: ["1 document one", "2 document two"]),
        Case(name: "a without value or address", html: "<a href>x</a><a name=y>y</a>", links: ["1 document "]),
        Case(name: "area", html: "<map><area href=a.html></map>", links: ["1 document a.html"]),
        Case(
            name: "iframe", html: "<iframe src=f.html></iframe><iframe src=''></iframe>", links: ["1 document f.html"]),
        Case(name: "frame", html: "<frameset><frame src=f.html></frameset>", links: ["1 document f.html"]),
        Case(
            name: "meta refresh", html: "<meta http-equiv=REFRESH content=\"0; URL='n.html'\">",
            links: ["1 document n.html"]),
        Case(name: "meta refresh to itself", html: "<meta http-equiv=refresh content=30>", links: []),
        Case(name: "a in graphics", html: "<svg><a xlink:href=g.html></a></svg>", links: ["1 document g.html"]),
        Case(name: "form", html: "<form action=/search></form>", links: []),
    ]

    static let resources = [
        Case(name: "img", html: "<img src=a.png longdesc=a.html>", links: ["1 image a.png", "1 document a.html"]),
        Case(name: "srcset", html: "<img srcset='a.png, b.png 2x'>", links: ["1 image a.png", "1 image b.png"]),
        Case(name: "input", html: "<input type=IMAGE src=a.png><input type=text src=b.png>", links: ["1 image a.png"]),
        Case(
            name: "picture",
            html: "<picture><source srcset=a.webp><img src=a.png></picture><video><source src=v></video>",
            links: ["1 image a.webp", "1 image a.png", "1 other v"]),
        Case(
            name: "video", html: "<video poster=p.png src=v.webm><track src=t.vtt></video><audio src=a.ogg></audio>",
            links: ["1 image p.png", "1 other v.webm", "1 other t.vtt", "1 other a.ogg"]),
        Case(
            name: "object", html: "<object data=o.svg></object><embed src=e.pdf>",
            links: ["1 other o.svg", "1 other e.pdf"]),
        Case(name: "script", html: "<script src=s.js></script><script>x</script>", links: ["1 script s.js"]),
        Case(
            name: "background", html: "<body background=b.png><table background=c.png>",
            links: ["1 image b.png", "1 image c.png"]),
        Case(
            name: "use", html: "<svg><use href='#part'/><use href='all.svg#part'/><image href=i.png /></svg>",
            links: ["1 other all.svg#part", "1 image i.png"]),
    ]

    static let notLinks = [
        Case(name: "comment", html: "<!-- <a href=x> --><!--[if IE]><img src=y><![endif]-->", links: []),
        Case(
            name: "script text",
            html: "<script>w('<a href=\"x\"></a>')</script><style>a:after{content:'<a href=y>'}</style>", links: []),
        Case(
            name: "template", html: "<template><a href=x></a><template><b></b></template><i></i></template><a href=y>",
            links: ["1 document y"]),
        Case(
            name: "shadow root", html: "<template shadowrootmode=open><a href=x></a></template>",
            links: ["1 document x"]),
        Case(
            name: "text elements", html: "<title><a href=x></title><textarea><a href=y></textarea><a href=z>",
            links: ["1 document z"]),
        Case(name: "noscript", html: "<noscript><img src=x></noscript>", links: ["1 image x"]),
        Case(
            name: "other schemes",
            html: "<a href='mailto:a@b'></a><a href='JavaScript:x()'></a><img src='data:,x'><a href='tel:1'>", links: []
        ),
        Case(
            name: "entities", html: "<a href='x?a=1&amp;b=2&copy=3&#38;c=4&nonsense;'>",
            links: ["1 document x?a=1&b=2&copy=3&c=4&nonsense;"]),
        Case(name: "duplicates", html: "<a href=x></a>\n<a href=x></a>", links: ["1 document x", "2 document x"]),
    ]

    static let lines = [
        Case(name: "tag over lines", html: "\n<a\n title='<a href=no>\n'\n href=x\n>\n</a>", links: ["2 document x"]),
        Case(name: "after a comment", html: "<!--\n<a href=no>\n-->\n<a\nhref=x>", links: ["4 document x"]),
        Case(name: "after a script", html: "<script>\n'<a href=no>'\n</script><a\nhref=x>", links: ["3 document x"]),
        Case(name: "longer names first", html: "<abbr>\n<article>\n<a\nhref=x>", links: ["3 document x"]),
        Case(name: "carriage returns", html: "<p>\r\n<p>\r\n<a href=x>", links: ["3 document x"]),
        Case(name: "capitals", html: "<P>\n<A\nHREF=x>", links: ["2 document x"]),
        Case(
            name: "beyond 65,535", html: String(repeating: "\n", count: 70_000) + "<a href=x>",
            links: ["70001 document x"]),
        Case(name: "white space in the address", html: "<a href=' \n x \n '>", links: ["1 document x"]),
    ]

    @Test("finds each kind of link on its line", arguments: documents + resources + notLinks + lines)
    func links(_ example: Case) {
        let links = page(example.html).links.map { "\($0.line) \($0.kind) \($0.written)" }
        #expect(links == example.links)
    }

    @Test("anchors: every id, and the names of a, each once")
    func anchors() {
        let page = page("<h1 id=one><a name=two id=three></a><b name=no></b><p id=one><p id=''><p id='f&uuml;nf x'>")
        #expect(page.anchors == ["one", "three", "two", "fünf x"])
    }

    @Test("addresses are absolute, normalised, and keep their fragment apart")
    func addresses() {
        let page = page("<a href='../b c.html#p%C3%A4'></a><a href='#top'></a><a href='http://[bad/'></a><a href=''>")
        #expect(
            page.links.map(\.url) == [
                "http://site/b%20c.html", "http://site/dir/page.html", nil, "http://site/dir/page.html",
            ])
        #expect(page.links.map(\.fragment) == ["pä", "top", nil, nil])
        #expect(page.links.map(\.written) == ["../b c.html#p%C3%A4", "#top", "http://[bad/", ""])
    }

    @Test(
        "the first base with an address holds for the whole page",
        arguments: [
            ("<a href=x></a><base target=t><base href=/b/><base href=/c/>", "http://site/b/x"),
            ("<base href='//other/d/e'><a href=x>", "http://other/d/x"),
            ("<base href='javascript:x'><a href=x>", "http://site/dir/x"),
            ("<base href='http://[bad/'><a href=x>", "http://site/dir/x"),
        ])
    func base(_ html: String, _ url: String) {
        #expect(page(html).links.map(\.url) == [url])
    }

    @Test(
        "a page that is empty or no HTML has no links",
        arguments: ["", " ", "\0", "plain", "<", "</", "<!", "<a", "<a href", "<?x", "&"])
    func nothing(_ html: String) {
        #expect(page(html).links == [])
    }
}

/// What is found in `html` at `http://site/dir/page.html`.
func page(_ html: String) -> FetchedPage {
    page(Array(html.utf8))
}

/// What is found in `bytes` at `http://site/dir/page.html`.
func page(_ bytes: [UInt8], charset: String? = nil) -> FetchedPage {
    bytes.withUnsafeBytes { PageExtractor.page($0, charset: charset, url: "http://site/dir/page.html") }
}
