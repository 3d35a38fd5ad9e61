import FleetTestSupport
import Foundation
import Subprocess
import SystemPackage
import TestTraits
import Testing

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Whole fleets of `mobius up`: a coordinator with a journal, workers with work that takes its time.
@Suite("Fleets that change while they work", .patient, .serialized)
struct FollowingTests {
    private let stage: Stage

    init() throws {
        stage = try Stage()
        // Each worker has a ledger of its own; a line takes 30 ms.
        try stage.script(
            "worker", "exec \(try TestProcess.executable("bank-worker").path) --ledger $STAGE/$$.ledger --work 30")
        try stage.script(
            "loop",
            "exec \(try TestProcess.executable("bank-coordinator").path) --journal $STAGE/bank.journal")
    }

    private func topology(_ pool: String) throws {
        try stage.write(
            "bank.yaml",
            "name: bank\ncoordinator: {command: [./loop]}\npools: {bank: {command: [./worker], concurrency: 2, \(pool)}}"
        )
    }

    /// Asks for so many lists of so many lines each, and returns when that is on disk.
    private func ask(lists: Int, lines: Int, from first: Int = 0) async throws {
        let mobius = try Stage.mobius()
        // Several at a time: on a busy machine one after the other would come more slowly than two workers are.
        let loop = """
            seq \(first) \(first + lists - 1) | xargs -P 8 -I % \
                "$0" send '{"statementRequested":{"_0":{"id":"s%","lines":\(lines)}}}' --key s% --fleet bank
            """
        let end = try await Subprocess.run(
            .path("/bin/sh"), arguments: ["-c", loop, mobius], environment: stage.environment, output: .discarded,
            error: .string(limit: 10_000))
        try #require(end.terminationStatus == .exited(0), "\(end.standardError)")
    }

    /// The first number under a key of the status.
    private func number(_ key: String, adding variables: [Environment.Key: String?] = [:]) async throws -> Int? {
        let text = try await stage.command(["status", "--json", "--fleet", "bank"], adding: variables).output
        return text.firstRange(of: "\"\(key)\":").flatMap { Int(text[$0.upperBound...].prefix(while: \.isNumber)) }
    }

    @Test("Replaced in the middle of its work, a pool loses nothing and does nothing twice")
    func replace() async throws {
        try topology("replicas: 2")
        let end = try await stage.mobius(["up", "bank.yaml"]) { up in
            try await eventually("two workers") { try await number("workers") == 2 }
            try await ask(lists: 20, lines: 10)
            let replaced = try await stage.command(["replace", "bank"])
            #expect(replaced.status == .exited(0), "\(replaced.errors)")
            #expect(replaced.output.hasSuffix("bank: 2 of 2 replaced, at bank\n"))
            try await ask(lists: 5, lines: 10, from: 20)
            try await eventually("all lists") { try await number("pendingEffects") == 0 }
            // Each list is asked for by one event and has ten; a second attempt of one would add its own.
            #expect(try await number("lastSequence") == 25 * 11)
            #expect(try await number("deadLetters") == 0)
            kill(up, SIGTERM)
        }
        #expect(end.status == .exited(0))
        #expect(!end.errors.contains("restarting"))
    }

    @Test("What workers cannot finish in their grace they hand back, and leave by themselves")
    func drain() async throws {
        // Workers use half of the drain time that `mobius up` sets, so that they end in time on a busy machine, too.
        try stage.script(
            "worker",
            "exec \(try TestProcess.executable("bank-worker").path) --ledger $STAGE/$$.ledger --work 30 "
                + "--drain-timeout $((${MOBIUS_DRAIN_TIMEOUT%s} / 2))s")
        try topology("stop-grace: 20s")
        let end = try await stage.mobius(["up", "bank.yaml"]) { up in
            try await eventually("a worker") { try await number("workers") == 1 }
            try await ask(lists: 2, lines: 100_000)
            try await eventually("both run") { try await number("running") == 2 }
            kill(up, SIGTERM)
        }
        #expect(end.status == .exited(0))
        #expect(end.errors.contains("gave up") || end.errors.contains("left"), "\(end.errors)")
        #expect(!end.errors.contains("Killed"), "\(end.errors)")
    }

    @Test("Asked over HTTP, each at an address of its own, those that hang are started again")
    func health() async throws {
        try stage.script(
            "worker",
            "echo $$ >>$STAGE/pids; exec \(try TestProcess.executable("bank-worker").path) --ledger $STAGE/$$.ledger")
        try topology(
            "replicas: 2, stop-grace: 1s, "
                + "health: {http: /livez, every: 100ms, timeout: 2s, failures: 3, start: 1m}")
        func pids() -> [Int32] {
            let text = try? String(contentsOfFile: stage.path("pids"), encoding: .utf8)
            return (text ?? "").split(separator: "\n").compactMap { Int32($0) }
        }
        let end = try await stage.mobius(["up", "bank.yaml"]) { up in
            try await eventually("two workers") { try await number("workers") == 2 }
            let replaced = try await stage.command(["replace", "bank"])
            #expect(replaced.status == .exited(0), "\(replaced.errors)")
            let before = pids()
            #expect(before.count == 4)
            kill(try #require(before.last), SIGSTOP)
            try await eventually("another") { pids().count == 5 }
            try await stage.errors(contain: "Not healthy, stopping it because=\"no answer within 2s\"")
            kill(up, SIGTERM)
        }
        #expect(end.status == .exited(0))
        #expect(end.lines.count { $0.contains("Not healthy") } == 1)
    }

    @Test("An answer that is no success is no sign of health")
    func illness() async throws {
        try topology("health: {http: /nothing, every: 200ms, failures: 15}")
        let end = try await stage.mobius(["up", "bank.yaml"]) { up in
            try await stage.errors(contain: "Not healthy, stopping it because=\"GET /nothing: 404 Not Found\"")
            kill(up, SIGTERM)
        }
        #expect(end.status == .exited(0))
    }

    @Test("Where the coordinator asks for keys, mobius up shows its own")
    func keys() async throws {
        let keys = stage.path("keys")
        for rights in [["work", "--worker", "*"], ["ops", "--client", "read"]] {
            let made = try await stage.command(["keys", "new"] + rights + ["--keys", keys])
            try #require(made.status == .exited(0), "\(made.errors)")
        }
        try topology("replicas: 1, environment: {MOBIUS_KEY: \(keys)/work.key}")
        let text = try stage.read("bank.yaml").replacing(
            "command: [./loop]", with: "command: [./loop], environment: {MOBIUS_KEYS: \(keys)}")
        try stage.write("bank.yaml", text)
        let own: [Environment.Key: String?] = ["MOBIUS_KEY": "\(keys)/ops.key"]
        _ = try await stage.mobius(["up", "bank.yaml"], adding: own) { up in
            try await eventually("a worker") { try await number("workers", adding: own) == 1 }
            let replaced = try await stage.command(["replace", "bank"])
            #expect(replaced.output.hasSuffix("bank: 1 of 1 replaced, at bank\n"), "\(replaced.errors)")
            kill(up, SIGTERM)
        }
        let wrong = try await stage.mobius(["up", "bank.yaml"], adding: ["MOBIUS_KEY": stage.path("none.key")])
        #expect(wrong.status == .exited(78))
    }

    @Test("Work that waits brings workers, and rest takes them away")
    func follows() async throws {
        try topology("replicas: auto(1...3), scaling: {age: 200ms, cooldown: 1s, idle: 2s}")
        let end = try await stage.mobius(["up", "bank.yaml"]) { up in
            try await eventually("a worker") { try await number("workers") == 1 }
            // Each takes three seconds, so two workers cannot keep up even if half a second passes between two of them.
            try await ask(lists: 16, lines: 100)
            try await stage.errors(contain: "from=2 pool=bank to=3")
            try await eventually("all lists") { try await number("pendingEffects") == 0 }
            try await stage.errors(contain: "would have sufficed for 2s")
            try await eventually("one worker") { try await number("workers") == 1 }
            #expect(try await number("lastSequence") == 16 * 101)
            #expect(try await number("deadLetters") == 0)
            kill(up, SIGTERM)
        }
        #expect(end.status == .exited(0))
        #expect(end.lines.contains { $0.contains("Scaling") && $0.contains("from=1 pool=bank to=2") })
    }
}
