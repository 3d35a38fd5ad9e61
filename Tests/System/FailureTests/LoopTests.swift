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

/// Coordinators that die around the commits of events between loops, and of loops' ends.
@Suite(.patient)
struct LoopTests {
    private let bank: BankProcesses

    init() throws {
        bank = try BankProcesses()
    }

    @Test(
        "SIGKILL around the commits of what loops send to each other: it arrives once, and no money is lost",
        arguments: ["coordinator.before-commit", "coordinator.after-commit"])
    func sentOnce(_ place: String) async throws {
        // Each is a commit of its own, and so are its way to the other loop and back.
        let (last, sent) = try await killed(at: place) { "remit r\($0) branch 1" }
        try await eventually("all \(sent) remittances are back") {
            try await bank.model(of: last).received.count == sent
        }
        let (main, branch) = (try await bank.model(of: last), try await model(of: "branch"))
        #expect(Bank.reconcile(["main": main, "branch": branch]) == [])
        #expect(Bank.check(main) + Bank.check(branch) == [])
        #expect(branch.received.count == sent)
        #expect(try JournalAudit(path: bank.journal).doubled == [])
        let verification = try bank.coordinator(["--verify"])
        #expect(try await verification.end() == .exited(0))
        #expect(try await bank.journal("verify", bank.journal) == .exited(0))
    }

    @Test(
        "SIGKILL around the commits of what loops ask each other: it arrives once, and is answered or refused once",
        arguments: ["coordinator.before-commit", "coordinator.after-commit"])
    func askedOnce(_ place: String) async throws {
        // Every third is for an amount that all loops refuse.
        let (last, sent) = try await killed(at: place) { "ask a\($0) branch \($0 % 3 == 0 ? 10 : 1)" }
        let taken = (1...sent).filter { $0 % 3 != 0 }.map { "a\($0)" }
        try await eventually("all \(sent) are answered or refused") {
            let model = try await bank.model(of: last)
            return model.asked.isEmpty && model.answers.count == taken.count
        }
        let (main, branch) = (try await bank.model(of: last), try await model(of: "branch"))
        #expect(Bank.reconcile(["main": main, "branch": branch]) == [])
        #expect(Bank.check(main) + Bank.check(branch) == [])
        #expect(Set(main.answers.keys) == Set(taken) && Set(branch.received.keys) == Set(taken))
        // No two answers are equal: each says how many events the branch had applied.
        #expect(Set(main.answers.values).count == taken.count)
        #expect(main.unanswered == [])
        #expect(try JournalAudit(path: bank.journal).doubled == [])
        let history = try await bank.mobius("history", "main").said
        #expect(history.contains { $0.contains("answer to ") } && history.contains { $0.contains("was refused: ") })
        let verification = try bank.coordinator(["--verify"])
        #expect(try await verification.end() == .exited(0))
        #expect(try await bank.journal("verify", bank.journal) == .exited(0))
    }

    @Test(
        "SIGKILL around the steps in which a loop leaves memory: what others send to it arrives once",
        arguments: ["coordinator.before-parking", "coordinator.after-parking"])
    func sentOnceToIdleLoops(_ place: String) async throws {
        let idle = ["--idle-after", "20ms"]
        let first = try bank.coordinator(idle)
        try await bank.openAccounts(at: first)
        try await first.kill()
        var sent = 0
        for count in 1...6 {
            let coordinator = try bank.coordinator(failpoints: "\(place)=kill@\(count)", idle)
            // Each branch has time to leave before its next turn.
            repeat {
                sent += 1
                bank.order("remit r\(sent) branch\(sent % 40) 1")
            } while try await bank.place(at: coordinator)
            #expect(try await coordinator.end() == .signalled(SIGKILL))
        }
        let last = try bank.coordinator(idle)
        #expect(try await bank.place(at: last))
        try await eventually("all \(sent) remittances are back") {
            try await bank.model(of: last).received.count == sent
        }
        var books = ["main": try await bank.model(of: last)]
        for branch in Set((1...sent).map { "branch\($0 % 40)" }) { books[branch] = try await model(of: branch) }
        #expect(Bank.reconcile(books) == [])
        #expect(books.values.flatMap { Bank.check($0) } == [])
        #expect(books.values.reduce(0) { $0 + $1.received.count } == 2 * sent)
        #expect(try JournalAudit(path: bank.journal).doubled == [])
        #expect(try await bank.journal("verify", bank.journal) == .exited(0))
    }

    @Test(
        "SIGKILL around the commit of a loop's end: it has ended, nothing of it runs, and its last model can be read",
        arguments: ["coordinator.before-commit", "coordinator.after-commit"])
    func endedOnce(_ place: String) async throws {
        let first = try bank.coordinator()
        try await bank.openAccounts(at: first)
        try await bank.transfer("t", at: first)
        try await first.kill()
        let second = try bank.coordinator(failpoints: "\(place)=kill@1")
        bank.order("close closed")
        #expect(try await !bank.place(at: second))
        #expect(try await second.end() == .signalled(SIGKILL))
        let third = try bank.coordinator()
        #expect(try await bank.place(at: third))
        let loops = try await bank.mobius("loops", "--json").said
        #expect(loops.contains { $0.contains("\"loop\":\"main\"") && $0.contains("\"state\":\"ended\"") }, "\(loops)")
        #expect(try await model(of: "main").hasClosed)
        let effects = try await bank.mobius("effects", "--json").said
        #expect(!effects.contains { $0.contains("main/") }, "\(effects)")
        let worker = try bank.worker("w")
        try await worker.log("joined the coordinator")
        try third.type("list late 3\n")
        try await third.output.wait(for: "a refusal") {
            $0.contains { $0.hasPrefix("refused late") && $0.contains("ended at") }
        }
        try await third.kill()
        // Once more, from the journal alone.
        let fourth = try bank.coordinator()
        #expect(try await model(of: "main").hasClosed)
        try fourth.type("stop\n")
        #expect(try await fourth.end() == .exited(0))
        #expect(try bank.ledger().isEmpty)
        #expect(try await bank.journal("verify", bank.journal) == .exited(0))
        let verification = try bank.coordinator(["--verify"])
        #expect(try await verification.end() == .exited(0))
    }

    /// Places orders, numbered from 1, with coordinators of which each is killed one commit later than the one before.
    ///
    /// - Returns: a coordinator that has taken all orders, and their number.
    private func killed(at place: String, _ order: (Int) -> String) async throws -> (last: TestProcess, sent: Int) {
        let first = try bank.coordinator()
        try await bank.openAccounts(at: first)
        try await first.kill()
        var sent = 0
        for count in 1...6 {
            let coordinator = try bank.coordinator(failpoints: "\(place)=kill@\(count)")
            repeat {
                sent += 1
                bank.order(order(sent))
            } while try await bank.place(at: coordinator)
            #expect(try await coordinator.end() == .signalled(SIGKILL))
        }
        let last = try bank.coordinator()
        #expect(try await bank.place(at: last))
        return (last, sent)
    }

    private struct Answer: Decodable {
        let model: Bank.Model
    }

    private func model(of loop: String) async throws -> Bank.Model {
        var answer: Answer?
        try await eventually("the model of \(loop)") {
            let (end, said) = try await bank.mobius("model", loop, "--json")
            guard end == .exited(0), let line = said.first(where: { $0.hasPrefix("{") }) else { return false }
            answer = try JSONDecoder().decode(Answer.self, from: Data(line.utf8))
            return true
        }
        return try #require(answer).model
    }
}
