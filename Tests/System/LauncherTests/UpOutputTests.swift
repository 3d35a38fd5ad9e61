import FleetTestSupport
import Foundation
import Subprocess
import TestTraits
import Testing

/// What people see of a fleet.
@Suite("Output of mobius up", .patient)
struct UpOutputTests {
    private let stage: Stage
    private let diary: Diary

    init() throws {
        stage = try Stage()
        diary = try Diary(stage)
        try stage.write(
            "fleet.yaml",
            """
            name: talk
            coordinator: {command: [./loop]}
            pools: {w: {command: [./worker], replicas: 2}}
            """)
    }

    @Test("Workers are prefixed on stderr, the coordinator's stdout is untouched")
    func prefixes() async throws {
        try stage.script(
            "worker", "trap 'exit 0' TERM; echo out; echo err >&2; printf part; echo w >$DIARY; sleep 1000 & wait")
        try stage.script("loop", "printf 'a\\nb'; echo trouble >&2; read go <$STAGE/gate; exit 0")
        let gate = try Gate(stage)
        let end = try await stage.mobius(["up", "fleet.yaml"]) { _ in
            for _ in 0..<2 { try await diary.next("w") }
            gate.release()
        }
        #expect(end.output == "a\nb")
        let own = end.lines.filter { !$0.contains(" mobius: ") }
        #expect(
            Set(own) == [
                "w.1 | out", "w.1 | err", "w.1 | part", "w.2 | out", "w.2 | err", "w.2 | part", "talk | trouble",
            ])
        #expect(own.count == 7)
        let log = end.lines.filter { $0.contains(" mobius: ") }
        #expect(log.count { $0.contains(" info mobius: Started pid=") } == 3)
        #expect(log.contains { $0.hasSuffix(" info mobius: Ended because=\"exit code 0\" process=talk") })
    }

    @Test("Escape sequences of processes are shown as codes, unless --raw-output is given", arguments: [false, true])
    func controls(raw: Bool) async throws {
        try stage.script("worker", "printf '\\033[2Jout\\302\\2332J\\n'; echo w >$DIARY; sleep 1000 & wait")
        try stage.script("loop", "read go <$STAGE/gate; exit 0")
        let gate = try Gate(stage)
        let end = try await stage.mobius(["up", "fleet.yaml"] + (raw ? ["--raw-output"] : [])) { _ in
            for _ in 0..<2 { try await diary.next("w") }
            gate.release()
        }
        let shown = raw ? "\u{1B}[2Jout\u{9B}2J" : #"\u{1b}[2Jout\u{9b}2J"#
        #expect(Set(end.lines.filter { !$0.contains(" mobius: ") }) == ["w.1 | " + shown, "w.2 | " + shown])
    }

    @Test("Lines of a million bytes from two workers at once stay whole")
    func longLines() async throws {
        try stage.script(
            "worker",
            """
            trap 'exit 0' TERM
            for i in 1 2 3; do head -c 1000000 /dev/zero | tr '\\0' x; echo; echo short; done
            echo w >$DIARY
            sleep 1000 & wait
            """)
        try stage.script("loop", "read go <$STAGE/gate; exit 0")
        let gate = try Gate(stage)
        let end = try await stage.mobius(["up", "fleet.yaml"]) { _ in
            for _ in 0..<2 { try await diary.next("w") }
            gate.release()
        }
        let long = String(repeating: "x", count: 1_000_000)
        for worker in ["w.1 | ", "w.2 | "] {
            let lines = end.lines.filter { $0.hasPrefix(worker) }.map { String($0.dropFirst(worker.count)) }
            // Not the arrays in the expectation: a failure would print megabytes.
            let whole = lines == [long, "short", long, "short", long, "short"]
            #expect(whole, "lengths \(lines.map(\.utf8.count))")
        }
        #expect(end.lines.allSatisfy { $0.hasPrefix("w.") || $0.contains(" mobius: ") })
    }

    @Test("--log-level warning keeps the log of mobius up quiet")
    func quiet() async throws {
        try stage.script("worker", "trap 'exit 0' TERM; sleep 1000 & wait")
        try stage.script("loop", "exit 3")
        let end = try await stage.mobius(["up", "fleet.yaml", "--log-level", "warning"])
        #expect(end.status == .exited(3))
        #expect(end.errors == "")
    }

    @Test("On a terminal the coordinator has it to itself, prefixes have colours, and Ctrl-C stops in order")
    func terminal() async throws {
        try stage.script(
            "worker", "trap 'echo worker stops >$DIARY; exit 0' TERM; echo hello; echo w >$DIARY; sleep 1000 & wait")
        try stage.script(
            "loop",
            """
            trap 'echo loop interrupted >$DIARY' INT
            trap 'echo loop stops >$DIARY; exit 0' TERM
            [ ! -t 0 ] && [ -t 1 ] && [ -t 2 ] && printf 'live line'
            echo w >$DIARY
            while :; do sleep 1000 & wait; done
            """)
        let terminal = try PseudoTerminal()
        let end = try await stage.mobius(["up", "fleet.yaml"], on: terminal) {
            for _ in 0..<3 { try await diary.next("w") }
            try await terminal.shows("live line")
            try await terminal.shows("hello")
            try terminal.type("\u{3}")
            try await diary.next("loop stops")
        }
        #expect(end == .exited(0))
        // Ctrl-C reaches the loop by another way than the workers their stop: it may say so between them.
        let stops = diary.entries.filter { $0.hasSuffix(" stops") }
        #expect(stops == ["worker stops", "worker stops", "loop stops"])
        #expect(terminal.screen.firstMatch(of: /\r\e\[K\e\[3[1-6]mw\.[12] \|\e\[0m hello\r\n/) != nil)
    }
}
