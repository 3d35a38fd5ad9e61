import MobiusCore
import SiteAudit
import Testing

/// Who is asked when.
@Suite struct PolitenessTests {
    private func wideSite(pages: Int = 60, hosts: Int = 4) -> FakeSite {
        var site = FakeSite()
        let local = (0..<pages).map { FakeSite.Link(written: "p\($0).html") }
        let external = (0..<(pages * hosts)).map { FakeSite.Link(written: "http://host\($0 % hosts)/\($0)") }
        site.page("http://site/", local + external)
        for number in 0..<pages { site.page("http://site/p\(number).html") }
        for number in 0..<(pages * hosts) { site.file("http://host\(number % hosts)/\(number)", "text/html") }
        return site
    }

    @Test func limitsHold() {
        let few = AuditRun.of(wideSite()) { ($0.concurrency, $0.perHost, $0.checksExternal) = (32, 8, false) }
        #expect(few.mostInFlight == 8, "one host")
        let all = AuditRun.of(wideSite()) { ($0.concurrency, $0.perHost, $0.checksExternal) = (32, 8, true) }
        #expect(all.mostInFlight == 32, "five hosts could do forty")
        let one = AuditRun.of(wideSite()) { ($0.concurrency, $0.perHost, $0.checksExternal) = (1, 8, true) }
        #expect(one.mostInFlight == 1)
        #expect(one.report == all.report)
    }

    @Test func hostsTakeTurns() {
        let run = AuditRun.of(wideSite()) { ($0.concurrency, $0.perHost, $0.checksExternal) = (5, 5, true) }
        let hosts = Set(run.requests.dropFirst(2).prefix(10).compactMap { WebURL($0.url)?.origin })
        #expect(hosts.count == 5, "nobody waits for another host's queue")
    }

    @Test func delayIsAPauseBetweenStarts() {
        var site = FakeSite()
        site.page("http://site/", ["a.html", "b.html"])
        var run = AuditRun(site)
        run.send(.auditRequested(AuditRun.request { $0.delay = 500 }))
        run.answerNext()
        #expect(run.waits.map(\.milliseconds) == [500])
        #expect(run.requests.last?.url == "http://site/")
        let firstWait = run.waits[0]
        run.pending.removeAll { $0 == .wait(firstWait) }
        run.answerNext()
        #expect(run.requests.count == 2, "the pause goes on")
        run.send(.waited(firstWait))
        #expect(run.requests.count == 3)
        #expect(run.send(.waited(firstWait)) == .noChange, "the pause told twice")
        #expect(run.requests.count == 3)
        run.answerAll()
        #expect(run.waits.count == 3)
        #expect(run.summary?.links == 2)
    }

    @Test func crawlDelayIsRespectedAndCapped() {
        var site = FakeSite()
        site.robots("http://site", "User-agent: *\nCrawl-delay: 1.5")
        site.page("http://site/", ["a.html"])
        #expect(AuditRun.of(site).waits.map(\.milliseconds) == [1500, 1500])
        site.robots("http://site", "User-agent: *\nCrawl-delay: 86400")
        #expect(AuditRun.of(site).waits.map(\.milliseconds) == [10_000, 10_000])
        #expect(AuditRun.of(site) { $0.delay = 20_000 }.waits.map(\.milliseconds) == [20_000, 20_000])
    }

    @Test func aTimeLimitGoesWithEachRequest() {
        let run = AuditRun.of(wideSite(pages: 2, hosts: 1)) { $0.timeLimit = 2500 }
        #expect(run.requests.allSatisfy { $0.timeLimit == 2500 })
    }
}
