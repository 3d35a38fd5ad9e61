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

/// Commands to a running `mobius up`, of shell scripts that say what happens to them.
@Suite("mobius scale and replace", .patient)
struct ControlTests {
    private let stage: Stage
    private let diary: Diary

    init() throws {
        stage = try Stage()
        diary = try Diary(stage)
        try stage.script("loop", "trap 'exit 0' TERM; echo loop >$DIARY; sleep 1000 & wait")
        try stage.script(
            "w",
            """
            trap 'echo stops $MOBIUS_WORKER_NAME >$DIARY; exit 0' TERM
            echo up $MOBIUS_WORKER_NAME >$DIARY
            : >$STAGE/$MOBIUS_WORKER_NAME
            sleep 1000 & wait
            """)
        try topology("replicas: 1, ready-after: 50ms")
    }

    private func topology(_ worker: String, name: String = "fleet") throws {
        try stage.write(
            "\(name).yaml",
            "name: \(name)\ncoordinator: {command: [./loop]}\npools: {w: {command: [./w], \(worker)}}")
    }

    @Test("Up and down, as often as one likes")
    func scale() async throws {
        _ = try await stage.mobius(["up", "fleet.yaml"]) { up in
            for _ in 0..<2 { try await diary.next("") }
            let more = try await stage.command(["scale", "w=3"])
            #expect(more.status == .exited(0) && more.output == "w: from 1 to 3, at fleet\n")
            let started = [try await diary.next("up"), try await diary.next("up")]
            #expect(Set(started) == ["w.2", "w.3"])
            #expect(try await stage.command(["scale", "w=2"]).output == "w: from 3 to 2, at fleet\n")
            #expect(try await diary.next("stops") == "w.3")
            let json = try await stage.command(["scale", "w=3", "--json"])
            #expect(json.output == "{\"fleet\":\"fleet\",\"pool\":\"w\",\"from\":2,\"to\":3}\n")
            #expect(try await diary.next("up") == "w.3~2")
            kill(up, SIGTERM)
        }
        #expect(diary.entries.count { $0 == "up w.1" } == 1)
    }

    @Test("What makes no sense is refused with a sentence and a code, and changes nothing")
    func refusals() async throws {
        let none = try await stage.command(["scale", "w=2"])
        #expect(none.status == .exited(69))
        #expect(none.errors == "Error: No fleet of yours runs here; start one with mobius up FILE.\n")
        _ = try await stage.mobius(["up", "fleet.yaml"]) { up in
            for _ in 0..<2 { try await diary.next("") }
            let unknown = try await stage.command(["scale", "x=2"])
            #expect(unknown.status == .exited(64))
            #expect(unknown.errors.hasPrefix("Error: There is no pool 'x' in the fleet fleet. Did you mean 'w'?"))
            #expect(try await stage.command(["scale", "w=2", "w=3"]).status == .exited(64))
            #expect(try await stage.command(["scale", "w=many"]).status == .exited(64))
            #expect(try await stage.command(["scale", "w=auto"]).errors.contains("gives w no range"))
            let other = try await stage.command(["replace", "w", "--fleet", "flet"])
            #expect(other.status == .exited(69))
            #expect(other.errors.contains("No fleet 'flet' of yours runs here. Did you mean 'fleet'?"))
            kill(up, SIGTERM)
        }
        #expect(diary.entries.count { $0.hasPrefix("up") } == 1)
    }

    @Test("Of several fleets one is chosen by name; its own processes need not")
    func several() async throws {
        try topology("replicas: 0", name: "second")
        try stage.script("w", "echo up $MOBIUS_WORKER_NAME $MOBIUS_CONTROL >$DIARY; sleep 1000 & wait")
        _ = try await stage.mobius(["up", "fleet.yaml"]) { first in
            let control = try await diary.next("up w.1")
            let attributes = try FileManager.default.attributesOfItem(atPath: control)
            #expect(attributes[.posixPermissions] as? Int == 0o600)
            let second = try TestProcess(
                "mobius", ["up", "second.yaml"],
                environment: ["MOBIUS_RUNTIME_DIR": stage.path(""), "DIARY": stage.path("diary")],
                in: stage.path(""))
            try await second.log("Started")
            let elsewhere = try await stage.command(
                ["scale", "w=1"], adding: ["MOBIUS_RUNTIME_DIR": stage.path("elsewhere"), "TMPDIR": stage.path("")])
            #expect(elsewhere.status == .exited(69))
            let either = try await stage.command(["scale", "w=1"])
            #expect(either.status == .exited(64))
            #expect(either.errors == "Error: Several fleets run here; choose one with --fleet: fleet, second\n")
            #expect(
                try await stage.command(["scale", "w=1", "--fleet", "second"]).output == "w: from 0 to 1, at second\n")
            let own = try await stage.command(["scale", "w=2"], adding: ["MOBIUS_CONTROL": control])
            #expect(own.output == "w: from 1 to 2, at fleet\n")
            let torn = try await stage.command(
                ["scale", "w=3"], adding: ["MOBIUS_CONTROL": control, "MOBIUS_FLEET": "second"])
            #expect(torn.status == .exited(64))
            #expect(torn.errors.contains("is a socket of the fleet fleet, but MOBIUS_FLEET is second: choose one"))
            second.signal(SIGTERM)
            try await second.end()
            kill(first, SIGTERM)
        }
    }

    @Test("Replacing: a new one before each old one, never fewer than before, and the command tells it")
    func replace() async throws {
        // Ready is what has said that it is up.
        try stage.script("check", "[ -e $STAGE/$MOBIUS_WORKER_NAME ]")
        try topology("replicas: 2, health: {command: [./check], every: 50ms, start: 30s}")
        _ = try await stage.mobius(["up", "fleet.yaml"]) { up in
            for _ in 0..<3 { try await diary.next("") }
            let end = try await stage.command(["replace", "w"])
            #expect(end.status == .exited(0), "\(end.errors)")
            #expect(
                end.output == """
                    w.3 starts
                    w.3 is ready, w.1 drains
                    w.1 starts
                    w.1 is ready, w.2 drains
                    w: 2 of 2 replaced, at fleet

                    """)
            kill(up, SIGTERM)
            for _ in 0..<4 { try await diary.next("stops w.") }
        }
        let story = diary.entries.filter { $0 != "loop" }.dropFirst(2)
        #expect(story.prefix(4) == ["up w.3", "stops w.1", "up w.1~2", "stops w.2"])
    }

    @Test("A new build that does not even start leaves the old one at work")
    func replaceFails() async throws {
        try topology("replicas: 2")
        _ = try await stage.mobius(["up", "fleet.yaml"]) { up in
            for _ in 0..<3 { try await diary.next("") }
            try stage.script("w", "echo broken >&2; exit 64")
            let end = try await stage.command(["replace", "w"])
            #expect(end.status == .exited(1))
            #expect(
                end.errors == """
                    Error: w.3 was not ready: it ended with exit code 64; 0 of 2 were replaced, the others stay.

                    """)
            kill(up, SIGTERM)
            for _ in 0..<2 { try await diary.next("stops w.") }
        }
    }

    @Test("--scale wins over the file")
    func upScale() async throws {
        _ = try await stage.mobius(["up", "fleet.yaml", "--scale", "w=2"]) { up in
            for _ in 0..<3 { try await diary.next("") }
            kill(up, SIGTERM)
        }
        #expect(Set(diary.entries.filter { $0.hasPrefix("up") }) == ["up w.1", "up w.2"])
        let wrong = try await stage.mobius(["up", "fleet.yaml", "--scale", "ww=2"])
        #expect(wrong.status == .exited(64))
        #expect(wrong.errors.contains("--scale: there is no pool 'ww' in the file. Did you mean 'w'? Its pools: w."))
        #expect(try await stage.mobius(["up", "fleet.yaml", "--scale", "w"]).status == .exited(64))
    }

    @Test("A request that is too long, is none, or never ends does no harm")
    func hostile() async throws {
        _ = try await stage.mobius(["up", "fleet.yaml"]) { up in
            for _ in 0..<2 { try await diary.next("") }
            let folders = try FileManager.default.contentsOfDirectory(atPath: stage.path(""))
            let control = stage.path(try #require(folders.first { $0.hasPrefix("mobius-") })) + "/control"
            let script = """
                import socket, sys
                def ask(data, reads=True):
                    s = socket.socket(socket.AF_UNIX); s.connect(sys.argv[1])
                    try: s.sendall(data)
                    except OSError: pass
                    return s.recv(1000) if reads else s
                idle = [ask(b'{', reads=False) for _ in range(40)]
                print(ask(b'nonsense\\n'))
                print(ask(b'{"command":"erase"}\\n'))
                print(ask(b'{"command":"replace"}\\n'))
                try: print(ask(b'x' * 1000000))
                except OSError: print(b'')
                """
            let output = try await Subprocess.run(
                .name("python3"), arguments: ["-c", script, control], output: .string(limit: 10_000), error: .discarded
            ).standardOutput
            #expect(output.split(separator: "\n").count == 4)
            #expect(output.contains("mobius up is of another build"))
            #expect(output.contains("The request names no pool."))
            #expect(try await stage.command(["scale", "w=2"]).status == .exited(0))
            kill(up, SIGTERM)
        }
    }
}
