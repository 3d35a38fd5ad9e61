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

/// Disks that are full or broken, a journal that is taken, a clock that jumps.
@Suite(.patient)
struct DiskTests {
    private let bank: BankProcesses

    init() throws {
        bank = try BankProcesses()
    }

    /// Orders transfers until the coordinator gives up.
    private func orderUntilTheEnd(_ coordinator: TestProcess) async throws {
        var count = 0
        repeat {
            for _ in 1...50 {
                count += 1
                bank.order("transfer t\(count) 1,2,3 10")
            }
        } while try await bank.place(at: coordinator)
    }

    @Test(
        "a full disk: the coordinator stops and says so; with more room it goes on",
        .enabled(if: SmallDisk.isPermitted, "this user may not mount a small file system of its own"))
    func fullDisk() async throws {
        let disk = try await SmallDisk(kibibytes: 600)
        let worker = try bank.worker("w")
        let first = try bank.coordinator(journal: disk.path("journal"), wrapper: disk.wrapper)
        try await bank.openAccounts(at: first)
        try await orderUntilTheEnd(first)
        #expect(try await first.end() == .exited(73))
        // As the operators' page shows it.
        let sentence = "cannot be written: make room and start again. (SQLite error 13: "
        #expect(first.errors.elements.last?.hasPrefix("Error: The disk is full, so the journal ") == true)
        #expect(first.errors.elements.last?.contains(sentence) == true)
        // Whatever was confirmed is on it.
        let kept = Set(try JournalAudit(path: disk.copy("journal", to: bank.folder)).keys)
        #expect(kept.isSuperset(of: bank.confirmed))

        try disk.enlarge(kibibytes: 32 << 10)
        let second = try bank.coordinator(journal: disk.path("journal"), wrapper: disk.wrapper)
        #expect(try await bank.place(at: second))
        _ = try await bank.finish(second)
        #expect(try await bank.complaints(second, journal: disk.copy("journal", to: bank.folder)) == [])
        withExtendedLifetime(worker) {}
    }

    @Test(
        "an fsync that fails: the coordinator stops, confirms nothing more, and goes on when it is started again",
        .enabled(if: FaultLibrary.isPossible, "there is no C compiler, or no LD_PRELOAD"))
    func failingSync() async throws {
        let library = try FaultLibrary(in: bank.folder)
        let worker = try bank.worker("w")
        let broken = bank.folder.file("broken")
        let first = try bank.coordinator(environment: library.failingSync(of: "/journal", while: broken))
        try await bank.openAccounts(at: first)
        try await bank.transfer("before", at: first)
        try Data().write(to: URL(fileURLWithPath: broken))
        bank.order("transfer after 1,2,3 10")
        #expect(try await bank.place(at: first) == false)
        #expect(try await first.end() == .exited(73))
        // As the operators' page shows it.
        let sentence = "cannot be written: check its disk and permissions, then start again. (SQLite error 10: "
        #expect(first.errors.elements.last?.hasPrefix("Error: The journal ") == true)
        #expect(first.errors.elements.last?.contains(sentence) == true)
        #expect(!bank.confirmed.contains("after"))

        let second = try bank.coordinator()
        #expect(try await bank.place(at: second))
        #expect(try await bank.complaints(second) == [])
        withExtendedLifetime(worker) {}
    }

    @Test(
        "a second coordinator on the journal is refused, and names the first, which goes on", arguments: [false, true])
    func secondCoordinator(_ isFirstStopped: Bool) async throws {
        let first = try bank.coordinator()
        try await bank.openAccounts(at: first)
        // One that does not move holds its journal as well.
        if isFirstStopped { first.signal(SIGSTOP) }
        let second = try bank.coordinator(bind: "ipc://\(bank.folder.file("s2"))")
        #expect(try await second.end() == .exited(75))
        #expect(second.errors.elements.last?.contains("pid \(first.pid)") == true)
        first.signal(SIGCONT)
        let worker = try bank.worker("w")
        try await bank.transfer("t", at: first)
        #expect(try await bank.complaints(first) == [])
        withExtendedLifetime(worker) {}
    }

    @Test(
        "a wall clock that jumps: nobody is lost, nothing is late",
        .enabled(if: FaultLibrary.isPossible, "there is no C compiler, or no LD_PRELOAD"))
    func jumpingClock() async throws {
        let library = try FaultLibrary(in: bank.folder)
        let clock = bank.folder.file("clock")
        // Not silent is who only had no time for a moment: the clock jumps by hours and days.
        let coordinator = try bank.coordinator(
            ["--patient", "--silence", "30"], environment: library.jumpingClock(clock))
        let worker = try bank.worker("w", environment: library.jumpingClock(clock))
        // From then on the worker has the coordinator's patience.
        try await worker.log("joined the coordinator")
        let before = worker.errors.elements.count
        try await bank.openAccounts(at: coordinator)
        for (number, seconds) in [86_400, -172_800, 31_536_000, -3600, 0].enumerated() {
            try Data("\(seconds)\n".utf8).write(to: URL(fileURLWithPath: clock), options: .atomic)
            try await bank.transfer("t\(number)", at: coordinator)
            _ = try await bank.finish(coordinator)
        }
        #expect(try await bank.complaints(coordinator) == [])
        #expect(try bank.ledger().allSatisfy { $0.asked == 1 })
        let said = coordinator.errors.elements + worker.errors.elements.dropFirst(before)
        #expect(said.filter { $0.contains("silent") || $0.contains("lost") } == [])
    }
}
