import Bank
import BankFleet
import FleetTestSupport
import Foundation
import TestTraits
import Testing

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// A network that drops, stalls, delays and cuts, between a worker and its coordinator.
@Suite(.patient)
struct NetworkTests {
    private let bank: BankProcesses
    /// One that gives nobody up, so that each effect ends in its first attempt.
    private let coordinator: TestProcess
    private let wire: FaultyWire

    init() async throws {
        bank = try BankProcesses()
        coordinator = try bank.coordinator(["--patient"])
        wire = try await bank.proxy()
        try await bank.openAccounts(at: coordinator)
    }

    /// One in its place that calls nobody silent who only had no time for a moment, nor lets its workers do so.
    private func slowToSuspect() async throws -> TestProcess {
        try await coordinator.kill()
        return try bank.coordinator(["--patient", "--silence", "30"])
    }

    /// A worker behind the wire.
    private func worker(_ name: String = "w", hold: String? = nil) async throws -> TestProcess {
        let worker = try bank.worker(name, connect: wire.endpoint, hold: hold)
        try await worker.log("joined the coordinator")
        return worker
    }

    /// Everything ended well, each step in its first attempt, run once.
    private func expectNothingRepeated(at other: TestProcess? = nil) async throws {
        #expect(try await bank.complaints(other ?? coordinator) == [])
        #expect(try bank.ledger().map(\.asked) == [1, 1])
        #expect(try JournalAudit(path: bank.journal).reports.map(\.number) == [1, 1])
    }

    @Test("an EFFECT that is lost is sent again, as the same attempt")
    func lostEffect() async throws {
        // A worker that connects anew would be sent it, too, and nobody would have noticed.
        let coordinator = try await slowToSuspect()
        let worker = try await worker()
        let before = try await wire.count().down
        try await wire.obey("swallow down")
        // Longer than all pulses that may be swallowed before it.
        try await bank.transfer(String(repeating: "t", count: 4000), at: coordinator)
        try await eventually("it was swallowed") { try await wire.count().down > before + 4000 }
        try await wire.obey("flow")
        // The next pulse says how many orders were sent, and the worker's next heartbeat that one of them did not come.
        try await coordinator.log("orders were lost and sent again")
        try await expectNothingRepeated(at: coordinator)
        withExtendedLifetime(worker) {}
    }

    @Test("an EFFECT that is lost with its connection is sent again to the same worker")
    func lostConnection() async throws {
        let worker = try await worker()
        let before = try await wire.count().down
        try await wire.obey("swallow down")
        try await bank.transfer("t", at: coordinator)
        try await eventually("something was swallowed") { try await wire.count().down > before + 100 }
        try await wire.obey("cut")
        try await wire.obey("flow")
        try await expectNothingRepeated()
        withExtendedLifetime(worker) {}
    }

    @Test("an EVENT that is lost waits in the outbox and is sent again")
    func lostEvent() async throws {
        let worker = try await worker(hold: "before")
        try await bank.transfer("t", at: coordinator)
        try await worker.says("before t/0")
        try await wire.obey("swallow up")
        try worker.type("go\n")
        try await eventually("the booking is in the ledger") { try bank.ledger().count == 1 }
        try await coordinator.log("worker is silent")
        try await wire.obey("flow")
        try await expectNothingRepeated()
    }

    @Test("an EVENT that comes twice, because its ACK was lost, is applied once")
    func doubledEvent() async throws {
        let worker = try await worker(hold: "after")
        try await bank.transfer("t", at: coordinator)
        try await worker.says("after t/0")
        try await wire.obey("swallow down")
        try worker.type("go\n")
        try await eventually("the event is applied") {
            try await bank.model(of: coordinator).transfers["t"]?.booked == 1
        }
        // In vain it says it again, until it takes the coordinator for gone; then it says HELLO, and all again.
        try await worker.log("the coordinator is silent, reconnecting")
        try await wire.obey("flow")
        try await expectNothingRepeated()
    }

    @Test("lines of a stream whose ACKs are lost are sent again, and applied once")
    func doubledStream() async throws {
        let worker = try await worker(hold: "before,after")
        bank.order("list l 3")
        try await bank.place(at: coordinator)
        try await worker.says("before l")
        try await wire.obey("swallow down")
        try worker.type("step\n")
        try await eventually("the lines are applied") {
            try await bank.model(of: coordinator).statements["l"]?.lines == [1, 2, 3]
        }
        try await worker.log("the coordinator is silent, reconnecting")
        try await wire.obey("flow")
        try await eventually("it is back") { coordinator.logged("worker joined") >= 2 }
        try worker.type("go\n")
        #expect(try await bank.complaints(coordinator) == [])
        #expect(try await bank.model(of: coordinator).statements["l"]?.lines == [1, 2, 3])
    }

    @Test("a wire that stalls for long: the effect runs elsewhere, and what comes late is stale")
    func stalled() async throws {
        try await coordinator.kill()
        let coordinator = try bank.coordinator()
        let worker = try await worker("first", hold: "after")
        try await bank.transfer("t", at: coordinator)
        try await worker.says("after t/0")
        try await wire.obey("stall both")
        try worker.type("go\n")
        let second = try bank.worker("second")
        try await coordinator.log("worker lost")
        _ = try await bank.finish(coordinator)
        try await wire.obey("flow")
        worker.signal(SIGTERM)
        #expect(try await worker.end() == .exited(0))
        #expect(try await bank.complaints(coordinator) == [])
        // Not the first one's; a third, if the second had no time for two seconds.
        let numbers = try JournalAudit(path: bank.journal).reports.map(\.number)
        #expect(numbers.count == 2 && numbers[0] > 1, "\(numbers)")
        withExtendedLifetime(second) {}
    }

    @Test("connections cut in mid-message, at any byte", arguments: ["up", "down"])
    func cut(_ direction: String) async throws {
        let worker = try await worker()
        var transfers = 0
        for bytes in [0, 1, 2, 9, 10, 31, 64, 65, 90, 130, 180, 260, 400] {
            try await wire.obey("cut-after \(direction) \(bytes)")
            transfers += 1
            try await bank.transfer("t\(transfers)", at: coordinator)
            _ = try await bank.finish(coordinator)
        }
        #expect(try await bank.complaints(coordinator) == [])
        // A worker whose connection breaks keeps what it holds: nothing was run twice.
        #expect(try bank.ledger().allSatisfy { $0.asked == 1 })
        withExtendedLifetime(worker) {}
    }

    @Test("a slow wire is only slow")
    func slow() async throws {
        let coordinator = try await slowToSuspect()
        let worker = try await worker()
        let before = worker.errors.elements.count
        try await wire.obey("delay 150")
        for number in 1...3 { bank.order("transfer t\(number) 1,2,3 10") }
        try await bank.place(at: coordinator)
        #expect(try await bank.complaints(coordinator) == [])
        #expect(try bank.ledger().allSatisfy { $0.asked == 1 })
        // Orders may be sent again, when two heartbeats were on their way before them.
        let said = coordinator.errors.elements + worker.errors.elements.dropFirst(before)
        #expect(said.filter { $0.contains("silent") || $0.contains("worker lost") } == [])
    }

    @Test("connections that are refused for a while: the worker comes when it may")
    func refused() async throws {
        try await wire.obey("refuse")
        let worker = try bank.worker("w", connect: wire.endpoint)
        try await bank.transfer("t", at: coordinator)
        try await coordinator.log("and effects wait for it")
        try await wire.obey("admit")
        try await expectNothingRepeated()
        withExtendedLifetime(worker) {}
    }

    @Test("two coordinators after a partition: workers refuse the one whose epoch is over")
    func partition() async throws {
        try await coordinator.kill()
        let coordinator = try bank.coordinator()
        let worker = try await worker()
        // The other side of the partition has the journal as it is now; both think that it is theirs.
        coordinator.signal(SIGSTOP)
        let copy = bank.folder.file("copy")
        for suffix in ["", "-wal"] where FileManager.default.fileExists(atPath: bank.journal + suffix) {
            try FileManager.default.copyItem(atPath: bank.journal + suffix, toPath: copy + suffix)
        }
        let other = try bank.coordinator(journal: copy, bind: "ipc://\(bank.folder.file("s2"))", ["--patient"])
        try await other.log("loop ready epoch=3")
        try await wire.obey("target ipc://\(bank.folder.file("s2"))")
        try await wire.obey("cut")
        try await worker.log("joined the coordinator epoch=3")
        coordinator.signal(SIGCONT)
        try await wire.obey("target \(bank.endpoint)")
        try await wire.obey("cut")
        try await coordinator.log("epoch 2 of this coordinator is over")
        try await bank.transfer("at-the-old-one", at: coordinator)
        try await coordinator.log("and effects wait for it")
        try await coordinator.kill()
        #expect(try bank.ledger().isEmpty)
        try await wire.obey("target ipc://\(bank.folder.file("s2"))")
        try await wire.obey("cut")
        other.tell("transfer t 1,2,3 10")
        try await other.says("ok t")
        _ = try await bank.finish(other)
        #expect(try bank.ledger().map(\.asked) == [1, 1])
    }
}

extension TestProcess {
    /// Types a line; a process that is gone does not hear it.
    fileprivate func tell(_ line: String) {
        try? type(line + "\n")
    }
}
