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

/// What operators do by hand to effects, loops and pools, by the commands that they use.
@Suite(.patient)
struct OperatorActTests {
    private let bank: BankProcesses

    init() throws {
        bank = try BankProcesses()
    }

    @Test("effects are cancelled, failed and completed by hand, and timers fire, with who and why in the history")
    func acts() async throws {
        let coordinator = try bank.coordinator()
        try await bank.openAccounts(at: coordinator)
        // Nobody works: all of it waits.
        bank.order("transfer failed 1,2 10")
        bank.order("transfer completed 1,2 10")
        bank.order("interest interest")
        bank.order("list list 3")
        try await bank.place(at: coordinator)
        let effects = try await pending()
        func effect(_ part: String) throws -> String {
            try #require(effects.first { $0.value.contains(part) }?.key, "\(part) in \(effects)")
        }
        let (failed, list) = (try effect(#""failed""#), try effect(#""list""#))
        let (completed, interest) = (try effect(#""completed""#), try effect("interest"))
        let done = #"{"booked":{"id":"completed","hop":0}}"#
        for (arguments, words) in [
            (["fail", failed], "failed"), (["complete", completed, "--event", done], "completed"),
            (["cancel", list], "cancelled"), (["fire", interest], "fired"), (["fire", interest], "fired"),
        ] {
            let (end, said) = try await mobius(["effects"] + arguments + ["--why", "the night shift"])
            #expect(end == .exited(0) && said.first?.hasPrefix("\(arguments[1]) \(words), at ") == true, "\(said)")
        }
        // What is not there, what is no timer, and what the program cannot read.
        #expect(try await mobius(["effects", "cancel", list, "--why", "again"]).end == .exited(1))
        bank.order("audit 1")
        bank.order("transfer open 1,2 10")
        try await bank.place(at: coordinator)
        let open = try #require(try await pending().first { $0.value.contains(#""open""#) }?.key)
        let timer = try await mobius(["effects", "fire", open, "--why", "no"])
        #expect(timer.end == .exited(1) && timer.said.contains { $0.contains("Only a timer can fire") }, "\(timer)")
        let strange = try await mobius(["effects", "complete", open, "--event", #"{"a":1}"#, "--why", "no"])
        #expect(strange.end == .exited(1) && strange.said.contains { $0.contains("cannot be read") }, "\(strange)")
        // All of it is on disk.
        try await coordinator.kill()
        let second = try bank.coordinator()
        let model = try await bank.model(of: second)
        #expect(model.transfers["failed"]?.state == .unclear && model.transfers["completed"]?.state == .done)
        // Or more, where this took longer than the time between two.
        #expect(model.interest["interest"]?.times ?? 0 >= 2)
        #expect(try await pending()[list] == nil)
        let history = try await mobius(["history", "main"]).said
        for act in ["fail", "complete", "cancel", "fire"] {
            #expect(
                history.contains { $0.contains("an operator asked to \(act) ") && $0.hasSuffix("the night shift") },
                "\(history)")
        }
        #expect(try await bank.journal("verify", bank.journal) == .exited(0))
    }

    @Test(
        "a loop that an operator ends around a SIGKILL has ended once, nothing of it runs, and its history says why",
        arguments: ["coordinator.before-commit", "coordinator.after-commit"])
    func ends(_ place: String) async throws {
        let first = try bank.coordinator()
        try await bank.openAccounts(at: first)
        bank.order("transfer open 1,2 10")
        bank.order("interest interest")
        try await bank.place(at: first)
        let unknown = try await mobius(["end", "mein", "--why", "no"])
        #expect(unknown.end == .exited(1) && unknown.said.contains { $0.contains("Did you mean main?") }, "\(unknown)")
        try await first.kill()
        let second = try bank.coordinator(failpoints: "\(place)=kill@1")
        try await second.log("listening")
        async let ending = mobius(["end", "main", "--why", "a test order", "--timeout", "1h"])
        #expect(try await second.end() == .signalled(SIGKILL))
        let third = try bank.coordinator()
        let words = place.hasSuffix("after-commit") ? "has ended before" : "ended"
        let (end, said) = try await ending
        #expect(end == .exited(0) && said.contains { $0.hasPrefix("main \(words), at ") }, "\(said)")
        let again = try await mobius(["end", "main", "--why", "again"])
        #expect(again.end == .exited(1) && again.said.contains { $0.contains("ended at") }, "\(again)")
        #expect(try await pending() == [:])
        let loops = try await mobius(["loops", "--json"]).said
        #expect(loops.contains { $0.contains("\"loop\":\"main\"") && $0.contains("\"state\":\"ended\"") }, "\(loops)")
        let history = try await mobius(["history", "main"]).said
        #expect(
            history.count { $0.contains("an operator asked to end the loop") && $0.hasSuffix("a test order") } == 1,
            "\(history)")
        #expect(history.last?.contains("that ended the loop") == true, "\(history)")
        let worker = try bank.worker("w")
        try await worker.log("joined the coordinator")
        try third.type("list late 3\n")
        try await third.output.wait(for: "a refusal") {
            $0.contains { $0.hasPrefix("refused late") && $0.contains("ended at") }
        }
        #expect(try await mobius(["model", "main"]).said.contains { $0.contains("\"open\"") })
        try await third.kill()
        #expect(try bank.ledger().isEmpty)
        #expect(try await bank.journal("verify", bank.journal) == .exited(0))
        let verification = try bank.coordinator(["--verify"])
        #expect(try await verification.end() == .exited(0))
    }

    @Test(
        "a paused pool gets nothing new over SIGKILLs, also one amid the command, until it is resumed; what runs goes on"
    )
    func pauses() async throws {
        let first = try bank.coordinator(["--patient"])
        try await bank.openAccounts(at: first)
        let worker = try bank.worker("w", hold: "before")
        try await worker.log("joined the coordinator")
        bank.order("transfer running 1,2 10")
        try await bank.place(at: first)
        try await worker.output.wait(for: "the handler to begin") { !$0.isEmpty }
        let unknown = try await mobius(["pools", "pause", "bakn", "--why", "no"])
        #expect(
            unknown.end == .exited(0) && unknown.said.last?.hasSuffix("bakn: check its spelling.") == true, "\(unknown)"
        )
        #expect(try await mobius(["pools", "resume", "bakn"]).end == .exited(0))
        let paused = try await mobius(["pools", "pause", "bank", "--why", "the vault is shut"])
        #expect(paused.end == .exited(0) && paused.said.count == 1, "\(paused)")
        let again = try await mobius(["pools", "pause", "bank", "--why", "again"])
        #expect(
            again.end == .exited(0) && again.said.first?.hasPrefix("bank is paused already, at ") == true, "\(again)")
        bank.order("transfer waiting 1,3 10")
        try await bank.place(at: first)
        try worker.type("go\n")
        try await eventually("the end of what runs") {
            try await bank.model(of: first).transfers["running"]?.state == .done
        }
        // The next coordinator knows it from the journal.
        try await first.kill()
        let second = try bank.coordinator(["--patient"])
        bank.order("audit 1")
        try await bank.place(at: second)
        // One that ends amid the command has done it, or the next one does.
        async let pausing = mobius(["pools", "pause", "other", "--why", "amid", "--timeout", "1h"])
        try await second.kill()
        let third = try bank.coordinator(["--patient"])
        let end = try await pausing
        #expect(end.end == .exited(0), "\(end)")
        #expect(try await mobius(["status"]).said.contains { $0.contains("the pool other is paused since ") })
        func shows(_ said: [String]) -> Bool {
            said.contains { $0.contains("the pool bank is paused since ") && $0.contains(": the vault is shut") }
        }
        #expect(shows(try await mobius(["status"]).said))
        // Until a worker might still have it, that is why it waits.
        try await eventually("that is why it waits") { try await shows(mobius(["effects", "--why", "main"]).said) }
        #expect(try await mobius(["status", "--json"]).said.contains { $0.contains(#""why":"the vault is shut""#) })
        #expect(try bank.ledger().count == 1)
        let resumed = try await mobius(["pools", "resume", "bank"])
        #expect(resumed.end == .exited(0) && resumed.said.first?.hasPrefix("bank resumed, at ") == true, "\(resumed)")
        let twice = try await mobius(["pools", "resume", "bank"])
        #expect(twice.end == .exited(1) && twice.said.contains { $0.contains("bank is not paused, at ") }, "\(twice)")
        #expect(try await bank.complaints(third) == [])
        #expect(try bank.ledger().count == 2)
        #expect(try await bank.journal("verify", bank.journal) == .exited(0))
    }

    private func mobius(_ arguments: [String]) async throws -> (end: TestProcess.End, said: [String]) {
        let process = try TestProcess("mobius", arguments + ["--connect", "\(bank.endpoint)-client"])
        let end = try await process.end()
        return (end, process.output.elements + process.errors.elements)
    }

    /// The pending effects of the loop `main`, and their contents.
    private func pending() async throws -> [String: String] {
        var found: [String: String] = [:]
        for line in try await mobius(["effects", "--json"]).said {
            guard let id = line.firstMatch(of: #/"id":"(main[^"]*)"/#)?.output.1 else { continue }
            found["\(id)"] = try await mobius(["effects", "show", "\(id)"]).said.joined(separator: " ")
        }
        return found
    }
}
