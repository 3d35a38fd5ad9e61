import Foundation
import SiteAudit
import Testing

/// `robots.txt`, as RFC 9309 has it.
@Suite struct RobotsTests {
    private func allows(_ robots: String, _ path: String) -> Bool {
        guard let url = WebURL("http://site\(path)") else { return false }
        return RobotsRules(robots).allows(url)
    }

    @Test(arguments: [
        ("", "/x", true), ("User-agent: *\nDisallow: /", "/x", false), ("User-agent: *\nDisallow:", "/x", true),
        ("User-agent: *\nDisallow: /", "/robots.txt", true),
        ("user-agent:*\ndisallow:/a", "/a/b", false), ("User-Agent: *\nDISALLOW: /a # why", "/abc", false),
        ("User-agent: other\nDisallow: /", "/x", true), ("Disallow: /", "/x", true),
        // our own group wins over everybody's, even when it is empty
        ("User-agent: *\nDisallow: /\nUser-agent: site-audit\nAllow: /", "/x", true),
        ("User-agent: Site-Audit/1.0\nDisallow:\n\nUser-agent: *\nDisallow: /", "/x", true),
        ("User-agent: site-audit-pro\nDisallow: /", "/x", true),
        // several agents share a group; groups of one agent are merged
        ("User-agent: a\nUser-agent: site-audit\nDisallow: /x", "/x", false),
        (
            "User-agent: site-audit\nDisallow: /a\n\nUser-agent: b\nDisallow: /c\nUser-agent: site-audit\nDisallow: /b",
            "/b", false
        ),
        (
            "User-agent: site-audit\nDisallow: /a\n\nUser-agent: b\nDisallow: /c\nUser-agent: site-audit\nDisallow: /b",
            "/c", true
        ),
        // the longest match decides, Allow among equals
        ("User-agent: *\nDisallow: /a\nAllow: /a/b", "/a/b/c", true),
        ("User-agent: *\nAllow: /a\nDisallow: /a/b", "/a/b/c", false),
        ("User-agent: *\nDisallow: /a\nAllow: /a", "/a", true), ("User-agent: *\nAllow: /a\nDisallow: /a", "/a", true),
        // wildcards
        ("User-agent: *\nDisallow: /*.gif$", "/x/y.gif", false),
        ("User-agent: *\nDisallow: /*.gif$", "/x/y.gif?z", true),
        ("User-agent: *\nDisallow: /a*c", "/abbbcd", false), ("User-agent: *\nDisallow: /a*c*e", "/abcd", true),
        ("User-agent: *\nDisallow: /$", "/", false), ("User-agent: *\nDisallow: /$", "/x", true),
        ("User-agent: *\nDisallow: *", "/x", false), ("User-agent: *\nDisallow: /*?", "/x", true),
        ("User-agent: *\nDisallow: /*?", "/x?y", false), ("User-agent: *\nDisallow: /a**b", "/aXb", false),
        ("User-agent: *\nDisallow: /*aaaa*aaaa*aaaa*b", "/aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", true),
        // RFC 9309, 2.2.2 and 2.2.3: an escape and its character are one
        ("User-agent: *\nDisallow: /%7Euser", "/~user", false), ("User-agent: *\nDisallow: /~user", "/%7euser", false),
        ("User-agent: *\nDisallow: /ü", "/%c3%bc", false), ("User-agent: *\nDisallow: /%c3%bc", "/ü", false),
        ("User-agent: *\nDisallow: /foo/bar/%62%61%7A", "/foo/bar/baz", false),
        ("User-agent: *\nDisallow: /q/%5Bx%5D", "/q/[x]", false),
        ("User-agent: *\nDisallow: /q/[x]", "/q/%5bx%5d", false),
        ("User-agent: *\nDisallow: /a%2Cb%3a%40", "/a,b:@", false),
        ("User-agent: *\nDisallow: /100%", "/100%25", false),
        ("User-agent: *\nDisallow: /a b|", "/a%20b%7c", false),
        ("User-agent: *\nDisallow: /x?u=https%3A%2F%2Fh", "/x?u=https://h", false),
        ("User-agent: *\nDisallow: /x?u=https://h", "/x?u=https%3a%2f%2Fh", false),
        // …but for those that separate parts
        ("User-agent: *\nDisallow: /a%2fb", "/a/b", true), ("User-agent: *\nDisallow: /a%2fb", "/a%2Fb", false),
        ("User-agent: *\nDisallow: /a%3Fb", "/a?b", true), ("User-agent: *\nDisallow: /?a=b%26c", "/?a=b&c", true),
        // %2A and %24 are the characters
        ("User-agent: *\nDisallow: /star-%2A.html", "/star-*.html", false),
        ("User-agent: *\nDisallow: /star-%2a.html", "/star-%2A.html", false),
        ("User-agent: *\nDisallow: /star-%2A.html", "/star-other.html", true),
        ("User-agent: *\nDisallow: /a%24", "/a$b", false), ("User-agent: *\nDisallow: /a%24", "/a%24", false),
        ("User-agent: *\nDisallow: /a%24", "/a", true), ("User-agent: *\nDisallow: /a$b", "/a%24b", false),
        ("User-agent: *\nDisallow: /a$$", "/a$", false), ("User-agent: *\nDisallow: /a$$", "/a$b", true),
        ("User-agent: *\nDisallow: /*%2A$", "/x*", false), ("User-agent: *\nDisallow: /*%2A$", "/x", true),
        // the octets of the pattern count, however it is written
        ("User-agent: *\nAllow: /~abc\nDisallow: /%7Eabc", "/~abc", true),
        ("User-agent: *\nAllow: /ab\nDisallow: /%61%62c", "/abc", false),
        ("User-agent: *\nAllow: /ü\nDisallow: /*/ab", "/ü/ab", true),
        // lines end in LF, CR or both, and in nothing else; a mark, comments and white space do not count
        ("\u{FEFF}User-agent: *\r\nnonsense\r\nDisallow: /a\rSitemap: x\nCrawl-delay: y", "/a", false),
        ("User-agent: *\nDisallow: /a\u{85}\u{2028}b", "/a\u{85}\u{2028}b", false),
        ("  User-agent\t: * # all\n\tDisallow :\t/a#b\n", "/a", false),
        ("User-agent: *\nDisallow: /a\u{A0}", "/a", true),
        ("# Disallow: /\nUser-agent: *\n#Disallow: /", "/a", true),
        // other lines end no group, and do not come between the agents of one
        ("User-agent: *\nSitemap: http://site/map\nDisallow: /a", "/a", false),
        ("User-agent: *\nAllow: /b\n\nSitemap: x\nHost: y\nDisallow: /a", "/a", false),
        ("User-agent: site-audit\nSitemap: x\nCrawl-delay: 1\nUser-agent: b\nDisallow: /a", "/a", false),
        ("User-agent: site-audit\nDisallow:\nUser-agent: b\nDisallow: /a", "/a", true),
        // product tokens, in any case
        ("User-agent: SITE-AUDIT (+http://site)\nDisallow: /a", "/a", false),
        ("User-agent: site_audit\nDisallow: /a", "/a", true), ("User-agent: *bot\nDisallow: /a", "/a", true),
        ("User-agent: Mozilla site-audit\nDisallow: /a", "/a", true), ("User-agent: * x\nDisallow: /a", "/a", false),
        ("User-agent:\nDisallow: /a", "/a", true),
        // rules that cannot match anything
        ("User-agent: *\nDisallow: a", "/a", true), ("User-agent: *\nAllow:\nDisallow: /a", "/a", false),
    ])
    func table(robots: String, path: String, expected: Bool) {
        #expect(allows(robots, path) == expected)
    }

    /// RFC 9309, 2.5: at least 500 kibibytes.
    @Test func large() {
        let comment = "#" + String(repeating: "x", count: 300_000) + "\n"
        let rules = (0..<20_000).map { "Disallow: /dir-\($0)/*.html$\n" }.joined()
        let robots = "User-agent: *\n" + comment + rules + comment + "Disallow: /last"
        #expect(allows(robots, "/last") == false)
        #expect(allows(robots, "/dir-19999/x.html") == false)
        #expect(allows(robots, "/dir-19999/x.htm"))
    }

    @Test func rulesAreTheSameAfterCoding() throws {
        let rules = RobotsRules("User-agent: *\nAllow: /a/%2A\nDisallow: /a$\nDisallow: /*/*\nCrawl-delay: 1")
        let decoded = try JSONDecoder().decode(RobotsRules.self, from: JSONEncoder().encode(rules))
        #expect(decoded == rules)
    }

    @Test func crawlDelay() {
        #expect(RobotsRules("User-agent: *\nCrawl-delay: 2").crawlDelay == 2000)
        #expect(RobotsRules("User-agent: *\nCrawl-delay: 0.25").crawlDelay == 250)
        #expect(RobotsRules("User-agent: site-audit\nDisallow:\nUser-agent: *\nCrawl-delay: 2").crawlDelay == nil)
        #expect(RobotsRules("User-agent: *\nCrawl-delay: -1").crawlDelay == nil)
        #expect(RobotsRules("User-agent: *\nCrawl-delay: nan").crawlDelay == nil)
        #expect(RobotsRules("User-agent: *\nCrawl-delay: inf").crawlDelay == nil)
        #expect(RobotsRules.allowAll.crawlDelay == nil)
    }
}
