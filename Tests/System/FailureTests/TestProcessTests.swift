import FleetTestSupport
import Foundation
import TestTraits
import Testing

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

#if os(Linux)
    /// What a test run that is killed leaves behind.
    @Suite("A killed test run", .patient)
    struct TestProcessTests {
        @Test("leaves no process behind")
        func killed() async throws {
            // It starts a coordinator and workers as tests do, with `TestProcess`.
            let folder = try TestFolder()
            let run = try TestProcess(
                "chaos-runner", ["--minutes", "10", "--pause", "1000"], environment: ["TMPDIR": folder.path + "/"])
            var pids: [Int32] = []
            try await eventually("a coordinator and workers") {
                pids = children(of: run.pid)
                let names = pids.map { name(of: $0) }
                return names.contains { $0.hasSuffix("bank-coordinator") }
                    && names.count { $0.hasSuffix("bank-worker") } == 4
            }
            try await run.kill()
            try await eventually("they are gone") { pids.allSatisfy { kill($0, 0) != 0 || isZombie($0) } }
        }

        private func children(of pid: Int32) -> [Int32] {
            let tasks = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(pid)/task")) ?? []
            return tasks.flatMap { task in
                let text = try? String(contentsOfFile: "/proc/\(pid)/task/\(task)/children", encoding: .utf8)
                return (text ?? "").split(separator: " ").compactMap { Int32($0) }
            }
        }

        private func name(of pid: Int32) -> String {
            (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(pid)/exe")) ?? ""
        }

        /// Whether it has ended, and only its parent has not asked for its end yet.
        private func isZombie(_ pid: Int32) -> Bool {
            let stat = (try? String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8)) ?? ""
            return stat.split(separator: ")").last?.hasPrefix(" Z ") == true
        }
    }
#endif
