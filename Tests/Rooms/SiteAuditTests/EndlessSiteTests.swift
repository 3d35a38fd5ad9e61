import SiteAudit
import Testing

/// A site that makes a new link for each page is stopped by a limit, which is said.
@Suite struct EndlessSiteTests {
    /// A calendar: each month leads to the next.
    private func calendar(_ pages: Int) -> FakeSite {
        var site = FakeSite()
        site.page("http://site/", ["0"])
        for number in 0..<pages { site.page("http://site/\(number)", [FakeSite.Link(written: "\(number + 1)"), "/"]) }
        return site
    }

    @Test func depthStopsACalendar() throws {
        let run = AuditRun.of(calendar(200)) { ($0.depth, $0.maxPages) = (50, 1_000) }
        let summary = try #require(run.summary)
        #expect(summary.pages == 51)
        #expect(summary.cutShort == CutShort(pages: 1, limit: .depth, value: 50))
        #expect(
            summary.cutShort?.sentence
                == "stopped by --depth 50: 1 page that was found was not crawled; a higher --depth crawls more")
    }

    @Test func theNumberOfPagesStopsIt() throws {
        let run = AuditRun.of(calendar(200)) { ($0.depth, $0.maxPages) = (1_000, 20) }
        #expect(run.summary?.pages == 20)
        #expect(run.summary?.cutShort == CutShort(pages: 1, limit: .maxPages, value: 20))
        #expect(run.summary?.cutShort?.sentence.contains("--max-pages 20") == true)
    }

    @Test func aSiteWithinItsLimitsIsWhole() {
        let run = AuditRun.of(calendar(20)) { ($0.depth, $0.maxPages) = (1_000, 200_000) }
        #expect(run.summary?.pages == 21)
        #expect(run.summary?.cutShort == nil)
    }

    @Test func theReportSaysSo() throws {
        let run = AuditRun.of(calendar(20)) { $0.depth = 5 }
        let head = try #require(run.report?.head)
        #expect(ReportHTML(head, seconds: 1).opening.contains("stopped by --depth 5: 1 page that"))
        let json = ReportJSON(head).opening
        #expect(json.contains("\"cutShort\": {\"limit\": \"--depth\", \"value\": 5, \"pages\": 1},\n"))
    }
}
