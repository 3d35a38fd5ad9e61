import Bank
import BankFleet
import FleetTestSupport
import Foundation
import TestTraits
import Testing

/// A customer with very many waiting effects, and another one, between real processes.
@Suite(.patient)
struct FairnessTests {
    private let bank: BankProcesses

    init() throws {
        bank = try BankProcesses()
    }

    /// Account 1 has 20,000 bookings that wait, then account 3 has one.
    private func crowd(_ coordinator: TestProcess) async throws {
        for line in ["open 1 1000000", "open 2 0", "open 3 1000"] { bank.order(line) }
        try await bank.place(at: coordinator)
        let many = (1...20_000).map { "transfer a\($0) 1,2 1\n" }.joined()
        try coordinator.type(many)
        try await eventually("all bookings of account 1 wait") {
            try await coordinator.ask("status", for: BankStatus.self).events >= 20_003
        }
        bank.order("transfer b 3,2 1")
        try await bank.place(at: coordinator)
    }

    /// What the worker's handlers have begun, in order.
    private func begun(_ worker: TestProcess, _ count: Int) async throws -> [String] {
        try await worker.output.wait(for: "\(count) bookings begun") { lines in
            lines.count { $0.hasPrefix("before ") } >= count
        }
        return worker.output.elements.filter { $0.hasPrefix("before ") }
    }

    @Test("20,000 waiting effects of one key delay another key's by one, also after the coordinator's death")
    func fairness() async throws {
        let first = try bank.coordinator(["--maximum-intake", "100000"])
        try await crowd(first)
        try await first.kill()
        // At the usual pace: a worker that counts as lost after 2 seconds would lose its three, and begin others.
        let second = try bank.coordinator(pace: 1)
        try await second.log("listening")
        let worker = try bank.worker("w", hold: "before", ["--concurrency", "3", "--pace", "1"])
        let begun = try await begun(worker, 3)
        #expect(begun.sorted() == ["before a1/0", "before a2/0", "before b/0"])
        withExtendedLifetime(second) {}
    }

    @Test("a limit per key: two of one key run at once, however many workers are free")
    func limitPerKey() async throws {
        let coordinator = try bank.coordinator(pace: 1, ["--maximum-intake", "100000", "--per-account", "2"])
        try await crowd(coordinator)
        let worker = try bank.worker("w", hold: "before", ["--concurrency", "8", "--pace", "1"])
        let first = try await begun(worker, 3)
        #expect(first.count == 3 && first.contains("before b/0"), "\(first)")
        for step in 1...3 {
            // What runs has to end before more of its key begin.
            try worker.type("step\n")
            let begun = try await begun(worker, 3 + 2 * step)
            #expect(begun.count == 3 + 2 * step)
        }
        withExtendedLifetime(coordinator) {}
    }
}
