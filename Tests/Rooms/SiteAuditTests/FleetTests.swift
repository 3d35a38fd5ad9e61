import MobiusCore
import MobiusTestKit
import SiteAudit
import Testing

/// Whole audits with the coordinator's own routes, in virtual time, and what befalls their processes.
@Suite struct FleetTests {
    /// What the audit finds when nothing goes wrong, by the pure program alone.
    private static let expected = AuditRun.of(.ring)

    @Test func aWholeAudit() async throws {
        let audit = AuditFleet(.ring)
        let fleet = audit.fleet()
        fleet.send(.auditRequested(AuditRun.request()))
        try await fleet.runUntilQuiet()
        #expect(audit.finishes == Self.expected.finishes)
        #expect(audit.reports == [try #require(Self.expected.report)])
        #expect(Set(audit.fetched.map(\.url)) == Set(Self.expected.requests.map(\.url)))
        #expect(audit.progress.last?.pages == Self.expected.summary?.pages)
        #expect(fleet.deadLetters.isEmpty)
        try await fleet.finish()
    }

    @Test func aFetcherIsKilledInTheMiddle() async throws {
        let audit = AuditFleet(.ring)
        let fleet = audit.fleet()
        fleet.send(.auditRequested(AuditRun.request()))
        try await fleet.run(untilTrue: audit.fetched.count == 6)
        // One that is running as far as is on disk may have ended: nobody runs it.
        let busy = fleet.effects.first { $0.pool == "page-fetcher" && fleet.killWorker(running: $0.id) }
        try await fleet.runUntilQuiet()
        #expect(fleet.runs(of: try #require(busy).id).map(\.outcome) == [.lost, .finished])
        #expect(audit.reports == [try #require(Self.expected.report)])
        try await fleet.finish()
    }

    @Test func aWriterIsKilledBetweenPartsAndItsDiskIsLost() async throws {
        var site = FakeSite()
        let long = String(repeating: "long-", count: 40)
        site.page("http://site/", (0..<2000).map { FakeSite.Link(written: "http://[\(long)\($0)") })
        let expected = AuditRun.of(site)
        let audit = AuditFleet(site)
        let fleet = audit.fleet(writers: 2)
        fleet.send(
            .auditRequested(
                AuditRun.request {
                    $0.concurrency = 2000; $0.perHost = 2000
                }))
        try await fleet.run(untilTrue: fleet.events.count { $0.isPartWritten } >= 3)
        for writer in 0...1 { fleet.killWorker(writer, in: "report-writer") }
        try await fleet.runUntilQuiet()
        #expect(fleet.events.contains { if case .partsMissing = $0 { true } else { false } })
        #expect(audit.reports == [try #require(expected.report)])
        #expect(audit.finishes.last?.outcome == expected.finishes.last?.outcome)
        try await fleet.finish()
    }

    @Test(arguments: TestFleet<Audit>.CoordinatorMoment.allCases)
    func theCoordinatorIsKilled(at moment: TestFleet<Audit>.CoordinatorMoment) async throws {
        let audit = AuditFleet(.ring)
        let fleet = audit.fleet()
        fleet.send(.auditRequested(AuditRun.request()))
        try await fleet.run(untilTrue: audit.fetched.count == 6)
        fleet.killCoordinator(at: moment)
        try await fleet.runUntilQuiet()
        #expect(fleet.trace.contains { $0.contains("coordinator#2") })
        #expect(audit.finishes.last?.outcome == Self.expected.finishes.last?.outcome)
        #expect(audit.reports.count == 1, "the report is written once")
        for run in fleet.runs where run.effect.isFetch { #expect(fleet.runs(of: run.id).count == 1) }
        try await fleet.finish()
    }

    @Test func aPageAtWhichEveryWorkerHangsIsTheWorkersFault() async throws {
        let slow = "http://site/5.html"
        let audit = AuditFleet(.ring, pauses: [slow: .seconds(3600)])
        let fleet = audit.fleet()
        fleet.send(.auditRequested(AuditRun.request()))
        try await fleet.runUntilQuiet()
        let request = FetchRequest(url: slow, purpose: .page)
        #expect(fleet.events.contains(.fetchFailed(request, .workerTimedOut)))
        #expect(fleet.runs(of: .fetch(request)).map(\.outcome) == Array(repeating: .cancelled, count: 5))
        #expect(fleet.deadLetters.map(\.effect) == [.fetch(request)])
        let report = try #require(audit.reports.first)
        let row = try #require(report.broken.first { $0.link == slow })
        #expect(row.reason.contains("page-fetcher"), "\(row)")
        try await fleet.finish()
    }

    @Test func workersThatHangFailNoAudit() async throws {
        let audit = AuditFleet(.ring, hangsOnce: true)
        let fleet = audit.fleet(fetchers: 3)
        fleet.send(.auditRequested(AuditRun.request()))
        try await fleet.runUntilQuiet()
        #expect(audit.reports == [try #require(Self.expected.report)])
        #expect(fleet.deadLetters.isEmpty)
        try await fleet.finish()
    }

    @Test(arguments: [0, 3, 12])
    func aSiteThatIsDownForAWhileLosesNoLink(from start: Int) async throws {
        var site = FakeSite()
        site.page("http://site/", (0..<60).map { FakeSite.Link(written: "\($0).html") })
        for number in 0..<60 { site.page("http://site/\(number).html", ["/", "gone.html"]) }
        let seconds = start == 0 ? 3 : 12
        let audit = AuditFleet(site, outage: .seconds(start) ... .seconds(start + seconds))
        let fleet = audit.fleet()
        fleet.send(.auditRequested(AuditRun.request { $0.perHost = 2 }))
        try await fleet.runUntilQuiet()
        let report = try #require(audit.reports.first)
        #expect(Set(report.broken.map(\.link)) == ["http://site/gone.html"])
        #expect(report.pages == 61)
        try await fleet.finish()
    }

    @Test func aServerIsGivenItsRest() async throws {
        let audit = AuditFleet(.ring)
        let fleet = audit.fleet()
        fleet.send(.auditRequested(AuditRun.request { $0.delay = 60_000 }))
        try await fleet.runUntilQuiet()
        let times = audit.fetched.map(\.at)
        #expect(times.count == Self.expected.requests.count)
        // Between pages; robots.txt comes first, and the start right after it.
        for (time, next) in zip(times.dropFirst(), times.dropFirst(2)) {
            // The pause is counted from one order to the next, and their ways differ by milliseconds.
            #expect(next - time > .milliseconds(59_900))
        }
        try await fleet.finish()
    }

    @Test func whateverGoesWrongTheReportIsTheSame() async throws {
        let expected = try #require(Self.expected.report)
        var audits: [UInt64: AuditFleet] = [:]
        try await TestFleet.check(seeds: 1...20) { seed in
            let audit = AuditFleet(.ring)
            audits[seed] = audit
            return audit.fleet(seed: seed, faults: .all)
        } run: { fleet in
            fleet.send(.auditRequested(AuditRun.request()))
            try await fleet.runUntilQuiet()
            let audit = try #require(audits[fleet.seed])
            for report in audit.reports { try #require(report == expected) }
            try #require(audit.finishes.last?.outcome == Self.expected.finishes.last?.outcome)
            try #require(fleet.events.count { if case .reportWritten = $0 { true } else { false } } == 1)
        }
    }

}

extension Audit.Event {
    fileprivate var isPartWritten: Bool { if case .partWritten = self { true } else { false } }
}

extension Audit.Effect {
    fileprivate var isFetch: Bool { if case .fetch = self { true } else { false } }
}
