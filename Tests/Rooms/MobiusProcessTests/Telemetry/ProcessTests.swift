import BankFleet
import FleetTestSupport
import Foundation
import MobiusProcess
import TestTraits
import Testing

/// What real processes show of themselves.
@Suite(.patient)
struct ProcessTests {
    private let bank: BankProcesses

    init() throws {
        bank = try BankProcesses()
    }

    @Test func theFleetShowsInNumbers() async throws {
        // At the usual pace: a worker that seems lost for a moment would have attempts that are not expected.
        let coordinator = try bank.coordinator(pace: 1, ["--http", "0"])
        try await bank.openAccounts(at: coordinator)
        for number in 1...5 { try await bank.transfer("t\(number)", at: coordinator) }
        let scrape = try await Scrape(of: coordinator)
        // Nobody serves the pool yet.
        let before = try await scrape.metrics()
        #expect(before["mobius_effects_pending{pool=\"bank\"}"] == 5)
        #expect(before["mobius_effects_running{pool=\"bank\"}"] == 0)
        #expect(before["mobius_pool_workers{pool=\"bank\"}"] == 0)
        #expect(before["mobius_events_applied_total"] == 9)  // the start, accounts and transfers
        #expect(before["mobius_commit_records_sum"] ?? 0 >= 9)
        #expect(before["mobius_commit_duration_seconds_count"] == before["mobius_commit_records_count"])
        #expect(before["mobius_effects_dispatched_total{pool=\"bank\"}"] == 0)
        try await scrape.eventually("the oldest effect ages") {
            $0["mobius_effects_oldest_age_seconds{pool=\"bank\"}"] ?? 0 > 0.1
        }

        let worker = try bank.worker("w", hold: "before", ["--http", "0", "--concurrency", "2"])
        try await scrape.eventually("two run") {
            $0["mobius_effects_running{pool=\"bank\"}"] == 2 && $0["mobius_effects_pending{pool=\"bank\"}"] == 5
                && $0["mobius_pool_credit{pool=\"bank\"}"] == 0 && $0["mobius_pool_workers{pool=\"bank\"}"] == 1
        }
        let worked = try await Scrape(of: worker)
        try await worked.eventually("the worker says the same") {
            $0["mobius_worker_effects_running{pool=\"bank,post\"}"] == 2 && $0["mobius_worker_connected"] == 1
        }
        try worker.type("go\n")
        _ = try await bank.finish(coordinator)
        try await scrape.eventually("all ended") { now in
            now["mobius_effects_pending{pool=\"bank\"}"] == 0
                && now["mobius_effects_oldest_age_seconds{pool=\"bank\"}"] == 0
                && now["mobius_effect_duration_seconds_count{pool=\"bank\"}"] == 10
                && now["mobius_effects_dispatched_total{pool=\"bank\"}"] == 10
                && now["mobius_effects_retried_total{pool=\"bank\"}"] == 0
        }
        try await worked.eventually("the worker has counted them, too") {
            $0["mobius_worker_effects_total{outcome=\"finished\",pool=\"bank,post\"}"] == 10
                && $0["mobius_worker_handler_duration_seconds_count{pool=\"bank,post\"}"] == 10
        }
    }

    @Test func theLoopsOfSeveralProgramsShowByKind() async throws {
        let folder = try TestFolder()
        let clients = "ipc://\(folder.file("s"))-client"
        let shop = try TestProcess(
            "orders-coordinator", ["--bind", "ipc://\(folder.file("s"))", "--http", "0"], in: folder.path)
        let scrape = try await Scrape(of: shop)
        // Probes are served before the loops are.
        try await shop.log("listening")
        let placed = #"{"placed":{"_0":{"customer":"Ada","article":"tea","quantity":2,"city":"Bergen"}}}"#
        for (loop, event, exit) in [
            ("order/1", placed, 0 as Int32), ("order/2", placed, 0),
            ("statistics/x", #"{"finished":{"_0":{"notSold":{}}}}"#, 1),
        ] {
            let sender = try TestProcess(
                "mobius", ["send", event, "--loop", loop, "--connect", clients, "--key", "k"], in: folder.path)
            #expect(try await sender.end() == .exited(exit), "\(sender.errors.elements)")
        }
        try await scrape.eventually("two orders and their customer") {
            $0["mobius_loops{kind=\"order\"}"] == 2 && $0["mobius_loops{kind=\"customer\"}"] == 1
                && $0["mobius_events_applied_total{kind=\"customer\"}"] == 3
        }
        let now = try await scrape.metrics()
        #expect(now["mobius_events_applied_total{kind=\"order\"}"] == 4)
        #expect(now["mobius_loops_refused_total{kind=\"statistics\"}"] == 1)
        #expect(now["mobius_loops_refused_total{kind=\"order\"}"] == 0)
        for metric in ["mobius_loops", "mobius_loops_kept", "mobius_loops_held", "mobius_dead_letters"] {
            #expect(now[metric] == nil)
            #expect(now["\(metric){kind=\"statistics\"}"] == 0)
        }
        try await shop.kill()
    }

    @Test func failuresAndLostWorkersShow() async throws {
        let coordinator = try bank.coordinator(pace: 1, ["--http", "0"])
        let scrape = try await Scrape(of: coordinator)
        try await bank.openAccounts(at: coordinator)
        let held = try bank.worker("held", hold: "before")
        try await bank.transfer("t", at: coordinator)
        try await scrape.eventually("it runs") { $0["mobius_effects_running{pool=\"bank\"}"] == 1 }
        try await held.kill()
        let broken = try bank.worker("w", ["--broken"])
        bank.order("audit 1")
        try await bank.place(at: coordinator)
        _ = try await bank.finish(coordinator)
        try await scrape.eventually("the lost attempt and the failure for good") { now in
            now["mobius_effects_retried_total{pool=\"bank\"}"] == 1
                && now["mobius_effects_failed_total{pool=\"post\"}"] == 1
                && now["mobius_dead_letters_total{pool=\"post\"}"] == 1 && now["mobius_dead_letters"] == 1
        }
        #expect(!broken.isGone)
    }

    /// An address for probes opens no loop, with or without keys.
    @Test func noLoopIsServedBesideProbes() async throws {
        let coordinator = try bank.coordinator(["--http", "0"])
        try await bank.openAccounts(at: coordinator)
        let scrape = try await Scrape(of: coordinator)
        for path in ["/loops", "/loops/main", "/loops/main/models", "/loops/main/history", "/openapi.json"] {
            #expect(try await scrape.get(path).status == 404, "\(path)")
        }
        #expect(try await scrape.get("/readyz").status == 200)
    }

    @Test(.enabled(if: Tool.promtool.isInstalled, "promtool is in Debian's package prometheus"))
    func prometheusHasNothingToComplainAbout() async throws {
        let coordinator = try bank.coordinator(["--http", "0"])
        let worker = try bank.worker("w", ["--http", "0"])
        try await bank.openAccounts(at: coordinator)
        try await bank.transfer("t", at: coordinator)
        _ = try await bank.finish(coordinator)
        var families: Set<String> = []
        for process in [coordinator, worker] {
            let metrics = try await Scrape(of: process).get("/metrics")
            #expect(metrics.status == 200)
            #expect(metrics.type == "text/plain; version=0.0.4; charset=utf-8")
            #expect(try Tool.promtool.run(["check", "metrics"], input: metrics.text) == "")
            for line in metrics.text.split(separator: "\n") where line.hasPrefix("# TYPE ") {
                families.insert(line.split(separator: " ")[2...].joined(separator: " "))
            }
        }
        // All that the table promises, and nothing else; a journal in a file has no lease.
        let promised = FleetMetric.allCases.filter { $0 != .leaseLeft && $0.owner != .server }
        #expect(families == Set(promised.map { "\($0.rawValue) \($0.kind.rawValue)" }))
    }

    @Test func probesTellWhoIsReady() async throws {
        let worker = try bank.worker("w", ["--http", "0"])
        let working = try await Scrape(of: worker)
        #expect(try await working.get("/livez").status == 200)
        let waiting = try await working.get("/readyz")
        #expect(waiting.status == 503)
        #expect(waiting.text == "no: it is not connected\n" || waiting.text == "no: it is starting\n")

        let coordinator = try bank.coordinator(["--http", "0"])
        let scrape = try await Scrape(of: coordinator)
        for probe in [working, scrape] {
            try await eventually("it is ready") { try await probe.get("/readyz").status == 200 }
        }
        #expect(try await scrape.get("/readyz").text == "ok\n")
        #expect(try await scrape.get("/").status == 404)
        #expect(try await scrape.get("/metrics", method: "POST").status == 405)
        #expect(try await scrape.get("/metrics", method: "HEAD").text == "")

        try coordinator.type("stop\n")
        #expect(try await coordinator.end() == .exited(0))
        try await eventually("the worker waits again") { try await working.get("/readyz").status == 503 }
        #expect(try await working.get("/livez").status == 200)
        worker.signal(SIGTERM)
        #expect(try await worker.end() == .exited(0))
        // Connections that are still open are closed without a word.
        for process in [coordinator, worker] {
            #expect(process.errors.elements.filter { $0.contains(" error ") || $0.contains("ERROR") } == [])
        }
    }

    @Test func anAddressThatIsTakenEndsTheStart() async throws {
        let first = try bank.coordinator(["--http", "0"])
        let taken = try await Scrape(of: first).address
        let other = try BankProcesses()
        for process in [try other.coordinator(["--http", taken]), try other.worker("w", ["--http", taken])] {
            #expect(try await process.end() == .exited(69))
            let said = process.errors.elements.joined()
            #expect(said.contains("Cannot serve probes and metrics on \(taken)"))
            #expect(said.contains("Choose another --http"))
        }
        let wrong = try other.coordinator(["--http", "here"])
        #expect(try await wrong.end() == .exited(64))
        #expect(wrong.errors.elements.joined().contains("--http is 'here'"))
    }

    @Test func withoutTheOptionNothingListens() async throws {
        let coordinator = try bank.coordinator()
        try await bank.openAccounts(at: coordinator)
        #expect(!coordinator.errors.elements.contains { $0.contains("serving probes") })
    }

    @Test func theServiceManagerHearsOfEachPhase() async throws {
        let manager = try FakeManager()
        let environment = ["NOTIFY_SOCKET": manager.path, "WATCHDOG_USEC": "900000"]
        let coordinator = try bank.coordinator(environment: environment)
        try await manager.hears("READY=1")
        try await manager.heard.wait(for: "three signs of life") { $0.filter { $0 == "WATCHDOG=1" }.count >= 3 }
        try await bank.openAccounts(at: coordinator)
        try coordinator.type("stop\n")
        #expect(try await coordinator.end() == .exited(0))

        let working = try FakeManager()
        let worker = try bank.worker("w", environment: ["NOTIFY_SOCKET": working.path])
        // It is up without its coordinator, too: who waits for it would wait for both.
        try await working.hears("READY=1")
        worker.signal(SIGTERM)
        #expect(try await worker.end() == .exited(0))
    }
}
