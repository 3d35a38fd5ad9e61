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

/// Coordinators that die at exact places, freeze and come back.
@Suite(.patient)
struct CoordinatorLossTests {
    private let bank: BankProcesses

    init() throws {
        bank = try BankProcesses()
    }

    @Test(
        "SIGKILL of the coordinator: what was confirmed is there, and nothing is twice",
        arguments: [
            "coordinator.before-commit", "coordinator.after-commit", "coordinator.after-send", "coordinator.after-ack",
        ])
    func killed(_ place: String) async throws {
        let worker = try bank.worker("w")
        let first = try bank.coordinator()
        try await bank.openAccounts(at: first)
        try await first.kill()
        var transfers = 0
        for count in 1...12 {
            let coordinator = try bank.coordinator(failpoints: "\(place)=kill@\(count)")
            // One after the other, so that each is a commit, orders and acknowledgements of its own.
            repeat {
                transfers += 1
                bank.order("transfer t\(transfers) 1,2,3 10 letter watched")
                bank.order("list l\(transfers) 3")
            } while try await bank.place(at: coordinator)
            #expect(try await coordinator.end() == .signalled(SIGKILL))
        }
        let last = try bank.coordinator()
        #expect(try await bank.place(at: last))
        #expect(try await bank.complaints(last) == [])
        #expect(try await bank.model(of: last).transfers.count == transfers)
        let verification = try bank.coordinator(["--verify"])
        #expect(try await verification.end() == .exited(0))
        // No attempt was given up: what the worker held across each death was adopted, or known to be lost and sent again.
        #expect(try bank.ledger().count { $0.entry.deed.isBooking } == 2 * transfers)
        #expect(try bank.ledger().allSatisfy { $0.entry.deed.isBooking || $0.asked == 1 })
        withExtendedLifetime(worker) {}
    }

    @Test(
        "SIGSTOP of the coordinator, then SIGCONT: workers say all again, and nothing is applied twice",
        arguments: [
            "coordinator.before-commit", "coordinator.after-commit", "coordinator.after-send", "coordinator.after-ack",
        ])
    func frozen(_ place: String) async throws {
        let first = try bank.coordinator(["--patient"])
        try await bank.openAccounts(at: first)
        let worker = try bank.worker("w", hold: "before")
        try await bank.transfer("t", at: first)
        try await worker.says("before t/0")
        try await first.kill()
        // Its first commit, order and acknowledgement are those of the report that now comes.
        let coordinator = try bank.coordinator(failpoints: "\(place)=stop", ["--patient"])
        try await worker.log("joined the coordinator epoch=2")
        let before = worker.logged("the coordinator is silent")
        try worker.type("go\n")
        try await eventually("the coordinator has stopped") { coordinator.isStopped }
        try await eventually("the worker notices") { worker.logged("the coordinator is silent") > before }
        coordinator.signal(SIGCONT)
        #expect(try await bank.complaints(coordinator) == [])
        #expect(try bank.ledger().map(\.asked) == [1, 1])
    }

    @Test(
        "SIGSTOP of the coordinator while a handler streams: what it says again is applied once",
        arguments: ["coordinator.before-commit", "coordinator.after-commit", "coordinator.after-ack"])
    func frozenStream(_ place: String) async throws {
        let first = try bank.coordinator(["--patient"])
        try await bank.openAccounts(at: first)
        let worker = try bank.worker("w", hold: "before,after")
        bank.order("list l 3")
        try await bank.place(at: first)
        try await worker.says("before l")
        try await first.kill()
        let coordinator = try bank.coordinator(failpoints: "\(place)=stop", ["--patient"])
        try await worker.log("joined the coordinator epoch=2")
        let before = worker.logged("the coordinator is silent")
        try worker.type("step\n")
        try await worker.says("after l")
        try await eventually("the coordinator has stopped") { coordinator.isStopped }
        try await eventually("the worker notices") { worker.logged("the coordinator is silent") > before }
        coordinator.signal(SIGCONT)
        try await eventually("all lines are there") {
            try await bank.model(of: coordinator).statements["l"]?.lines == [1, 2, 3]
        }
        try worker.type("go\n")
        #expect(try await bank.complaints(coordinator) == [])
        #expect(try await bank.model(of: coordinator).statements["l"]?.lines == [1, 2, 3])
    }

    @Test("a handler that runs across a coordinator's death is adopted", arguments: ["before", "after"])
    func adopted(_ place: String) async throws {
        let first = try bank.coordinator(["--patient"])
        try await bank.openAccounts(at: first)
        let worker = try bank.worker("w", hold: place)
        try await bank.transfer("t", at: first)
        try await worker.says("\(place) t/0")
        try await first.kill()
        let second = try bank.coordinator(["--patient"])
        try await second.log("adopted=1")
        try worker.type("go\n")
        #expect(try await bank.complaints(second) == [])
        // It was never run again, and its report is that of the first epoch.
        #expect(try bank.ledger().map(\.asked) == [1, 1])
        let reports = try JournalAudit(path: bank.journal).reports
        #expect(reports.map(\.epoch) == [1, 2])
    }

    @Test("a report that nobody could take waits in the worker's outbox")
    func outbox() async throws {
        let first = try bank.coordinator(["--patient"])
        try await bank.openAccounts(at: first)
        let worker = try bank.worker("w", hold: "before")
        try await bank.transfer("t", at: first)
        try await worker.says("before t/0")
        try await first.kill()
        try worker.type("go\n")
        try await eventually("the booking is in the ledger") { try bank.ledger().count == 1 }
        let second = try bank.coordinator(["--patient"])
        #expect(try await bank.complaints(second) == [])
        #expect(try bank.ledger().map(\.asked) == [1, 1])
    }

    @Test("coordinator and worker killed together", arguments: ["before", "during", "after"])
    func bothKilled(_ place: String) async throws {
        let first = try bank.coordinator()
        try await bank.openAccounts(at: first)
        let worker = try bank.worker("first", hold: place)
        try await bank.transfer("t", at: first)
        try await worker.says("\(place) t/0")
        worker.signal(SIGKILL)
        first.signal(SIGKILL)
        try await first.end()
        let second = try bank.coordinator()
        let successor = try bank.worker("second")
        #expect(try await bank.complaints(second) == [])
        #expect(try JournalAudit(path: bank.journal).reports.map(\.epoch) == [2, 2])
        withExtendedLifetime(successor) {}
    }

    @Test("a silent coordinator: workers connect anew, and go on when it wakes")
    func silent() async throws {
        let coordinator = try bank.coordinator(["--patient"])
        try await bank.openAccounts(at: coordinator)
        let worker = try bank.worker("w", hold: "before")
        try await bank.transfer("t", at: coordinator)
        try await worker.says("before t/0")
        coordinator.signal(SIGSTOP)
        try await worker.log("the coordinator is silent, reconnecting")
        try worker.type("go\n")
        coordinator.signal(SIGCONT)
        #expect(try await bank.complaints(coordinator) == [])
        #expect(try bank.ledger().map(\.asked) == [1, 1])
    }

    /// Meanwhile a worker repeats its answer, at pace 5 more often than at pace 1; the socket keeps the messages.
    @Test("SIGSTOP of the coordinator for longer than an attempt may take blames nobody", arguments: [1, 5])
    func stoppedPastTheTimeout(pace: Int) async throws {
        // Without a longer silence the worker would connect anew.
        let coordinator = try bank.coordinator(
            pace: 1, ["--timeout", "10", "--attempts", "1", "--silence", "30"])
        try await bank.openAccounts(at: coordinator)
        let worker = try bank.worker("w", hold: "before", ["--pace", "\(pace)"])
        try await bank.transfer("t", at: coordinator)
        try await worker.says("before t/0")
        coordinator.signal(SIGSTOP)
        try await eventually("the coordinator has stopped") { coordinator.isStopped }
        try worker.type("go\n")
        try await eventually("the booking is in the ledger") { try bank.ledger().count == 1 }
        // The length of the stop is what is tested.
        let over = ContinuousClock.now + .seconds(11)
        try await eventually("the attempt's time is over") { ContinuousClock.now > over }
        coordinator.signal(SIGCONT)
        #expect(try await bank.complaints(coordinator) == [])
        #expect(try await bank.model(of: coordinator).transfers["t"]?.state == .done)
        #expect(try bank.ledger().map(\.asked) == [1, 1])
    }

    @Test("an orderly stop of either loses nothing and ends with 0")
    func orderlyStop() async throws {
        let first = try bank.coordinator(["--patient"])
        try await bank.openAccounts(at: first)
        let worker = try bank.worker("w", hold: "before")
        try await bank.transfer("t", at: first)
        try await worker.says("before t/0")
        first.signal(SIGTERM)
        #expect(try await first.end() == .exited(0))
        let second = try bank.coordinator(["--patient"])
        try await second.log("adopted=1")
        worker.signal(SIGTERM)
        try await worker.log("draining unfinished=1")
        try worker.type("go\n")
        #expect(try await worker.end() == .exited(0))
        let successor = try bank.worker("successor")
        #expect(try await bank.complaints(second) == [])
        #expect(try bank.ledger().map(\.asked) == [1, 1])
        withExtendedLifetime(successor) {}
    }
}

extension Bank.LedgerEntry.Deed {
    var isBooking: Bool { if case .booking = self { true } else { false } }
}
