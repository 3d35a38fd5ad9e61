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

/// How `mobius up` runs processes: folder, environment, restarts, health, looks.
@Suite("Processes of mobius up", .patient)
struct UpProcessTests {
    private let stage: Stage
    private let diary: Diary

    init() throws {
        stage = try Stage()
        diary = try Diary(stage)
        try stage.script("loop", "trap 'exit 0' TERM; echo loop $$ >$DIARY; sleep 1000 & wait")
    }

    private func topology(_ worker: String, top: String = "") throws {
        try stage.write(
            "fleet.yaml", "\(top)\ncoordinator: {command: [./loop]}\npools: {w: {command: [./w], \(worker)}}\n")
    }

    @Test("Folder and environment: the process's own, the fleet's, that of mobius up")
    func surroundings() async throws {
        try FileManager.default.createDirectory(atPath: stage.path("data"), withIntermediateDirectories: true)
        try stage.script("w", "echo at $(pwd) >$DIARY; echo env $A $B $MOBIUS_CONCURRENCY >$DIARY; sleep 1000 & wait")
        try topology(
            "working-directory: ./data, concurrency: 3, environment: {B: own}", top: "environment: {A: all, B: all}")
        _ = try await stage.mobius(["up", "fleet.yaml"]) { up in
            let (folder, variables) = (try await diary.next("at"), try await diary.next("env"))
            #expect(folder == stage.path("data"))
            #expect(variables == "all own 3")
            kill(up, SIGTERM)
        }
        try topology("working-directory: nowhere")
        let end = try await stage.mobius(["up", "fleet.yaml"])
        #expect(end.status == .exited(69))
        #expect(
            end.errors.contains("pools.w: the working directory \(stage.path("nowhere")) does not exist; make it, or"))
    }

    @Test("More workers than a program may have files by default, each of which may have as many as usual")
    func openFiles() async throws {
        try stage.script("w", "echo files $(ulimit -Sn) >$DIARY; sleep 1000 & wait")
        try topology("replicas: 40")
        _ = try await stage.mobius(["up", "fleet.yaml"], ulimit: "-Sn 64") { up in
            for _ in 0..<40 {
                let files = try await diary.next("files")
                #expect(files == "64")
            }
            kill(up, SIGTERM)
        }
    }

    @Test("Where hardly a file may be opened it says what to do, with an exit code", arguments: 7...10)
    func hardlyAnOpenFile(_ count: Int) async throws {
        try stage.script("w")
        try topology("replicas: 1")
        let end = try await stage.mobius(["up", "fleet.yaml"], ulimit: "-n \(count)")
        #expect(end.status == .exited(73))
        #expect(end.errors.hasSuffix(": Too many open files; raise the limit (ulimit -n).\n"))
    }

    @Test("A worker that ends again and again is given up with what it did last and what to do; the fleet runs on")
    func intensity() async throws {
        try stage.script("w", "echo up >$DIARY; [ -e $STAGE/mended ] && sleep 1000; echo broken >&2; exit 3")
        try topology("restart: {times: 2, within: 1h}")
        let end = try await stage.mobius(["up", "fleet.yaml"]) { up in
            for _ in 0..<3 { try await diary.next("up") }
            try await stage.errors(contain: "Given up: not restarted any more, while the rest of the fleet runs on")
            try stage.write("mended", "")
            let scaled = try await stage.command(["scale", "w=1"])
            #expect(scaled.output.hasPrefix("w: from 0 to 1, at "), "\(scaled.output) \(scaled.errors)")
            try await diary.next("up")
            kill(up, SIGTERM)
        }
        #expect(end.status == .exited(0))
        #expect(end.lines.filter { $0 == "w.1 | broken" }.count == 3)
        #expect(
            end.errors.contains(
                "w.1 ended again (exit code 3), and it was restarted 2 times within 1h, so it is given up; see its output"
            ))
        #expect(diary.entries.count { $0.hasPrefix("loop") } == 1)
    }

    @Test("Coordinators print no backtraces, which take seconds of everybody's time, unless they are asked for")
    func backtraces() async throws {
        try stage.script("loop", "trap 'exit 0' TERM; echo loop $SWIFT_BACKTRACE >$DIARY; sleep 1000 & wait")
        try stage.script("w")
        func setting(_ top: String, _ variable: String?) async throws -> String {
            try topology("replicas: 0", top: top)
            var found = ""
            _ = try await stage.mobius(["up", "fleet.yaml"], adding: ["SWIFT_BACKTRACE": variable]) { up in
                found = try await diary.next("loop")
                kill(up, SIGTERM)
            }
            return found
        }
        #expect(try await setting("", nil) == "enable=no")
        #expect(try await setting("", "enable=yes") == "enable=yes")
        #expect(try await setting("environment: {SWIFT_BACKTRACE: enable=yes}", nil) == "enable=yes")
    }

    @Test("A worker that may not restart stays away, and the fleet goes on")
    func never() async throws {
        try stage.script("w", "echo up >$DIARY; exit 3")
        try topology("restart: never")
        let end = try await stage.mobius(["up", "fleet.yaml"]) { up in
            for _ in 0..<2 { try await diary.next("") }
            try await stage.errors(contain: "Ended because=\"exit code 3\" process=w.1")
            kill(up, SIGTERM)
        }
        #expect(end.status == .exited(0))
        #expect(!end.errors.contains("restarting"))
    }

    @Test(
        "A process whose health command fails, or hangs, is stopped and started again",
        arguments: ["false", "sleep 1000"])
    func health(failure: String) async throws {
        try stage.script("w", "trap 'echo stops >$DIARY; exit 0' TERM; echo up $$ >$DIARY; sleep 1000 & wait")
        try stage.script("check", "echo check $MOBIUS_PID $A >$DIARY; [ -e sick ] || exit 0; rm sick; \(failure)")
        let timeout = failure == "false" ? "30s" : "3s"
        try topology(
            "environment: {A: known}, working-directory: ., "
                + "health: {command: [./check], every: 50ms, timeout: \(timeout), failures: 1}")
        let end = try await stage.mobius(["up", "fleet.yaml"]) { up in
            let first = try await diary.nextPid("up")
            #expect(try await diary.next("check") == "\(first) known")
            try await diary.next("check")
            try stage.write("sick", "")
            try await diary.next("stops")
            let second = try await diary.nextPid("up")
            #expect(second != first)
            #expect(try await diary.next("check") == "\(second) known")
            kill(up, SIGTERM)
        }
        let problem = failure == "false" ? "check: exit code 1" : "no answer within 3s"
        #expect(end.lines.contains { $0.contains("Not healthy, stopping it") && $0.contains(problem) })
    }

    @Test("Prefix and colour as the file says; no colour where nobody sees it")
    func looks() async throws {
        try stage.script("w", "echo hello; echo up >$DIARY; sleep 1000 & wait")
        try topology("replicas: 2, log: {prefix: fetch, colour: cyan}")
        let end = try await stage.mobius(["up", "fleet.yaml"]) { up in
            for _ in 0..<2 { try await diary.next("up") }
            try await stage.errors(contain: "fetch.1 | hello")
            try await stage.errors(contain: "fetch.2 | hello")
            kill(up, SIGTERM)
        }
        #expect(!end.errors.contains("\u{1B}"))
    }

    @Test("On a terminal the prefix has the colour, unless NO_COLOR is set", arguments: [nil, "1"])
    func colour(noColour: String?) async throws {
        try stage.script("w", "echo hello; echo up >$DIARY; sleep 1000 & wait")
        try topology("log: {prefix: fetch, colour: cyan}")
        let terminal = try PseudoTerminal()
        _ = try await stage.mobius(["up", "fleet.yaml"], on: terminal, adding: ["NO_COLOR": noColour]) {
            try await diary.next("up")
            let prefix = noColour == nil ? "\u{1B}[36mfetch.1 |\u{1B}[0m" : "fetch.1 |"
            try await terminal.shows("\r\u{1B}[K\(prefix) hello")
            try terminal.type("\u{3}")
        }
    }
}
