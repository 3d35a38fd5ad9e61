import FleetTestSupport
import Foundation
import Subprocess
import TestTraits
import Testing

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// `mobius status --watch` at a terminal and in a pipe, of a real fleet.
@Suite("mobius status --watch", .patient, .serialized)
struct WatchTests {
    private let stage: Stage

    init() throws {
        stage = try Stage()
        try stage.script(
            "loop", "exec \(try TestProcess.executable("bank-coordinator").path) --journal $STAGE/bank.journal")
        try stage.script("worker", "exec \(try TestProcess.executable("bank-worker").path) --ledger $STAGE/$$.ledger")
        try stage.write(
            "bank.yaml",
            "name: bank\ncoordinator: {command: [./loop]}\npools: {bank: {command: [./worker], concurrency: 7}}")
    }

    @Test("On a terminal each picture takes the place of the one before, until Ctrl-C")
    func terminal() async throws {
        _ = try await stage.mobius(["up", "bank.yaml"]) { up in
            try await stage.errors(contain: "joined the coordinator")
            let terminal = try PseudoTerminal()
            let end = try await stage.mobius(["status", "--watch", "--every", "100ms"], on: terminal) {
                try await terminal.shows("joined        0       7")
                // Without its session the process is told by mobius up alone.
                try await terminal.shows("1/1         0")
                try terminal.type("\u{3}")
            }
            #expect(end == .signaled(SIGINT))
            #expect(terminal.screen.contains("\u{1B}[H\u{1B}[K") && terminal.isUsual)
            kill(up, SIGTERM)
        }
    }

    @Test("For machines: an object a line, also while nobody answers")
    func lines() async throws {
        _ = try await stage.mobius(["up", "bank.yaml"]) { up in
            try await stage.errors(contain: "joined the coordinator")
            let watch = try TestProcess(
                "mobius", ["status", "--watch", "--json", "--every", "100ms"],
                environment: ["MOBIUS_RUNTIME_DIR": stage.path("")])
            try await watch.output.wait(for: "three lines") { $0.count >= 3 }
            let line = try #require(watch.output.elements.last)
            let object = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
            #expect(object["program"] as? String == "bank")
            #expect(object["eventsPerSecond"] as? Int == 0)
            let processes = try #require(object["processes"] as? [[String: Any]])
            #expect(processes.map { $0["process"] as? String } == ["bank", "bank.1"])
            #expect(processes.map { $0["restarts"] as? Int } == [0, 0])
            kill(up, SIGTERM)
            try await watch.output.wait(for: "unreachable") { $0.last?.contains("\"unreachable\":") == true }
            watch.signal(SIGTERM)
            #expect(try await watch.end() == .signalled(SIGTERM))
        }
    }

    @Test("Restarts are counted, and the second run of a process has a name of its own")
    func restarts() async throws {
        _ = try await stage.mobius(["up", "bank.yaml"]) { up in
            try await stage.errors(contain: "joined the coordinator")
            let pid = try #require(
                try stage.read("stderr").firstMatch(of: /Started pid=(\d+) process=bank\.1/).flatMap { Int32($0.1) })
            kill(pid, SIGKILL)
            try await eventually("the second run") {
                let text = try await stage.command(["status"]).output
                return text.contains("bank.1~2")
            }
            let watch = try TestProcess(
                "mobius", ["status", "--watch"], environment: ["MOBIUS_RUNTIME_DIR": stage.path("")])
            try await watch.output.wait(for: "a restart") { lines in
                lines.contains { $0.hasPrefix("bank.1~2") && $0.hasSuffix(" 1") }
            }
            watch.signal(SIGINT)
            #expect(try await watch.end() == .signalled(SIGINT))
            kill(up, SIGTERM)
        }
    }
}
