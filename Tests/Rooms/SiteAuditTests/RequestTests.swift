import MobiusCore
import SiteAudit
import Testing

/// Asking again: going on, starting afresh, being refused.
@Suite struct RequestTests {
    private var site: FakeSite {
        var site = FakeSite()
        site.page("http://site/", ["a.html", "b.html"])
        site.page("http://site/a.html")
        return site
    }

    @Test func theSameRequestGoesOn() {
        var run = AuditRun(site)
        run.send(.auditRequested(AuditRun.request(id: "first")))
        run.answerNext()
        run.answerNext()
        let asked = run.requests.count
        run.send(.auditRequested(AuditRun.request(id: "second") { $0.time = 5000 }))
        #expect(run.requests.count == asked)
        run.answerAll()
        #expect(run.requests.count == 4)
        #expect(run.finishes.map(\.request) == ["second"])
        #expect(run.report?.started == 1000, "time counts from the first request")
    }

    @Test func anotherRequestIsRefusedMeanwhile() {
        var run = AuditRun(site)
        run.send(.auditRequested(AuditRun.request(id: "first")))
        let change = run.send(.auditRequested(AuditRun.request("http://other/", id: "second")))
        #expect(change.changed == false)
        #expect(run.finishes.map(\.request) == ["second"])
        guard case .refused(let sentence) = run.finishes[0].outcome else { return #expect(Bool(false), "not refused") }
        #expect(sentence.contains("http://site/"))
        run.answerAll()
        #expect(run.finishes.map(\.request) == ["second", "first"])
        #expect(run.summary?.broken == 1)
    }

    @Test func afterTheEndIsTheBeginning() {
        var run = AuditRun.of(site)
        let first = run.report
        run.send(.outcomeSeen("first"))
        run.send(.auditRequested(AuditRun.request(id: "second")))
        run.answerAll()
        #expect(run.requests.count == 8)
        #expect(run.report == first)
        #expect(run.finishes.map(\.request) == ["first", "second"])
    }

    @Test func anOutcomeThatNobodySawIsToldAgain() {
        var run = AuditRun.of(site)
        run.send(.auditRequested(AuditRun.request(id: "second")))
        #expect(run.requests.count == 4, "nothing is fetched again")
        #expect(run.finishes.count == 2)
        #expect(run.finishes[0].outcome == run.finishes[1].outcome)
        #expect(run.send(.outcomeSeen("first")) == .noChange, "an older run")
        run.send(.outcomeSeen("second"))
        #expect(run.send(.outcomeSeen("second")) == .noChange)
    }

    @Test func anUnwrittenReportIsOnlyWrittenAgain() {
        var run = AuditRun(site)
        run.canWrite = false
        run.send(.auditRequested(AuditRun.request(id: "first")))
        run.answerAll()
        guard case .reportFailed(let sentence) = run.finishes[0].outcome else { return #expect(Bool(false), "written") }
        #expect(sentence.contains("--report") && sentence.contains("no space left"))
        run.canWrite = true
        run.send(.auditRequested(AuditRun.request(id: "second") { $0.reportDirectory = "/roomy" }))
        run.answerAll()
        #expect(run.requests.count == 4)
        #expect(run.files?.json == "/roomy/report.json")
        #expect(run.summary?.broken == 1)
    }

    @Test func staleAnswersChangeNothing() {
        var run = AuditRun(site)
        let page = FetchRequest(url: "http://site/", purpose: .page)
        #expect(run.send(.fetched(page, FetchAnswer(status: 200))) == .noChange)
        #expect(run.send(.waited(Wait(origin: "http://site", token: 1, milliseconds: 1))) == .noChange)
        #expect(run.send(.reportFailed("x", report: "first")) == .noChange)
        run.send(.auditRequested(AuditRun.request()))
        #expect(run.send(.fetched(page, FetchAnswer(status: 200))) == .noChange, "not asked for yet")
        run.answerAll()
        #expect(run.send(.fetchFailed(page, .timedOut)) == .noChange, "the audit is over")
    }

    @Test func brokenLinksAreShownAsTheyAreFoundAndCountedByReason() throws {
        var site = FakeSite()
        site.page(
            "http://site/", (0..<60).map { FakeSite.Link(written: "\($0).html") } + [.image("page.html"), "#x", "#y"])
        site.page("http://site/page.html")
        site.failures["http://site/7.html"] = .insecure
        let long = String(repeating: "x", count: 3000)
        site.page("http://site/8.html", [FakeSite.Link(written: "http://[\(long)")])
        for order: AuditRun.Order in [.firstFirst, .lastFirst, .shuffled(seed: 3)] {
            let run = AuditRun.of(site, order: order)
            let found = run.progress.flatMap(\.found)
            #expect(found.count == 20)
            #expect(run.progress.allSatisfy { $0.found.count <= 4 })
            #expect(Set(found.map { "\($0.line) \($0.link)" }).count == 20)
            #expect(found.allSatisfy { $0.note.isEmpty == false && $0.link.utf8.count < 110 })
            let reasons = try #require(run.summary).reasons
            #expect(
                reasons.map { "\($0.count) \($0.reason) \($0.example.link)" } == [
                    "58 404 not found http://site/0.html", "2 no such anchor on the page http://site/#x",
                    "1 not a valid URL http://[\(String(repeating: "x", count: 92))…",
                    "1 not an image, which is wanted there http://site/page.html",
                    "1 the host's certificate is not trusted http://site/7.html",
                ])
            #expect(reasons.map(\.count).reduce(0, +) == run.summary?.broken)
        }
    }

    @Test func progressIsShownNowAndThen() {
        var site = FakeSite()
        site.page("http://site/", (0..<2000).map { FakeSite.Link(written: "\($0).html") })
        for number in 0..<2000 { site.page("http://site/\(number).html") }
        let run = AuditRun.of(site)
        #expect(60...200 ~= run.progress.count)
        #expect(run.progress.last?.checked == 2001)
        #expect(run.progress.last?.known == 2001)
    }
}
