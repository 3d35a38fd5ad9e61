import Foundation
import MobiusCore
import SiteAudit
import Testing

/// The model in a snapshot.
@Suite struct ModelCodingTests {
    private func coded(_ model: Audit.Model) throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return try encoder.encode(model)
    }

    @Test func everyModelOnTheWayIsReadBackAsItWas() throws {
        var site = FakeSite()
        site.robots("http://site", "User-agent: *\nCrawl-delay: 1\nDisallow: /no")
        site.page(
            "http://site/", ["a.html#x", "moved", "no", "http://[bad", .image("http://elsewhere/ü.png")], anchors: ["x"]
        )
        site.page("http://site/a.html", ["/#x", "/#y", "late.html#z"], anchors: ["äöü", "x%20y"])
        site.redirect("http://site/moved", to: "http://site/a.html#x y")
        var run = AuditRun(site)
        run.send(
            .auditRequested(
                AuditRun.request {
                    $0.checksExternal = true
                    $0.maxPages = 3
                }))
        while run.pending.isEmpty == false {
            run.answerNext()
            let data = try coded(run.model)
            let copy = try JSONDecoder().decode(Audit.Model.self, from: data)
            #expect(copy == run.model)
            #expect(try coded(copy) == data, "one model, one text")
        }
        #expect(run.summary?.pages == 2)
    }

    @Test func damagedColumnsAreAnErrorNotACrash() throws {
        var run = AuditRun(FakeSite())
        run.send(.auditRequested(AuditRun.request()))
        run.answerNext()
        let text = String(decoding: try coded(run.model), as: UTF8.self)
        for (key, damage) in [
            ("records", "####"), ("records", ""), ("records", "gICA"), ("ends", "AQ=="), ("places", "BP8="),
        ] {
            let damaged = text.replacing(try Regex("\"\(key)\":\"[^\"]*\""), with: "\"\(key)\":\"\(damage)\"")
            #expect(damaged != text)
            #expect(throws: DecodingError.self) { try JSONDecoder().decode(Audit.Model.self, from: Data(damaged.utf8)) }
        }
    }

    @Test func aFinishedAuditLeavesLittle() throws {
        var site = FakeSite()
        site.page("http://site/", (0..<500).map { FakeSite.Link(written: "\($0).html") })
        let run = AuditRun.of(site)
        #expect(run.summary?.broken == 500)
        #expect(try coded(run.model).count < 2000)
    }

    @Test func eventsAndEffectsTravelAsJSON() throws {
        let link = FetchedLink(written: "x", url: nil, fragment: nil, line: 3, kind: .other)
        let answer = FetchAnswer(status: 200, page: FetchedPage(links: [link], anchors: ["a"]))
        let request = FetchRequest(url: "http://site/", purpose: .page, timeLimit: 10)
        let events: [Audit.Event] = [
            .auditRequested(AuditRun.request()), .fetched(request, answer), .fetchFailed(request, .insecure),
            .waited(Wait(origin: "http://site", token: 1, milliseconds: 2)), .outcomeSeen("x"),
            .reportFailed("full", report: "x"), .partWritten(report: "x", number: 1),
            .partsMissing(report: "x", numbers: [1, 2]),
            .reportWritten(ReportFiles(json: "a", html: "b", seconds: 1)),
        ]
        #expect(try JSONDecoder().decode([Audit.Event].self, from: JSONEncoder().encode(events)) == events)
        let broken = (1...2000).map {
            ReportRow.broken(
                "http://site/\($0 / 100)", "http://site/gone", line: $0, "not found", $0 % 2 == 0 ? 404 : nil)
        }
        let moved = ReportRow.redirect("http://site/", "http://site/a", line: 1, "http://b/", 308)
        let part = ReportPart(report: "x", directory: "/r", number: 3, rows: ReportRows(broken + [moved]))
        let head = ReportHead(start: "http://site/", directory: "/r", started: 1.5, summary: Summary())
        let effects: [Audit.Effect] = [
            .writePart(part), .fetch(request), .assembleReport(ReportAssembly(report: "x", parts: 4, head: head)),
        ]
        let data = try JSONEncoder().encode(effects)
        #expect(try JSONDecoder().decode([Audit.Effect].self, from: data) == effects)
        #expect(data.count < 60_000, "2,000 links travel as \(data.count) bytes")
    }
}
