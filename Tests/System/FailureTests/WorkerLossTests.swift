import Bank
import BankFleet
import FleetTestSupport
import TestTraits
import Testing

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Workers that die, freeze or hang, at each place of an effect's life.
@Suite(.patient)
struct WorkerLossTests {
    private let bank: BankProcesses

    init() throws {
        bank = try BankProcesses()
    }

    /// A coordinator with open accounts, and a transfer whose first step a worker holds there.
    private func held(
        _ place: String, _ options: [String] = []
    ) async throws -> (coordinator: TestProcess, worker: TestProcess) {
        let coordinator = try bank.coordinator(options)
        try await bank.openAccounts(at: coordinator)
        let worker = try bank.worker("first", hold: place)
        try await bank.transfer("t", at: coordinator)
        try await worker.says("\(place) t/0")
        return (coordinator, worker)
    }

    /// Two steps were reported, the first of them by another attempt than the first.
    ///
    /// By the second, unless its worker was taken for lost because it had no time for two seconds.
    private func expectSecondAttempt() throws {
        let numbers = try JournalAudit(path: bank.journal).reports.map(\.number)
        #expect(numbers.count == 2 && numbers[0] > 1, "\(numbers)")
    }

    @Test(
        "SIGKILL of a worker: its effect runs elsewhere under the same key", arguments: ["before", "during", "after"])
    func killed(_ place: String) async throws {
        let (coordinator, worker) = try await held(place)
        try await worker.kill()
        let second = try bank.worker("second")
        #expect(try await bank.complaints(coordinator) == [])
        let kept = try bank.ledger("first").map(\.entry.key)
        // What was in the middle of its transaction is not there; what had been done was done again under its key.
        #expect(kept.count == (place == "after" ? 1 : 0))
        #expect(try bank.ledger("second").map(\.entry.key).contains(kept))
        try expectSecondAttempt()
        withExtendedLifetime(second) {}
    }

    @Test("SIGSTOP, then SIGCONT: the late words of a zombie are stale", arguments: ["before", "during", "after"])
    func zombie(_ place: String) async throws {
        let (coordinator, worker) = try await held(place)
        worker.signal(SIGSTOP)
        let second = try bank.worker("second")
        try await coordinator.log("worker lost")
        _ = try await bank.finish(coordinator)
        try worker.type("go\n")
        worker.signal(SIGCONT)
        // A worker leaves once all it had to say was answered.
        worker.signal(SIGTERM)
        #expect(try await worker.end() == .exited(0))
        #expect(!worker.errors.elements.contains { $0.contains("some effects were not finished") })
        #expect(try await bank.complaints(coordinator) == [])
        // It did its work after all, under the same key, and nobody counted it.
        #expect(try bank.ledger("first").map(\.entry.key).count == 1)
        try expectSecondAttempt()
        withExtendedLifetime(second) {}
    }

    @Test("SIGSTOP for a moment: a worker that comes back in time goes on")
    func nap() async throws {
        let (coordinator, worker) = try await held("during", ["--patient"])
        worker.signal(SIGSTOP)
        try await coordinator.log("worker is silent")
        try worker.type("go\n")
        worker.signal(SIGCONT)
        #expect(try await bank.complaints(coordinator) == [])
        #expect(try JournalAudit(path: bank.journal).reports.map(\.number) == [1, 1])
        #expect(try bank.ledger("first").map(\.asked) == [1, 1])
    }

    @Test("SIGKILL round the report", arguments: ["worker.before-report", "worker.after-report"], [1, 2])
    func killedRoundReport(_ place: String, _ count: Int) async throws {
        let coordinator = try bank.coordinator()
        try await bank.openAccounts(at: coordinator)
        let worker = try bank.worker("first", failpoints: "\(place)=kill@\(count)")
        try await bank.transfer("t", at: coordinator)
        #expect(try await worker.end() == .signalled(SIGKILL))
        let second = try bank.worker("second")
        #expect(try await bank.complaints(coordinator) == [])
        withExtendedLifetime(second) {}
    }

    @Test("a hung handler ends at its time-out, and update sees it")
    func hung() async throws {
        let coordinator = try bank.coordinator(["--timeout", "3"])
        try await bank.openAccounts(at: coordinator)
        let worker = try bank.worker("first", hold: "before")
        try await bank.transfer("t", at: coordinator)
        try await worker.says("before t/0")
        let model = try await bank.finish(coordinator)
        #expect(model.transfers["t"]?.state == .unclear)
        // What it does too late is not counted.
        try worker.type("go\n")
        worker.signal(SIGTERM)
        #expect(try await worker.end() == .exited(0))
        #expect(try await bank.complaints(coordinator) == [])
    }

    @Test(
        "SIGKILL of a worker with an effect that runs at most once: the outcome is unknown, and nobody repeats it",
        arguments: ["before", "during", "after"])
    func killedOnce(_ place: String) async throws {
        let coordinator = try bank.coordinator()
        try await bank.openAccounts(at: coordinator)
        let clerk = try bank.worker("clerk")
        try await bank.transfer("t", at: coordinator)
        _ = try await bank.finish(coordinator)
        try await clerk.kill()
        // From now on whoever is asked stays at the letter.
        let worker = try bank.worker("first", hold: place)
        bank.order("transfer u 1,2 13 letter")  // declined at once, and the customer is told
        try await bank.place(at: coordinator)
        try await worker.says("\(place) letter-u")
        try await worker.kill()
        _ = try bank.worker("second")
        let model = try await bank.finish(coordinator)
        #expect(model.letters["u"] == .unknown)
        #expect(try bank.ledger("first").count == (place == "after" ? 1 : 0))
        #expect(try !bank.ledger("second").contains { $0.entry.deed == .letter("u") })
        #expect(try await bank.complaints(coordinator) == [])
    }

    @Test("effects of many killed workers go to the last one")
    func manyKilled() async throws {
        let coordinator = try bank.coordinator()
        try await bank.openAccounts(at: coordinator)
        var workers: [TestProcess] = []
        for number in 1...3 { workers.append(try bank.worker("w\(number)", hold: "after", ["--concurrency", "4"])) }
        for number in 1...12 { bank.order("transfer t\(number) 1,2,3 10") }
        try await bank.place(at: coordinator)
        for worker in workers { try await worker.output.wait(for: "four bookings") { $0.count >= 4 } }
        for worker in workers { worker.signal(SIGKILL) }
        let last = try bank.worker("last")
        #expect(try await bank.complaints(coordinator) == [])
        withExtendedLifetime(last) {}
    }
}
