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

#if os(Linux)
    /// Whole fleets of `mobius up` whose coordinator's file is overwritten while they work.
    @Suite("mobius restart and replace coordinator", .patient, .serialized)
    struct CoordinatorReplacementTests {
        private let stage: Stage

        init() throws {
            stage = try Stage()
            try stage.script(
                "worker", "exec \(try TestProcess.executable("bank-worker").path) --ledger $STAGE/$$.ledger --work 30")
            try installGoodBuild()
            try stage.write(
                "bank.yaml",
                """
                name: bank
                coordinator: {command: [./coordinator, --journal, \(stage.path("bank.journal"))]}
                pools: {bank: {command: [./worker], concurrency: 2}}
                """)
        }

        /// Puts a new file in place of the coordinator's, as an installation does; the old one has no name any more.
        private func installGoodBuild() throws {
            try? FileManager.default.removeItem(atPath: stage.path("coordinator"))
            try FileManager.default.copyItem(
                atPath: try TestProcess.executable("bank-coordinator").path, toPath: stage.path("coordinator"))
        }

        private func installBuild(verifying: String = "exit 0", running: String) throws {
            try? FileManager.default.removeItem(atPath: stage.path("coordinator"))
            try stage.script("coordinator", "case \"$*\" in *--verify*) \(verifying);; esac\n\(running)")
        }

        /// Orders that many lists of ten lines each, and returns when that is on disk.
        private func order(lists: Range<Int>) async throws {
            for list in lists {
                let event = #"{"statementRequested":{"_0":{"id":"s\#(list)","lines":10}}}"#
                let sent = try await stage.command(["send", event, "--key", "s\(list)", "--fleet", "bank"])
                try #require(sent.status == .exited(0), "\(sent.errors)")
            }
        }

        private func texts(_ key: String) async throws -> [String] {
            let text = try await stage.command(["status", "--json", "--fleet", "bank"]).output
            return text.components(separatedBy: "\"\(key)\":").dropFirst().map { rest in
                rest.trimmingPrefix("\"").prefix { $0.isNumber || $0.isLetter }.description
            }
        }

        /// The session of the only worker: its incarnation is another one after a restart.
        private func worker() async throws -> String {
            var found: [String] = []
            try await eventually("a worker") {
                found = try await texts("worker")
                return found.count == 1
            }
            return found[0]
        }

        private func pidOfCoordinator() throws -> Int32 {
            let line = try stage.read("stderr").split(separator: "\n").last {
                $0.contains("Started") && $0.contains("process=bank") && !$0.contains("process=bank.")
            }
            let number = line?.firstRange(of: "pid=").map { line?[$0.upperBound...].prefix(while: \.isNumber) ?? "" }
            return try #require(number.flatMap { Int32($0) })
        }

        /// Waits until all lists are done: nothing is lost and nothing is done twice.
        private func allDone(_ lists: Int) async throws {
            try await eventually("all lists") { try await texts("pendingEffects").first == "0" }
            #expect(try await texts("lastSequence") == ["\(lists * 11)"])
            #expect(try await texts("deadLetters") == ["0"])
        }

        @Test("A build that ends at its start gives way to the old one, whose file is gone; then a good one takes over")
        func rollback() async throws {
            let end = try await stage.mobius(["up", "bank.yaml"]) { up in
                let worker = try await worker()
                try await order(lists: 0..<6)
                try installBuild(running: "echo broken >&2; exit 3")
                let bad = try await stage.command(["replace", "coordinator"])
                #expect(bad.status == .exited(1))
                #expect(
                    bad.output.contains("the new build is given up: it ended with exit code 3\nthe old build starts"))
                #expect(bad.errors.contains("The old build serves again"), "\(bad.errors)")
                try await order(lists: 6..<10)
                #expect(try await self.worker() == worker)
                // The old build also comes back after a crash, though its file is still the bad one's.
                let old = try pidOfCoordinator()
                kill(old, SIGKILL)
                try await eventually("another run") { try pidOfCoordinator() != old }
                try await order(lists: 10..<12)
                try installGoodBuild()
                let good = try await stage.command(["replace", "coordinator", "--json"])
                #expect(good.status == .exited(0), "\(good.errors)")
                #expect(
                    good.output.hasSuffix("{\"done\":\"the new build is ready: replaced\",\"fleet\":\"bank\"}\n"),
                    "\(good.output)")
                #expect(good.output.contains("replayed"), "what --verify says")
                let file = try FileManager.default.destinationOfSymbolicLink(
                    atPath: "/proc/\(try pidOfCoordinator())/exe")
                #expect(file == stage.path("coordinator"))
                try await allDone(12)
                #expect(try await self.worker() == worker)
                kill(up, SIGTERM)
            }
            #expect(end.status == .exited(0), "\(end.errors)")
            #expect(end.lines.count { $0.contains("Ended, restarting") } == 1)
            #expect(end.errors.contains("New build given up, starting the old one"))
        }

        @Test("A build that does not verify the journal is not started; one that is never ready is stopped")
        func refused() async throws {
            let end = try await stage.mobius(["up", "bank.yaml"]) { up in
                let worker = try await worker()
                let pid = try pidOfCoordinator()
                try installBuild(verifying: "echo cannot read it; exit 74", running: "touch $STAGE/ran; exit 0")
                let unfit = try await stage.command(["replace", "coordinator"])
                #expect(unfit.status == .exited(1))
                #expect(unfit.output == "the new build verifies the journal\ncannot read it\n")
                #expect(unfit.errors.contains("did not verify the journal: it ended with exit code 74"))
                #expect(try pidOfCoordinator() == pid)
                #expect(unfit.errors.contains("The one on disk was not accepted: install a build that works"))
                // What comes back after a crash is the build that ran, not the one that was refused.
                kill(pid, SIGKILL)
                try await eventually("another run") { try pidOfCoordinator() != pid }
                #expect(try await self.worker() == worker)
                #expect(!FileManager.default.fileExists(atPath: stage.path("ran")))
                try installBuild(running: "exec sleep 1000")
                // The old build has as long to be back.
                let late = try await stage.command(["replace", "coordinator", "--no-verify", "--ready-within", "10s"])
                #expect(late.status == .exited(1))
                #expect(
                    late.errors.contains("it was not ready within 10s. The old build serves again"), "\(late.errors)")
                try await order(lists: 0..<2)
                try await allDone(2)
                #expect(try await self.worker() == worker)
                kill(up, SIGTERM)
            }
            #expect(end.status == .exited(0), "\(end.errors)")
        }

        @Test("A restart keeps the workers' sessions; so does SIGTERM by hand, which does not end the fleet")
        func restart() async throws {
            let end = try await stage.mobius(["up", "bank.yaml"]) { up in
                let worker = try await worker()
                try await order(lists: 0..<4)
                let first = try pidOfCoordinator()
                let restarted = try await stage.command(["restart", "coordinator"])
                #expect(restarted.status == .exited(0), "\(restarted.errors)")
                #expect(restarted.output.hasSuffix("the coordinator is ready: restarted, at bank\n"))
                let second = try pidOfCoordinator()
                #expect(second != first)
                try await order(lists: 4..<8)
                kill(second, SIGTERM)
                try await stage.errors(contain: "Ended, restarting because=\"signal 15\"")
                try await eventually("another run") { try pidOfCoordinator() != second }
                try await allDone(8)
                #expect(try await self.worker() == worker)
                let wrong = try await stage.command(["restart", "bank"])
                #expect(wrong.status == .exited(64))
                #expect(wrong.errors.contains("mobius replace bank"))
                kill(up, SIGTERM)
            }
            #expect(end.status == .exited(0), "\(end.errors)")
        }

        @Test("Where its policy is never, SIGTERM by hand ends the fleet")
        func never() async throws {
            let file = try stage.read("bank.yaml").replacing("coordinator: {", with: "coordinator: {restart: never, ")
            try stage.write("bank.yaml", file)
            let end = try await stage.mobius(["up", "bank.yaml"]) { _ in
                _ = try await worker()
                kill(try pidOfCoordinator(), SIGTERM)
            }
            #expect(end.status == .exited(143), "\(end.errors)")
        }
    }
#endif
