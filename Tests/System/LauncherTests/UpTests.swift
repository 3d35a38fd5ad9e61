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

/// Real `mobius up`, real processes: shell scripts that trap signals and write into a diary.
@Suite("mobius up", .patient)
struct UpTests {
    private let stage: Stage
    private let diary: Diary

    init() throws {
        stage = try Stage()
        diary = try Diary(stage)
        // Waits in a builtin, so that traps run at once.
        try stage.script(
            "loop",
            """
            trap 'echo loop stops >$DIARY; exit 0' TERM
            echo loop $$ >$DIARY
            sleep 1000 & wait
            """)
        try stage.script(
            "worker",
            """
            trap 'echo worker stops >$DIARY; sleep 0.2; echo worker stopped >$DIARY; exit 0' TERM
            echo worker $$ >$DIARY
            sleep 1000 & wait
            """)
        try topology(workers: 2)
    }

    private func topology(
        loop: String = "./loop", worker: String = "./worker", workers: Int = 1, extra: String = ""
    ) throws {
        try stage.write(
            "fleet.yaml",
            """
            coordinator: {command: [\(loop)]}
            pools: {w: {command: [\(worker)], replicas: \(workers)}}
            \(extra)
            """)
    }

    @Test(
        "A signal stops the workers first; the coordinator lives until they are gone",
        arguments: [SIGTERM, SIGINT, SIGHUP])
    func order(signal: Int32) async throws {
        let end = try await stage.mobius(["up", "fleet.yaml"]) { up in
            for _ in 0..<3 { try await diary.next("") }
            kill(up, signal)
            for _ in 0..<5 { try await diary.next("") }
        }
        #expect(end.status == .exited(0))
        #expect(diary.entries.suffix(5).last == "loop stops")
        #expect(diary.entries.suffix(5).count { $0 == "worker stopped" } == 2)
        #expect(end.errors.contains("Stopping the fleet because=\"signal \(signal)\""))
        #expect(!end.errors.contains("restarting"))
    }

    @Test("The coordinator's exit code is the fleet's, and the workers drain", arguments: [0, 1, 75])
    func exitCode(code: Int) async throws {
        try stage.script("brief", "read go <$STAGE/gate; echo brief >$DIARY; exit \(code)")
        try topology(loop: "./brief")
        let gate = try Gate(stage)
        let end = try await stage.mobius(["up", "fleet.yaml"]) { _ in
            try await diary.next("worker")
            gate.release()
            try await diary.next("brief")
            try await diary.next("worker stopped")
        }
        #expect(end.status == .exited(CInt(code)))
    }

    // A worker that has lived for ten seconds would come back after 100 ms again.
    @Test("A killed worker comes back after 100 ms, then 200 ms; the others stay", .ownThread)
    func workerRestart() async throws {
        try topology(workers: 1)
        let end = try await stage.mobius(["up", "fleet.yaml"]) { up in
            var worker = try await diary.nextPid("worker")
            for _ in 0..<2 {
                kill(worker, SIGKILL)
                let next = try await diary.nextPid("worker")
                #expect(next != worker)
                worker = next
            }
            kill(up, SIGTERM)
        }
        #expect(end.status == .exited(0))
        let restarts = end.lines.filter { $0.contains("Ended, restarting") }
        #expect(restarts.map { $0.contains("process=w.1") && $0.contains("because=\"signal 9\"") } == [true, true])
        #expect(restarts.map { $0.contains("in=100ms") } == [true, false])
        #expect(restarts.map { $0.contains("in=200ms") } == [false, true])
        #expect(diary.entries.count { $0.hasPrefix("loop ") && $0 != "loop stops" } == 1)
    }

    @Test("A worker whose helper still holds its output is noticed, restarted, and the helper is gone")
    func workerWithHelper() async throws {
        let lifeline = try NamedPipe(stage.path("lifeline"), keepsOpen: false)
        try stage.script(
            "parent",
            """
            if [ -e $STAGE/again ]; then echo again >$DIARY; sleep 1000 & wait; fi
            touch $STAGE/again
            sh -c 'exec 9>$STAGE/lifeline; echo ready >$DIARY; sleep 1000' &
            echo parent $$ >$DIARY
            wait
            """)
        try topology(worker: "./parent")
        _ = try await stage.mobius(["up", "fleet.yaml"]) { up in
            var parent: Int32?
            var ready = false
            while parent == nil || !ready {
                let entry = try await diary.next("")
                ready = ready || entry == "ready"
                if entry.hasPrefix("parent ") { parent = Int32(entry.dropFirst("parent ".count)) }
            }
            kill(try #require(parent), SIGKILL)
            await lifeline.end()
            try await diary.next("again")
            kill(up, SIGTERM)
        }
    }

    @Test("A crashed coordinator comes back while the workers go on")
    func coordinatorCrash() async throws {
        let end = try await stage.mobius(["up", "fleet.yaml"]) { up in
            var loop: Int32?
            for _ in 0..<3 {
                let entry = try await diary.next("")
                if entry.hasPrefix("loop ") { loop = Int32(entry.dropFirst("loop ".count)) }
            }
            kill(try #require(loop), SIGKILL)
            #expect(try await diary.nextPid("loop") != loop)
            kill(up, SIGTERM)
        }
        #expect(end.status == .exited(0))
        #expect(end.lines.count { $0.contains("Ended, restarting") } == 1)
        #expect(diary.entries.filter { $0.hasPrefix("worker ") }.count { Int32($0.dropFirst(7)) != nil } == 2)
    }

    @Test("What does not stop in time is killed; the code stays the coordinator's")
    func stopGrace() async throws {
        try stage.script("deaf", "trap '' TERM; echo deaf >$DIARY; while :; do sleep 1000; done")
        // Only the worker is to be too slow.
        try stage.write(
            "fleet.yaml",
            """
            coordinator: {command: [./loop], stop-grace: 30s}
            pools: {w: {command: [./deaf]}}
            stop-grace: 1s
            """)
        let end = try await stage.mobius(["up", "fleet.yaml"]) { up in
            for _ in 0..<2 { try await diary.next("") }
            kill(up, SIGTERM)
            try await diary.next("loop stops")
        }
        #expect(end.status == .exited(0))
        #expect(end.errors.contains("Killed: it did not stop in time process=w.1"))
    }

    @Test("A second signal kills everything at once")
    func secondSignal() async throws {
        let lifeline = try NamedPipe(stage.path("lifeline"), keepsOpen: false)
        try stage.script(
            "deaf",
            "exec 9>$STAGE/lifeline; trap 'echo deaf >$DIARY' TERM; echo up >$DIARY; while :; do sleep 1000 & wait; done"
        )
        try topology(worker: "./deaf", extra: "stop-grace: 10m")
        let end = try await stage.mobius(["up", "fleet.yaml"]) { up in
            for _ in 0..<2 { try await diary.next("") }
            kill(up, SIGTERM)
            try await diary.next("deaf")
            kill(up, SIGINT)
            await lifeline.end()
        }
        #expect(end.status == .exited(128 + SIGINT))
        #expect(!diary.entries.contains("loop stops"))
    }

    @Test("A worker that was called wrongly ends the fleet with its code and a sentence")
    func wronglyCalled() async throws {
        try stage.script("confused", "echo 'unknown option' >&2; exit 64")
        try topology(worker: "./confused")
        let end = try await stage.mobius(["up", "fleet.yaml"])
        #expect(end.status == .exited(64))
        #expect(end.lines.contains("w.1 | unknown option"))
        #expect(end.lines.last?.hasPrefix("Error: w.1 reports that it was called wrongly (exit code 64)") == true)
    }

    @Test("A worker that the system cannot execute ends the fleet at once")
    func notExecutable() async throws {
        try stage.script("broken")
        try stage.write("broken", "#!/nowhere/interpreter\n")
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: stage.path("broken"))
        try topology(worker: "./broken")
        let end = try await stage.mobius(["up", "fleet.yaml"])
        #expect(end.status == .exited(69))
        #expect(end.lines.contains("w.1 | mobius: cannot start \(stage.path("broken")): No such file or directory"))
        #expect(end.lines.last?.hasPrefix("Error: w.1 cannot be started (exit code 127)") == true)
    }

    @Test("A command that is not there is told before anything starts")
    func notFound() async throws {
        try topology(worker: "no-such-command-anywhere")
        let end = try await stage.mobius(["up", "fleet.yaml"])
        #expect(end.status == .exited(69))
        #expect(end.lines.count == 1)
        #expect(end.errors.hasPrefix("Error: pools.w: there is no 'no-such-command-anywhere' beside mobius"))
    }

    @Test("Mistakes in the file or the command line have their codes")
    func mistakes() async throws {
        try stage.write("bad.yaml", "coordinator: {command: [./loop]}\npools: {w: {comand: [./worker]}}\n")
        let bad = try await stage.mobius(["up", "bad.yaml"])
        #expect(bad.status == .exited(64))
        #expect(
            bad.errors.hasPrefix(
                "Error: bad.yaml:2:13: pools.w: unknown key 'comand'; did you mean 'command'? Allowed here: command, "))
        #expect(try await stage.mobius(["up", "none.yaml"]).status == .exited(66))
        #expect(try await stage.mobius(["up"]).status == .exited(64))
        #expect(try await stage.mobius(["up", "fleet.yaml", "extra"]).status == .exited(64))
    }

    @Test("--http starts a server of the loops beside the fleet, which ends with it")
    func http() async throws {
        let end = try await stage.mobius(["up", "fleet.yaml", "--http", "0"]) { up in
            for _ in 0..<3 { try await diary.next("") }
            try await eventually("it listens") { try stage.read("stderr").contains("serving loops address=127.0.0.1") }
            kill(up, SIGTERM)
        }
        #expect(end.status == .exited(0), "\(end.errors)")
        let wrong = [
            ("client-endpoint: none", "client-endpoint"), ("pools: {http: {command: [./worker]}}", "has that name"),
        ]
        for (extra, reason) in wrong {
            try stage.write("fleet.yaml", "coordinator: {command: [./loop]}\n\(extra)\n")
            let refused = try await stage.mobius(["up", "fleet.yaml", "--http", "0"])
            #expect(refused.status == .exited(64) && refused.errors.contains(reason), "\(refused.errors)")
        }
    }

    @Test("--dry-run prints commands and environments, and starts nothing")
    func dryRun() async throws {
        try topology(workers: 2, extra: "endpoint: tcp://127.0.0.1:5701")
        let end = try await stage.mobius(["up", "fleet.yaml", "--dry-run", "--", "--start", "a b"])
        #expect(end.status == .exited(0))
        #expect(
            end.output == """
                fleet:
                  command: "\(stage.path("loop")) --start 'a b'"
                  environment:
                    MOBIUS_BIND: "tcp://127.0.0.1:5701"
                    MOBIUS_CLIENT_BIND: "tcp://127.0.0.1:5702"
                    MOBIUS_CONNECT_CLIENT: "tcp://127.0.0.1:5702"
                w.1:
                  command: "\(stage.path("worker"))"
                  environment:
                    MOBIUS_CONNECT: "tcp://127.0.0.1:5701"
                    MOBIUS_CONNECT_CLIENT: "tcp://127.0.0.1:5702"
                    MOBIUS_DRAIN_TIMEOUT: "8s"
                    MOBIUS_POOL: "w"
                w.2:
                  command: "\(stage.path("worker"))"
                  environment:
                    MOBIUS_CONNECT: "tcp://127.0.0.1:5701"
                    MOBIUS_CONNECT_CLIENT: "tcp://127.0.0.1:5702"
                    MOBIUS_DRAIN_TIMEOUT: "8s"
                    MOBIUS_POOL: "w"

                """)
        #expect(diary.entries.isEmpty)
    }

    @Test("Coordinator and workers get the same private socket; its folder is gone afterwards")
    func privateSocket() async throws {
        try stage.script(
            "loop", "echo bind $MOBIUS_BIND >$DIARY; ls -ld $(dirname ${MOBIUS_BIND#ipc://}) >$DIARY; sleep 1000 & wait"
        )
        try stage.script(
            "worker",
            "read line <$STAGE/gate; echo connect $MOBIUS_CONNECT $MOBIUS_CONNECT_CLIENT >$DIARY; sleep 1000 & wait")
        let gate = try Gate(stage)
        var folder = ""
        try topology()
        let end = try await stage.mobius(["up", "fleet.yaml"]) { up in
            let endpoint = try await diary.next("bind")
            folder = URL(fileURLWithPath: String(endpoint.dropFirst("ipc://".count))).deletingLastPathComponent().path
            #expect(try await diary.next("drwx------").hasSuffix(folder))
            gate.release()
            #expect(try await diary.next("connect") == "\(endpoint) \(endpoint)-client")
            kill(up, SIGTERM)
        }
        #expect(!FileManager.default.fileExists(atPath: folder))
        #expect(end.lines.contains { $0.hasSuffix("Clients reach the fleet at=ipc://\(folder)/fleet-client") })
    }
}
