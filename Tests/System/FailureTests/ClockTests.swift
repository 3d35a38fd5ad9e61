import Bank
import BankFleet
import FleetTestSupport
import Foundation
import TestTraits
import Testing

/// Calendars that jump while durable timers wait.
@Suite(
    .patient, .enabled(if: FaultLibrary.isPossible, "there is no C compiler, or no LD_PRELOAD"))
struct ClockTests {
    private let bank: BankProcesses
    private let clock: String
    private let environment: [String: String]

    init() throws {
        bank = try BankProcesses()
        clock = bank.folder.file("clock")
        environment = try FaultLibrary(in: bank.folder).jumpingClock(clock)
    }

    private func jump(to seconds: Int) throws {
        try Data("\(seconds)\n".utf8).write(to: URL(fileURLWithPath: clock), options: .atomic)
    }

    @Test("a timer that counts from its event is neither early nor late", arguments: [86_400, -172_800])
    func relative(_ seconds: Int) async throws {
        let pause = Duration.milliseconds(2000)
        let coordinator = try bank.coordinator(["--watch", "2000"], environment: environment)
        try await bank.openAccounts(at: coordinator)
        let start = ContinuousClock.now
        bank.order("interest i")
        // Nobody carries it out, so its watch fires.
        try await bank.transfer("t", " watched", at: coordinator)
        let asked = ContinuousClock.now
        try jump(to: seconds)
        try await eventually("the watch fires") { try await bank.model(of: coordinator).watches["t"] == true }
        let fired = ContinuousClock.now
        #expect(fired - start >= pause)
        #expect(fired - asked < Patience.limit, "not days later")
        try await eventually("the repeating one goes on") {
            try await bank.model(of: coordinator).interest["i"]?.times ?? 0 >= 3
        }
        let model = try await bank.model(of: coordinator)
        let most = max(3, Int((ContinuousClock.now - start) / pause) + 1)
        #expect(
            model.interest["i"].map { (3...most).contains($0.times) } == true, "not once for each that the jump passed")
        bank.order("end-interest i")
        try await bank.place(at: coordinator)
        let worker = try bank.worker("w")
        #expect(try await bank.complaints(coordinator) == [])
        withExtendedLifetime(worker) {}
    }

    @Test("what the calendar passed while nobody ran fires once, at the start")
    func overdue() async throws {
        let first = try bank.coordinator(["--watch", "3600000"], environment: environment)
        try await bank.openAccounts(at: first)
        bank.order("interest i")
        try await bank.place(at: first)
        try await bank.transfer("t", " watched", at: first)
        try await first.kill()
        try jump(to: 86_400)
        let second = try bank.coordinator(["--watch", "3600000"], environment: environment)
        try await eventually("both have fired") {
            let model = try await bank.model(of: second)
            return model.watches["t"] == true && model.interest["i"]?.times == 1
        }
        // The calendar comes back: what fired does not fire again.
        try jump(to: 0)
        try await second.kill()
        let third = try bank.coordinator(["--watch", "3600000"], environment: environment)
        bank.order("end-interest i")
        try await bank.place(at: third)
        let worker = try bank.worker("w")
        #expect(try await bank.complaints(third) == [])
        let model = try await bank.model(of: third)
        #expect(model.interest["i"]?.times == 1)
        withExtendedLifetime(worker) {}
    }
}
