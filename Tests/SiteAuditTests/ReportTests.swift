import Foundation
import SiteAudit
import Testing

/// Both files of a report.
@Suite struct ReportTests {
    private let evil = "http://site/\"><script>alert('x')</script>&amp;"

    private var report: Report {
        Report(
            start: "http://site/", directory: "/r", started: 0, pages: 2, links: 1234, addresses: 900, disallowed: 1,
            unchecked: 3,
            broken: [
                BrokenLink(page: "http://site/a", link: "http://site/gone", line: 3, reason: "not found", status: 404),
                BrokenLink(
                    page: "http://site/a", link: evil, line: 4, reason: "no anchor “<b>\u{7}\n” on that page",
                    status: nil),
                BrokenLink(
                    page: "http://site/b", link: "javascript:alert(1)//[", line: 5, reason: "not a valid URL",
                    status: nil),
            ],
            redirects: [
                RedirectedLink(
                    page: "http://site/b", link: "http://site/x", line: 9, target: "http://site/y#z", status: 301)
            ])
    }

    @Test func jsonHasExactlyThisShape() {
        var report = report
        report.broken.removeLast(2)
        #expect(
            report.json(seconds: 2.34567) == """
                {
                  "start": "http://site/",
                  "pages": 2,
                  "links": 1234,
                  "broken": [
                    {"page": "http://site/a", "link": "http://site/gone", "line": 3, "reason": "not found", "status": 404}
                  ],
                  "redirects": [
                    {"page": "http://site/b", "link": "http://site/x", "line": 9, "target": "http://site/y#z", "status": 301}
                  ],
                  "seconds": 2.346
                }

                """)
        report.broken = []
        report.redirects = []
        #expect(report.json(seconds: .nan).contains("\"broken\": [],\n  \"redirects\": [],\n  \"seconds\": 0.0\n"))
    }

    @Test func jsonIsReadBackByOthers() throws {
        struct Read: Decodable {
            struct Row: Decodable {
                var page, link, reason: String
                var line: Int
                var status: Int?
            }
            var start: String
            var pages, links: Int
            var broken: [Row]
            var seconds: Double
        }
        let read = try JSONDecoder().decode(Read.self, from: Data(report.json(seconds: 1).utf8))
        #expect(read.broken.map(\.link) == report.broken.map(\.link))
        #expect(read.broken.map(\.reason) == report.broken.map(\.reason))
        #expect(read.broken.map(\.status) == [404, nil, nil])
    }

    @Test func htmlEscapesWhatComesFromElsewhere() {
        var report = report
        report.start = "http://site/<i>"
        let html = report.html(seconds: 75)
        #expect(html.contains("<script>alert") == false)
        #expect(html.contains("&quot;&gt;&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;&amp;amp;"))
        #expect(html.contains("no anchor “&lt;b&gt;"))
        #expect(html.contains("http://site/<i>") == false)
        #expect(html.contains("href=\"javascript:") == false, "only http and https are ever linked")
        #expect(html.contains("javascript:alert(1)//["))
    }

    @Test func htmlSaysWhatPeopleWantToKnow() {
        let html = report.html(seconds: 75)
        #expect(html.contains("<title>3 broken links – http://site/</title>"))
        #expect(html.contains("<b>1\u{202F}234</b>"))
        #expect(html.contains("1 min 15 s"))
        #expect(html.contains("3 links to other sites not checked"))
        #expect(html.contains("1 address left alone"))
        #expect(html.components(separatedBy: "<details open><summary>").count == 3, "two pages with broken links")
        #expect(html.contains("<span>line </span>3"))
        #expect(html.contains("id=\"filter\""))
        for outside in ["src=\"http", "url(http", "@import", "<link"] { #expect(html.contains(outside) == false) }
    }

    @Test func htmlOfAFlawlessSite() {
        let html = Report(start: "http://site/", directory: "/r", started: 0, pages: 1, links: 1).html(seconds: 0.04)
        #expect(html.contains("<title>No broken links – http://site/</title>"))
        #expect(html.contains("1 link on 1 page, and each leads somewhere."))
        #expect(html.contains("0.0 s"))
        #expect(html.contains("id=\"filter\"") == false)
    }
}
