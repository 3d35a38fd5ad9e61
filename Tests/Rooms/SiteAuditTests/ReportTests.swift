import Foundation
import SiteAudit
import Testing

/// Both files of a report.
@Suite struct ReportTests {
    private let evil = "http://site/\"><script>alert('x')</script>&amp;"

    private var report: Report {
        Report(
            Self.head {
                ($0.pages, $0.links, $0.addresses, $0.disallowed, $0.unchecked) = (2, 1234, 900, 1, 3)
                ($0.broken, $0.redirects) = (3, 1)
            },
            [
                .broken("http://site/a", "http://site/gone", line: 3, "not found", 404, group: 2),
                .broken("http://site/a", evil, line: 4, "no anchor “<b>\u{7}\n” on that page"),
                .broken("http://site/b", "javascript:alert(1)//[", line: 5, "not a valid URL", group: 1),
                .redirect("http://site/b", "http://site/x", line: 9, "http://site/y#z", 301, group: 1),
            ])
    }

    private static func head(_ adjust: (inout Summary) -> Void) -> ReportHead {
        var summary = Summary()
        adjust(&summary)
        return ReportHead(start: "http://site/", directory: "/r", started: 0, summary: summary)
    }

    @Test func jsonHasExactlyThisShape() {
        var report = report
        report.rows.removeSubrange(1...2)
        #expect(
            report.json(seconds: 2.34567) == """
                {
                  "start": "http://site/",
                  "pages": 2,
                  "links": 1234,
                  "disallowed": 1,
                  "broken": [
                    {"page": "http://site/a", "link": "http://site/gone", "line": 3, "reason": "not found", "status": 404}
                  ],
                  "redirects": [
                    {"page": "http://site/b", "link": "http://site/x", "line": 9, "target": "http://site/y#z", "status": 301}
                  ],
                  "unread": [],
                  "seconds": 2.346
                }

                """)
        report.rows = [report.rows[1]]
        #expect(report.json(seconds: 1).contains("\"broken\": [],\n  \"redirects\": [\n    {\"page\""))
        report.rows = []
        #expect(
            report.json(seconds: .nan).contains(
                "\"broken\": [],\n  \"redirects\": [],\n  \"unread\": [],\n  \"seconds\": 0.0\n"))
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
        report.head.start = "http://site/<i>"
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
        #expect(
            html.components(separatedBy: "<details open><summary>").count == 4,
            "two pages with broken links, one with redirects")
        #expect(html.contains("<span>line </span>3"))
        #expect(html.contains("class=\"filter\""))
        for outside in ["src=\"http", "url(http", "@import", "<link"] { #expect(html.contains(outside) == false) }
    }

    @Test func manyRowsStayFolded() {
        var report = report
        report.rows = (1...101).map {
            .broken("http://site/", "http://site/\($0)", line: $0, "not found", 404, group: $0 == 1 ? 101 : nil)
        }
        report.head.summary.broken = 101
        let html = report.html(seconds: 1)
        #expect(html.contains("<details open") == false)
        #expect(html.contains("<span class=\"badge\">101</span>"))
    }

    @Test func eachRowIsOneLineOfTheTextThatTheScriptReads() {
        let html = report.html(seconds: 1)
        let lists = html.components(separatedBy: "<noscript>\n").dropFirst().map {
            $0.components(separatedBy: "</noscript>")[0]
        }
        #expect(lists.count == 2)
        for list in lists {
            for line in list.split(separator: "\n") {
                #expect(["<details", "<table>", "<tr>", "</table>"].contains { line.hasPrefix($0) }, "\(line)")
            }
        }
    }

    @Test func htmlOfAFlawlessSite() {
        let head = Self.head { ($0.pages, $0.links) = (1, 1) }
        let html = Report(head, []).html(seconds: 0.04)
        #expect(html.contains("<title>No broken links – http://site/</title>"))
        #expect(html.contains("1 link on 1 page, and each leads somewhere."))
        #expect(html.contains("0.0 s"))
        #expect(html.contains("class=\"filter\"") == false)
    }
}

extension Report {
    fileprivate func json(seconds: Double) -> String {
        var json = ReportJSON(head)
        return json.opening + rows.map { json.row($0) }.joined() + json.closing(seconds: seconds)
    }

    /// As a writer streams it.
    fileprivate func html(seconds: Double) -> String {
        var html = ReportHTML(head, seconds: seconds)
        return html.opening + rows.map { html.row($0) }.joined() + html.closing
    }
}
