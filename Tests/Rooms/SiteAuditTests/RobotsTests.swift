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
        // percent-encoding does not matter
        ("User-agent: *\nDisallow: /%7Euser", "/~user", false), ("User-agent: *\nDisallow: /ü", "/%C3%BC", false),
        ("User-agent: *\nDisallow: /a%2fb", "/a/b", true),
        // what makes no sense is skipped; line ends of all kinds; byte order mark
        ("\u{FEFF}User-agent: *\r\nnonsense\r\nDisallow: /a\rSitemap: x\nCrawl-delay: y", "/a", false),
        ("User-agent: *\nSitemap: http://site/map\nDisallow: /a", "/a", false),
    ])
    func table(robots: String, path: String, expected: Bool) {
        #expect(allows(robots, path) == expected)
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
