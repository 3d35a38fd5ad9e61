import FleetTestSupport
import Foundation
import MobiusTransport
import TestTraits
import Testing

/// The allow-list changes while everybody is connected.
@Suite(.patient)
struct RevocationTests {
    @Test func aRevokedWorkerEndsAndAnotherGoesOn() async throws {
        let fleet = try await GuardedFleet()
        let worker = try fleet.worker(key: "worker")
        try await fleet.greet("Ada", at: worker)
        try await fleet.keys("revoke", "worker")
        #expect(try await worker.end() == .exited(77))
        // It hears why, or, if it does not listen for the two seconds that it is given, finds out when it comes back.
        let reasons = [
            "this key is not, or no longer, in the allow-list", "does not admit the key 'worker': it was revoked",
        ]
        #expect(
            worker.errors.elements.contains { line in reasons.contains { line.contains($0) } },
            "\(worker.errors.elements)")
        try await fleet.greet("Grace", at: try fleet.worker(key: "second"))
    }

    @Test func aRightThatIsTakenAwayEndsTheSession() async throws {
        let fleet = try await GuardedFleet()
        let worker = try fleet.worker(key: "second")
        try await worker.log("joined")
        let path = fleet.folder.file("keys/allowed")
        let list = try String(contentsOfFile: path, encoding: .utf8)
        try Data(list.replacingOccurrences(of: "worker=*", with: "worker=others").utf8).write(to: URL(filePath: path))
        #expect(try await worker.end() == .exited(77))
        #expect(worker.errors.elements.contains { $0.contains("may not work for the pool 'greeters'") })
    }

    @Test func aNewKeyIsAdmittedWithoutARestart() async throws {
        let fleet = try await GuardedFleet(guests: ["Ada"])
        let said = try await fleet.keys("new", "late", "--worker", "greeters", "--client", "read")
        #expect(said.hasPrefix("\(fleet.key("late")): late, worker=greeters client=read, public key "))
        fleet.coordinator.signal(SIGHUP)
        try await fleet.coordinator.log("the allow-list was read again")
        let worker = try fleet.worker(key: "late")
        try await worker.output.wait(for: "Ada") { $0.contains("Hello, Ada!") }
        #expect(try await fleet.keys("list").contains("late"))
    }

    @Test func aListThatMakesNoSenseChangesNothing() async throws {
        let fleet = try await GuardedFleet()
        let path = fleet.folder.file("keys/allowed")
        let list = try String(contentsOfFile: path, encoding: .utf8)
        try Data((list + "nonsense\n").utf8).write(to: URL(filePath: path))
        fleet.coordinator.signal(SIGHUP)
        try await fleet.coordinator.log("allow-list not reloaded, the previous one stays in force")
        let lines = list.split(separator: "\n").count
        #expect(fleet.coordinator.errors.elements.contains { $0.contains("\(path):\(lines + 1): a line has a name") })
        try await fleet.greet("Ada", at: try fleet.worker(key: "worker"))
    }

    @Test func aRevokedClientIsToldSo() async throws {
        let fleet = try await GuardedFleet()
        #expect(try await fleet.mobius(["status"], key: "reader").end == .exited(0))
        let copy = fleet.folder.file("copy")
        try FileManager.default.copyItem(atPath: fleet.key("reader"), toPath: copy)
        try await fleet.keys("revoke", "reader")
        fleet.coordinator.signal(SIGHUP)
        try await fleet.coordinator.log("the allow-list was read again")
        let client = try TestProcess("mobius", ["status", "--connect", fleet.clients, "--key-file", copy])
        #expect(try await client.end() == .exited(77))
    }
}
