import FleetTestSupport
import Foundation
import TestTraits
import Testing

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Site Audit as users run it: real executables, a real site, real kills.
@Suite(.patient, .serialized)
struct SiteAuditTests {
    /// What an undisturbed audit of the synthetic site finds.
    private func undisturbed(_ site: Site) async throws -> AuditReport {
        let fleet = try AuditFleet(auditing: site.url)
        let workers = [try fleet.fetcher(), try fleet.writer()]
        let coordinator = try fleet.coordinator()
        #expect(try await coordinator.end() == .exited(1))
        withExtendedLifetime(workers) {}
        return try AuditReport(in: fleet.report).timeless
    }

    @Test func theSampleSitesDefectsAreFoundAllAndNoOthers() async throws {
        let site = try await Site.sample()
        let fleet = try AuditFleet(auditing: site.url, options: ["--timeout", "6"])
        let workers = [try fleet.fetcher(), try fleet.writer()]
        let coordinator = try fleet.coordinator()
        #expect(try await coordinator.end() == .exited(1))
        withExtendedLifetime(workers) {}
        let report = try AuditReport(in: fleet.report)
        let expected = try ExpectedReport(of: site)
        #expect(report.broken == expected.broken)
        #expect(report.redirects == expected.redirects)
        #expect(FileManager.default.fileExists(atPath: fleet.report + "/report.html"))
    }

    @Test func aFetcherKilledInMidAuditChangesNothing() async throws {
        let site = try await Site.synthetic(pages: 300, delay: 5)
        let expected = try await undisturbed(site)
        let fleet = try AuditFleet(auditing: site.url)
        let writer = try fleet.writer()
        let victim = try fleet.fetcher()
        let coordinator = try fleet.coordinator()
        let before = try site.requests.count
        try await site.wait(forRequests: before + 100)
        try await victim.kill()
        let successor = try fleet.fetcher()
        #expect(try await coordinator.end() == .exited(1))
        #expect(try AuditReport(in: fleet.report).timeless == expected)
        withExtendedLifetime([writer, successor]) {}
    }

    @Test func aCoordinatorKilledInMidAuditResumesAndFetchesNothingTwice() async throws {
        let site = try await Site.synthetic(pages: 300, delay: 5, pausingAt: [100])
        let fleet = try AuditFleet(auditing: site.url, options: AuditFleet.patient)
        let workers = [try fleet.fetcher(), try fleet.writer()]
        let first = try fleet.coordinator()
        try await site.waitForPause()
        try await first.kill()
        site.resume()
        let second = try fleet.coordinator()
        #expect(try await second.end() == .exited(1))
        withExtendedLifetime(workers) {}
        #expect(try site.repeated == [])
        let report = try AuditReport(in: fleet.report).timeless
        #expect(try await undisturbed(try await Site.synthetic(pages: 300)).broken.count == report.broken.count)
        #expect(report.pages == 300)
        #expect(report.broken.count == 6)
    }

    @Test func aWholeFleetKilledInMidAuditGoesOnWithTheSameCommand() async throws {
        let site = try await Site.synthetic(pages: 300, delay: 5, pausingAt: [100])
        let folder = try TestFolder()
        let command =
            [
                "up", Repository.path("Deploy/site-audit.yaml"), "--", "--start", site.url, "--report",
                folder.file("report"), "--journal", folder.file("journal"),
            ] + AuditFleet.patient
        // Where nobody looks who asks which fleets run.
        let place = ["MOBIUS_RUNTIME_DIR": folder.path]
        let first = try TestProcess("mobius", command, environment: place)
        try await site.waitForPause()
        try await first.kill()
        site.resume()
        let second = try TestProcess("mobius", command, environment: place)
        #expect(try await second.end() == .exited(1))
        let report = try AuditReport(in: folder.file("report"))
        #expect(report.pages == 300)
        #expect(report.broken.count == 6)
        // What was under way when everything died is asked for again; what had been answered and kept is not.
        #expect(try site.repeated.count <= 64)
        #expect(second.errors.elements.contains { $0.contains("loop ready epoch=2") })
    }

    @Test func aWriterKilledBetweenPartsChangesNothingAndLeavesNothing() async throws {
        // 1,800 broken links of 400 bytes: some fifteen parts.
        let site = try await Site.synthetic(pages: 100, broken: 18)
        let fleet = try AuditFleet(auditing: site.url)
        let fetcher = try fleet.fetcher()
        let coordinator = try fleet.coordinator()
        // Without a writer the first parts wait.
        try await coordinator.log("and effects wait for it")
        try FileManager.default.createDirectory(atPath: fleet.leftOver, withIntermediateDirectories: true)
        try Data("left by an audit that was given up".utf8).write(to: URL(fileURLWithPath: fleet.leftOver + "/part-0"))
        let victim = try fleet.writer()
        // The rest must hold at any moment of the work, and also after it: parts exist only for a moment.
        try await eventually("two parts, or the end") { fleet.parts.count >= 2 || kill(coordinator.pid, 0) != 0 }
        try await victim.kill()
        let successor = try fleet.writer()
        #expect(try await coordinator.end() == .exited(1))
        let report = try AuditReport(in: fleet.report)
        #expect(report.broken.count == 100 * 18)
        #expect(report.broken.map(\.page) == report.broken.map(\.page).sorted())
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: fleet.report).sorted() == [
                "report.html", "report.json",
            ])
        withExtendedLifetime([fetcher, successor]) {}
    }

    @Test func aCoordinatorKilledAfterItsResultTellsItAgain() async throws {
        let site = try await Site.synthetic(pages: 20)
        let fleet = try AuditFleet(auditing: site.url)
        let workers = [try fleet.fetcher(), try fleet.writer()]
        var requests = 0
        var result: [String] = []
        // A machine may be so quick, or the test so slow, that the process has ended before the signal comes.
        for _ in 0..<20 {
            let coordinator = try fleet.coordinator()
            try await coordinator.output.wait(for: "the result") { $0.count >= 3 }
            coordinator.signal(SIGKILL)
            let end = try await coordinator.end()
            requests = try site.requests.count
            result = coordinator.output.elements
            if end == .signalled(SIGKILL) { break }
        }
        let next = try fleet.coordinator()
        #expect(try await next.end() == .exited(1))
        #expect(next.output.elements == result)
        #expect(try site.requests.count == requests, "nothing is audited again")
        // An audit that ended by itself is over: the same command is a new one.
        #expect(try await fleet.coordinator().end() == .exited(1))
        #expect(try site.requests.count > requests)
        withExtendedLifetime(workers) {}
    }

    /// The program's own code is cancelled with the turn, and begins again with the next one.
    @Test(.enabled(if: PostgreSQLServer.isTested, Comment(rawValue: PostgreSQLServer.reason)))
    func aCoordinatorThatDropsItsLoopsGoesOnWithTheAudit() async throws {
        let server = try await PostgreSQLServer.shared()
        let url = server.url()
        #expect(try await TestProcess("mobius", ["journal", "init", url]).end() == .exited(0))
        let site = try await Site.synthetic(pages: 300, delay: 5, pausingAt: [60, 120, 180])
        let fleet = try AuditFleet(auditing: site.url, options: AuditFleet.patient, journal: url)
        let workers = [try fleet.fetcher(), try fleet.writer()]
        let coordinator = try fleet.coordinator()
        for times in 1...2 {
            try await site.waitForPause()
            let ended = try await server.sql("SELECT count(pg_terminate_backend(backend)) FROM shards", at: url)
            #expect(ended == "1")
            site.resume()
            try await eventually("the loops are dropped") {
                coordinator.errors.elements.count { $0.contains("the loops are dropped") } >= times
            }
        }
        // The loop moves to the new shard, and the program's code with it.
        try await site.waitForPause()
        #expect(try await TestProcess("mobius", ["cluster", "split", url, "0"]).end() == .exited(0))
        site.resume()
        #expect(try await coordinator.end() == .exited(1))
        let report = try AuditReport(in: fleet.report).timeless
        #expect(report.pages == 300 && report.broken.count == 6)
        withExtendedLifetime(workers) {}
    }

    @Test func workersStartedFirstConnectByThemselves() async throws {
        let site = try await Site.synthetic(pages: 20)
        let fleet = try AuditFleet(auditing: site.url)
        let workers = [try fleet.fetcher(), try fleet.writer()]
        // They have tried, and found nobody.
        for worker in workers { try await worker.log("connecting to") }
        #expect(try await fleet.coordinator().end() == .exited(1))
    }

    @Test func workersLeftRunningServeTheNextCoordinatorToo() async throws {
        let site = try await Site.synthetic(pages: 20)
        let fleet = try AuditFleet(auditing: site.url)
        let workers = [try fleet.fetcher(), try fleet.writer()]
        #expect(try await fleet.coordinator().end() == .exited(1))
        let first = try AuditReport(in: fleet.report).timeless
        #expect(try await fleet.coordinator().end() == .exited(1))
        #expect(try AuditReport(in: fleet.report).timeless == first)
        withExtendedLifetime(workers) {}
    }

    @Test func tenFetchersShareTheWork() async throws {
        let site = try await Site.synthetic(pages: 400, delay: 20)
        let fleet = try AuditFleet(auditing: site.url, options: ["--per-host", "64", "--timeout", "600"])
        let fetchers = try (0..<10).map { _ in try fleet.fetcher(concurrency: 2, timeout: 60) }
        let writer = try fleet.writer()
        // Whoever needs a second longer to start would find nothing left to do.
        site.pause()
        let coordinator = try fleet.coordinator()
        for fetcher in fetchers { try await fetcher.log("joined the coordinator") }
        site.resume()
        #expect(try await coordinator.end() == .exited(1))
        for fetcher in fetchers {
            fetcher.signal(SIGTERM)
            #expect(try await fetcher.end() == .exited(0))
            let last = try #require(fetcher.errors.elements.last { $0.contains("finished=") })
            let effects = try #require(Int(last.split(separator: "finished=")[1].prefix { $0.isNumber }))
            #expect(effects > 0)
        }
        withExtendedLifetime(writer) {}
    }
}

/// What `Deploy/sample-site/expected.json` says must be found.
private struct ExpectedReport: Decodable {
    var broken: [AuditReport.Broken]
    var redirects: [AuditReport.Redirect]

    init(of site: Site) throws {
        let text = try String(contentsOfFile: Repository.path("Deploy/sample-site/expected.json"), encoding: .utf8)
            .replacingOccurrences(of: "{{site}}", with: site.url.dropLast())
        self = try JSONDecoder().decode(ExpectedReport.self, from: Data(text.utf8))
    }
}
