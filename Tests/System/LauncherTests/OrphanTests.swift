import FleetTestSupport
import Foundation
import MobiusLauncher
import Subprocess
import TestTraits
import Testing

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// SIGKILL of `mobius up`: whatever it started, directly or not, ends.
@Suite("No orphans", .patient)
struct OrphanTests {
    private let stage: Stage
    private let diary: Diary
    /// Ends when no process has it open any more.
    private let lifeline: NamedPipe

    init() throws {
        stage = try Stage()
        diary = try Diary(stage)
        lifeline = try NamedPipe(stage.path("lifeline"), keepsOpen: false)
        // Builtins that wait, no helpers, and no polite request is heard.
        try #require(mkfifo(stage.path("never"), 0o600) == 0)
        try stage.script(
            "deaf", "trap '' TERM HUP INT QUIT; exec 9>$STAGE/lifeline; echo $1 ready >$DIARY; read x <$STAGE/never")
        // One that only its group gives away, and two that only their environment does.
        try stage.script("parent", "env -i STAGE=$STAGE DIARY=$DIARY $STAGE/deaf child & exec $STAGE/deaf parent")
        try stage.script("daemon", "setsid $STAGE/deaf daemon & setsid -f $STAGE/deaf lost; exec $STAGE/deaf parent")
    }

    private func topology(_ worker: String, replicas: Int = 2) throws {
        try stage.write(
            "fleet.yaml",
            "coordinator: {command: [./deaf, loop]}\npools: {w: {command: [./\(worker)], replicas: \(replicas)}}")
    }

    @Test("The processes themselves")
    func children() async throws {
        try topology("deaf", replicas: 3)
        let end = try await stage.mobius(["up", "fleet.yaml"]) { up in
            for _ in 0..<4 { try await diary.next("") }
            kill(up, SIGKILL)
            await lifeline.end()
        }
        #expect(end.status == .signaled(SIGKILL))
    }

    @Test("The socket folder that it left is removed by the next start, and no other folder")
    func socketFolder() async throws {
        try topology("deaf", replicas: 1)
        _ = try await stage.mobius(["up", "fleet.yaml"]) { up in
            for _ in 0..<2 { try await diary.next("") }
            kill(up, SIGKILL)
            await lifeline.end()
        }
        let abandoned = try folders()
        #expect(abandoned.count == 1)
        // Not of a launcher: files of somebody's, another mode, another name.
        for (name, mode) in [("mobius-abcdef", 0o700), ("mobius-ghijkl", 0o755), ("mobius-mine", 0o700)] {
            try FileManager.default.createDirectory(
                atPath: stage.path(name), withIntermediateDirectories: false, attributes: [.posixPermissions: mode])
        }
        try stage.write("mobius-abcdef/notes", "mine")
        let kept: Set = ["mobius-abcdef", "mobius-ghijkl", "mobius-mine"]
        let environment = ["MOBIUS_RUNTIME_DIR": stage.path("")]
        let first = try RuntimeDirectory(in: environment)
        #expect(try folders() == kept.union([name(first)]))
        // One that is in use stays, though it has no sockets yet.
        let second = try RuntimeDirectory(in: environment)
        #expect(try folders() == kept.union([name(first), name(second)]))
        first.remove()
        second.remove()
        #expect(try folders() == kept)
    }

    private func folders() throws -> Set<String> {
        Set(try FileManager.default.contentsOfDirectory(atPath: stage.path("")).filter { $0.hasPrefix("mobius-") })
    }

    private func name(_ directory: RuntimeDirectory) -> String {
        URL(fileURLWithPath: directory.path).lastPathComponent
    }

    @Test("What they started, too, also in sessions of its own", arguments: [("parent", 5), ("daemon", 7)])
    func grandchildren(worker: String, count: Int) async throws {
        try topology(worker)
        _ = try await stage.mobius(["up", "fleet.yaml"]) { up in
            for _ in 0..<count { try await diary.next("") }
            kill(up, SIGKILL)
            await lifeline.end()
        }
    }

    #if os(Linux)
        @Test("A guard that is killed has a successor that knows as much")
        func guardKilled() async throws {
            try topology("parent")
            _ = try await stage.mobius(["up", "fleet.yaml"]) { up in
                for _ in 0..<5 { try await diary.next("") }
                let first = try await guardPid(of: up)
                kill(first, SIGKILL)
                let second = try await guardPid(of: up, not: first)
                #expect(second != first)
                kill(up, SIGKILL)
                await lifeline.end()
            }
        }

        /// Waits for the guard among the children of `mobius up`.
        private func guardPid(of up: Int32, not other: Int32 = 0) async throws -> Int32 {
            var found: Int32?
            try await eventually("a guard") {
                let tasks = try FileManager.default.contentsOfDirectory(atPath: "/proc/\(up)/task")
                let all = try tasks.map {
                    try String(contentsOfFile: "/proc/\(up)/task/\($0)/children", encoding: .utf8)
                }
                let pids = all.flatMap { $0.split(separator: " ") }.compactMap { Int32($0) }
                found = pids.first { pid in
                    let words = try? String(contentsOfFile: "/proc/\(pid)/cmdline", encoding: .utf8)
                    return pid != other && words?.contains("\0__guard\0") == true
                }
                return found != nil
            }
            return try #require(found)
        }

        @Test("An orderly end leaves no guard, and what left its session on purpose lives on")
        func orderly() async throws {
            try stage.script("loop", "trap 'exit 0' TERM; $STAGE/deaf child & setsid -f $STAGE/own; sleep 1000 & wait")
            try stage.script("own", "echo own $$ >$DIARY; read x <$STAGE/never")
            try stage.write("fleet.yaml", "coordinator: {command: [./loop]}")
            var own: Int32 = 0
            var keeper: Int32 = 0
            let end = try await stage.mobius(["up", "fleet.yaml"]) { up in
                // Both, in any order: a child that ends before it has the lifeline open would never be seen to end.
                let entries = [try await diary.next(""), try await diary.next("")].sorted()
                #expect(entries.first == "child ready")
                own = try #require(entries.last?.split(separator: " ").last.flatMap { Int32($0) })
                keeper = try await guardPid(of: up)
                kill(up, SIGTERM)
                await lifeline.end()
            }
            #expect(end.status == .exited(0))
            try await eventually("the guard is gone") { kill(keeper, 0) != 0 }
            #expect(kill(own, 0) == 0)
            kill(own, SIGKILL)
        }
    #endif
}
