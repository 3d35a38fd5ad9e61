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
        #expect(audit.finishes == [Finish(request: "first", outcome: .finished(try #require(Self.expected.summary)))])
        #expect(audit.reports.map(Self.content) == [Self.content(try #require(Self.expected.report))])
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
        let busy = try #require(fleet.effects.first { $0.state == .running && $0.pool == "page-fetcher" })
        #expect(fleet.killWorker(running: busy.id))
        try await fleet.runUntilQuiet()
        #expect(fleet.runs(of: busy.id).map(\.outcome) == [.lost, .finished])
        #expect(audit.reports.map(Self.content) == [Self.content(try #require(Self.expected.report))])
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
        #expect(audit.finishes.last?.outcome == .finished(try #require(Self.expected.summary)))
        #expect(audit.reports.count == 1, "the report is written once")
        for run in fleet.runs where run.effect.isFetch { #expect(fleet.runs(of: run.id).count == 1) }
        try await fleet.finish()
    }

    @Test func thePageThatNeverAnswersIsBroken() async throws {
        let slow = "http://site/5.html"
        let audit = AuditFleet(.ring, pauses: [slow: .seconds(3600)])
        let fleet = audit.fleet()
        fleet.send(.auditRequested(AuditRun.request()))
        try await fleet.runUntilQuiet()
        let request = FetchRequest(url: slow, purpose: .page)
        #expect(fleet.events.contains(.fetchFailed(request, .timedOut)))
        #expect(fleet.runs(of: .fetch(request)).map(\.outcome) == [.cancelled], "its fetcher was told")
        #expect(fleet.deadLetters.map(\.effect) == [.fetch(request)])
        let report = try #require(audit.reports.first)
        #expect(report.broken.contains { $0.link == slow })
        #expect(fleet.now > .seconds(30) && fleet.now < .seconds(60))
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
        let expected = Self.content(try #require(Self.expected.report))
        var audits: [UInt64: AuditFleet] = [:]
        try await TestFleet.check(seeds: 1...20) { seed in
            let audit = AuditFleet(.ring)
            audits[seed] = audit
            return audit.fleet(seed: seed, faults: .all)
        } run: { fleet in
            fleet.send(.auditRequested(AuditRun.request()))
            try await fleet.runUntilQuiet()
            let audit = try #require(audits[fleet.seed])
            for report in audit.reports { try #require(Self.content(report) == expected) }
            try #require(audit.finishes.last?.outcome == .finished(try #require(Self.expected.summary)))
            try #require(fleet.events.count { if case .reportWritten = $0 { true } else { false } } == 1)
        }
    }

    /// What a report says, in an order that does not depend on which answer came first.
    private static func content(_ report: Report) -> Report {
        var report = report
        report.broken.sort { ($0.page, $0.link, $0.line) < ($1.page, $1.link, $1.line) }
        return report
    }
}

extension Audit.Effect {
    fileprivate var isFetch: Bool { if case .fetch = self { true } else { false } }
}
