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

/// What operators do about failures, by the commands that they use.
@Suite(.patient)
struct OperatorTests {
    private let bank: BankProcesses

    init() throws {
        bank = try BankProcesses()
    }

    /// An outside event as `mobius send` takes it.
    private func transfer(_ id: String) throws -> String {
        let request = Bank.TransferRequest(id: id, route: [1, 2, 3], amount: 10)
        return String(decoding: try JSONEncoder().encode(Bank.Event.transferRequested(request)), as: UTF8.self)
    }

    /// What `mobius send` prints of its target.
    private var target: String { "to main at \(bank.endpoint)-client" }

    /// Sends a transfer; returns what is printed, except the warning that no coordinator was reached for a while.
    private func sent(_ id: String) async throws -> (end: TestProcess.End, said: [String]) {
        let (end, said) = try await bank.mobius("send", try transfer(id), "--key", id, "--timeout", "30m")
        return (end, said.filter { !$0.contains("no coordinator reached") })
    }

    @Test(
        "mobius send: repeated with its key over the coordinator's death, it is applied once",
        arguments: ["coordinator.before-commit", "coordinator.after-commit"])
    func send(_ place: String) async throws {
        let first = try bank.coordinator()
        try await bank.openAccounts(at: first)
        let worker = try bank.worker("w")
        try await first.kill()
        let second = try bank.coordinator(failpoints: "\(place)=kill")
        try await second.log("listening")
        async let answer = sent("t")
        #expect(try await second.end() == .signalled(SIGKILL))
        // A worker that is slow for a moment is not lost, and the transfer is not kept for a worker that may have it.
        let third = try bank.coordinator(["--patient", "--adoption", "1"])
        // The client says it again by itself, and hears whether the death was before the commit or after it.
        let (end, said) = try await answer
        #expect(end == .exited(0))
        let words = place.hasSuffix("after-commit") ? "already applied" : "applied"
        #expect(said.first?.hasPrefix("\(words) \(target) as event ") == true && said.count == 2, "\(said)")
        // The number and the answer are the same, whoever asks.
        let again = try await sent("t").said
        #expect(again.first?.hasPrefix("already applied \(target) as event ") == true, "\(again)")
        #expect(again.first?.split(separator: " ").last == said.first?.split(separator: " ").last)
        #expect(again.last == said.last)
        #expect(try await bank.complaints(third) == [])
        #expect(try bank.ledger().map(\.asked) == [1, 1])
        withExtendedLifetime(worker) {}
    }

    @Test(
        "too many events wait for the disk: senders hear that it is busy, nobody is forgotten, and it goes on",
        .enabled(if: FaultLibrary.isPossible, "there is no C compiler, or no LD_PRELOAD"))
    func fullIntake() async throws {
        let library = try FaultLibrary(in: bank.folder)
        let hanging = bank.folder.file("hanging")
        let coordinator = try bank.coordinator(
            ["--maximum-intake", "20"], environment: library.hangingSync(of: "/journal", while: hanging))
        try await bank.openAccounts(at: coordinator)
        try Data().write(to: URL(fileURLWithPath: hanging))
        let orders = (1...60).map { "audit \($0)" }
        try coordinator.type(orders.joined(separator: "\n") + "\n")
        try await coordinator.output.wait(for: "a refusal of all that are too many") { lines in
            lines.count { $0.hasPrefix("refused audit-") && $0.contains("too much to do") } == 40
        }
        let refused = try await bank.mobius("send", try transfer("t"), "--key", "t", "--timeout", "4s")
        #expect(refused.end == .exited(75))
        #expect(coordinator.output.elements.allSatisfy { !$0.hasPrefix("ok audit-") }, "nothing is on disk")
        try FileManager.default.removeItem(atPath: hanging)
        try await coordinator.output.wait(for: "an answer to all") { lines in
            lines.count { $0.hasPrefix("ok audit-") } == 20
        }
        // The answer to the client was lost with its patience: asking again finds out.
        #expect(
            try await bank.mobius("send", try transfer("t"), "--key", "t").said.first?
                .contains("applied \(target) as event ") == true)
        let worker = try bank.worker("w")
        #expect(try await bank.complaints(coordinator) == [])
        // What was refused was not applied, what was taken was.
        #expect(try await bank.model(of: coordinator).audits.count == 20)
        withExtendedLifetime(worker) {}
    }

    @Test("a full backlog: senders hear that it is busy, and are served when the work goes on")
    func fullBacklog() async throws {
        let coordinator = try bank.coordinator(["--maximum-backlog", "6"])
        try await bank.openAccounts(at: coordinator)
        // Nobody works: each transfer that is taken is one more pending effect. The loop exists, so a quarter more are taken.
        for number in 1...7 { try await bank.transfer("t\(number)", at: coordinator) }
        try coordinator.type("transfer t8 1,2,3 10\n")
        try await coordinator.output.wait(for: "a refusal") { lines in
            lines.contains { $0.hasPrefix("refused t8") && $0.contains("too much to do") }
        }
        #expect(
            try await bank.mobius("send", try transfer("t9"), "--key", "t9", "--timeout", "4s").end == .exited(75))
        // Its reports are no intake: what was taken goes on, and makes room.
        async let patient = sent("t10")
        let worker = try bank.worker("w")
        #expect(try await patient.said.first?.hasPrefix("applied \(target) as event ") == true)
        // The coordinator's own input does not ask twice, and t10 may have taken the last place.
        _ = try await bank.finish(coordinator)
        try await bank.transfer("t8", at: coordinator)
        #expect(try await bank.complaints(coordinator) == [])
        let transfers = try await bank.model(of: coordinator).transfers
        #expect(Set(transfers.keys) == Set((1...8).map { "t\($0)" } + ["t10"]))
        withExtendedLifetime(worker) {}
    }

    @Test("a dead letter outlives its coordinator, and is retried once")
    func deadLetter() async throws {
        let first = try bank.coordinator()
        try await bank.openAccounts(at: first)
        let broken = try bank.worker("broken", ["--broken"])
        for number in 1...2 { bank.order("audit \(number)") }
        try await bank.place(at: first)
        try await eventually("both died") { try await bank.model(of: first).unarchived.count == 2 }
        try await broken.kill()
        try await first.kill()

        let second = try bank.coordinator(["--patient"])
        try await second.log("listening")
        let list = try await bank.mobius("dead", "list")
        #expect(list.end == .exited(0))
        #expect(list.said.count { $0.contains("the archive is locked") } == 2)
        let letters = list.said.dropFirst().map { String($0.prefix { $0 != " " }) }
        let history = try await bank.mobius("history", "--full")
        let attempts = history.said.filter { $0.contains(" failed on ") && $0.hasSuffix("the archive is locked") }
        #expect(!attempts.isEmpty && attempts.count.isMultiple(of: 2), "\(history.said)")
        let worker = try bank.worker("w")
        for _ in 1...2 {
            #expect(try await bank.mobius("dead", "retry", letters[0]).end != .exited(69))
        }
        try await worker.output.wait(for: "an archived audit") { $0.count == 1 }
        #expect(try await bank.mobius("dead", "drop", letters[1]).end == .exited(0))
        try await eventually("there is none left") {
            try await bank.mobius("dead", "list").said == ["There are no dead letters."]
        }
        // What the next coordinator does not know to have ended, and no worker reports in time, is archived again.
        try await eventually("the archiving has ended") {
            try await bank.mobius("effects").said == ["No effects are pending."]
        }
        try await second.kill()
        let third = try bank.coordinator(["--patient"])
        try await third.log("listening")
        #expect(try await bank.mobius("dead", "list").said == ["There are no dead letters."])
        #expect(try await bank.complaints(third) == [])
        #expect(worker.output.elements.count == 1)
    }

    @Test("an event that traps update twice is quarantined; released to a mended build it is applied once")
    func quarantine() async throws {
        // Swift would print the stacks of all threads, which takes seconds.
        let poison = ["BANK_POISON": "poison", "SWIFT_BACKTRACE": "enable=no"]
        let first = try bank.coordinator()
        try await bank.openAccounts(at: first)
        let worker = try bank.worker("w")
        try await first.kill()
        bank.order("transfer poison 1,2,3 10")
        for _ in 1...2 {
            let trapping = try bank.coordinator(environment: poison)
            #expect(try await bank.place(at: trapping) == false)
            guard case .signalled = try await trapping.end() else {
                Issue.record("it did not trap")
                return
            }
        }
        let holding = try bank.coordinator(environment: poison)
        try await holding.log("listening")
        let list = try await bank.mobius("quarantine", "list")
        #expect(list.said.contains { $0.hasPrefix("main ") })
        #expect(try await bank.mobius("send", try transfer("t"), "--key", "t").end == .exited(1))
        try await holding.kill()

        let mended = try bank.coordinator(["--patient"])
        try await mended.log("listening")
        #expect(try await bank.mobius("quarantine", "release", "main").end == .exited(0))
        #expect(try await bank.mobius("quarantine", "list").said == ["No loop is held."])
        #expect(try await bank.place(at: mended))
        #expect(try await bank.complaints(mended) == [])
        #expect(try bank.ledger().map(\.asked) == [1, 1])
        withExtendedLifetime(worker) {}
    }

    @Test("a worker outlives the restoring of a backup, and takes no new effect for one of the lost journal")
    func restore() async throws {
        // One that gives nobody up who only had no time for a moment, as the last one.
        let first = try bank.coordinator(["--patient"])
        try await bank.openAccounts(at: first)
        let worker = try bank.worker("w")
        try await bank.transfer("kept", at: first)
        _ = try await bank.finish(first)
        #expect(try await bank.journal("backup", bank.journal, bank.folder.file("backup")) == .exited(0))
        try await bank.transfer("lost", at: first)
        _ = try await bank.finish(first)
        var last = first
        // So that the backup's next epoch is one that the worker would refuse.
        for _ in 1...4 {
            try await last.kill()
            last = try bank.coordinator()
            try await last.log("worker joined")
        }
        try await last.kill()

        for end in ["", "-wal", "-shm"] {
            try FileManager.default.moveItem(atPath: bank.journal + end, toPath: bank.folder.file("lost" + end))
        }
        #expect(try await bank.journal("restore", bank.folder.file("backup"), bank.journal) == .exited(0))
        let restored = try bank.coordinator(["--patient"])
        try await worker.log("the coordinator has another journal now")
        try await bank.transfer("new", at: restored)
        let model = try await bank.finish(restored)
        #expect(Set(model.transfers.keys) == ["kept", "new"])
        // The worker books under the idempotency key, and nothing twice.
        let rows = try bank.ledger()
        #expect(rows.map(\.asked) == [1, 1, 1, 1, 1, 1])
        let booked = rows.compactMap { row in
            if case .booking(let booking) = row.entry.deed { booking.id } else { nil }
        }
        #expect(booked.sorted() == ["kept", "kept", "lost", "lost", "new", "new"])
    }

    @Test("a timer that is due while nobody runs fires once, when the next coordinator starts")
    func overdueTimer() async throws {
        let first = try bank.coordinator(["--watch", "2000"])
        try await bank.openAccounts(at: first)
        // Both at once, so that the coordinator is killed before either fires.
        bank.order("interest i")
        try await bank.transfer("t", " watched", at: first)
        try await first.kill()
        // On a busy machine interest may have been paid before the kill.
        let shown = try TestProcess("mobius", ["journal", "show", bank.journal, "--json", "--limit", "1000"])
        #expect(try await shown.end() == .exited(0))
        let before = shown.output.elements.count { $0.contains("interestDue") }
        // Twice as long as both timers: what was missed by the repeating one counts as one.
        let start = ContinuousClock.now
        try await eventually("time passes") { ContinuousClock.now - start > .milliseconds(4100) }
        let second = try bank.coordinator(["--watch", "60000"])
        try await eventually("both have fired") {
            let model = try await bank.model(of: second)
            return model.watches["t"] == true && model.interest["i"]?.times == before + 1
        }
        bank.order("end-interest i")
        try await bank.place(at: second)
        let worker = try bank.worker("w")
        #expect(try await bank.complaints(second) == [])
        withExtendedLifetime(worker) {}
    }
}
