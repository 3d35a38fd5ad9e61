import FleetTestSupport
import Foundation
import MobiusClient
import MobiusTransport
import TestTraits
import Testing

/// Who is refused, and how he hears of it: with real processes.
@Suite(.patient)
struct RefusalTests {
    /// Waits for a worker's end, which must be 77 with these words.
    private func expectRefused(_ worker: TestProcess, _ words: String, line: Int = #line) async throws {
        #expect(try await worker.end() == .exited(77))
        let said = worker.errors.elements.joined(separator: "\n")
        #expect(said.contains("Error: The coordinator at "), "line \(line): \(said)")
        #expect(said.contains(words), "line \(line): \(said)")
    }

    @Test func withTheRightKeysAllGoesWell() async throws {
        let fleet = try await GuardedFleet(guests: ["Ada"], bind: "tcp://0.0.0.0:*")
        let worker = try fleet.worker(key: "worker")
        try await worker.output.wait(for: "Ada") { $0.contains("Hello, Ada!") }
        try await fleet.greet("Grace", at: worker)
        #expect(try await fleet.mobius(["status"], key: "reader").end == .exited(0))
        worker.signal(SIGTERM)
        #expect(try await worker.end() == .exited(0))
    }

    @Test func noKeyIsRefused() async throws {
        let fleet = try await GuardedFleet()
        try await expectRefused(
            try fleet.worker(key: nil), "admits only peers with a key. Make one on its host, mobius keys")
        let (end, text) = try await fleet.mobius(["status"], key: nil)
        #expect(end == .exited(77))
        #expect(text.contains("admits only peers with a key"))
    }

    @Test func aKeyThatIsNotListedIsRefused() async throws {
        let fleet = try await GuardedFleet()
        let copy = fleet.folder.file("copy")
        try FileManager.default.copyItem(atPath: fleet.key("worker"), toPath: copy)
        try await fleet.keys("revoke", "worker")
        try await fleet.coordinator.log("the allow-list was read again")
        let worker = try TestProcess("greeter-worker", ["--connect", fleet.endpoint, "--key", copy])
        try await expectRefused(worker, "does not admit the key 'worker': it was revoked")
    }

    @Test func aKeyWorksAsSoonAsItIsMade() async throws {
        let fleet = try await GuardedFleet()
        for number in 1...5 {
            try await fleet.keys("new", "new-\(number)", "--client", "read")
            let (end, text) = try await fleet.mobius(["status"], key: "new-\(number)")
            #expect(end == .exited(0), "\(number): \(text)")
        }
    }

    @Test func aClientThatWasRefusedIsAdmittedOnceItsKeyIsListed() async throws {
        let fleet = try await GuardedFleet()
        let (list, aside) = (fleet.folder.file("keys/allowed"), fleet.folder.file("aside"))
        try await fleet.keys("new", "later", "--client", "read")
        let key = try PeerKey(file: fleet.key("later"))
        try FileManager.default.copyItem(atPath: list, toPath: aside)
        try await fleet.keys("revoke", "later")
        var client = FleetClient(connect: fleet.clients, key: key, timeout: .seconds(40))
        try await eventually("it is refused") {
            client = FleetClient(connect: fleet.clients, key: key, timeout: .seconds(40))
            do { _ = try await client.status() } catch let error as FleetClientError { return error.code == .forbidden }
            return false
        }
        #expect(rename(aside, list) == 0)
        try await eventually("it is admitted") {
            (try? await client.status()) != nil
        }
    }

    @Test func aKeyOfAnotherCoordinatorIsRefused() async throws {
        let fleet = try await GuardedFleet()
        let elsewhere = KeyDirectory(fleet.folder.file("elsewhere"))
        let rights = Rights(pools: .all, client: [.read])
        _ = try elsewhere.add("worker", rights, file: elsewhere.path(ofKey: "worker"))
        let key = elsewhere.path(ofKey: "worker")
        let worker = try TestProcess("greeter-worker", ["--connect", fleet.endpoint, "--key", key])
        try await expectRefused(worker, "is not the one that the key 'worker' was made for")
        let client = try TestProcess("mobius", ["status", "--connect", fleet.clients, "--key-file", key])
        #expect(try await client.end() == .exited(77))
    }

    @Test func theRightKeyForTheWrongPoolIsRefused() async throws {
        let fleet = try await GuardedFleet()
        try await expectRefused(
            try fleet.worker(key: "other"),
            "does not admit this worker: the key 'other' may not work for the pool 'greeters'; its rights are: "
                + "worker=more,others.")
    }

    @Test func aKeyForTheOtherDoorIsRefused() async throws {
        let fleet = try await GuardedFleet()
        try await expectRefused(try fleet.worker(key: "admin"), "has no right to this endpoint")
        let (end, text) = try await fleet.mobius(["status"], key: "worker")
        #expect(end == .exited(77), "\(text)")
    }

    @Test func aClientMayAskOnlyWhatItsKeyAllows() async throws {
        let fleet = try await GuardedFleet()
        for (command, right, others) in [
            (["status"], "read", ["sender"]), (["effects"], "read", ["sender"]),
            (["dead", "list"], "read", ["sender"]),
            (["loops"], "read", ["sender"]), (["model"], "models", ["sender", "reader"]),
            (["watch", "--count", "1"], "models", ["sender", "reader"]),
            (["history", "--from", "0"], "models", ["sender", "reader"]),
            (["send", "{\"guestArrived\":{\"_0\":\"Ada\"}}"], "send", ["reader"]),
        ] {
            for key in others {
                let (end, text) = try await fleet.mobius(command, key: key)
                #expect(end == .exited(77), "\(command) by \(key): \(text)")
                #expect(text.contains("Error: The key '\(key)' lacks the right '\(right)'"), "\(text)")
            }
            let (end, text) = try await fleet.mobius(command, key: "admin")
            #expect(end == .exited(0), "\(command) by admin: \(text)")
        }
    }

    @Test func whoMayReadAndSendMayNotMend() async throws {
        let fleet = try await GuardedFleet()
        let id = EffectID(loop: .main, sequence: 1, index: 0)
        let requests: [@Sendable (FleetClient) async throws -> Void] = [
            { try await $0.dropDeadLetter(id) }, { try await $0.retryDeadLetter(id) }, { try await $0.release(.main) },
        ]
        for name in ["reader", "sender", "admin"] {
            let client = FleetClient(connect: fleet.clients, key: try PeerKey(file: fleet.key(name)))
            for request in requests {
                let code: FleetClientError.Code?
                do {
                    try await request(client)
                    code = nil
                } catch let error as FleetClientError {
                    code = error.code
                }
                #expect((code == .forbidden) == (name != "admin"), "\(name): \(code as Any)")
            }
            await client.close()
        }
    }

    @Test func aWorkerWithAKeyTalksToNobodyWithout() async throws {
        let fleet = try await GuardedFleet(keys: false)
        // Why, it often hears from the other side; but that may have hung up first, ten times of ten.
        try await expectRefused(try fleet.worker(key: "worker"), "has no keys")
        let (end, text) = try await fleet.mobius(["status"], key: "reader")
        #expect(end == .exited(77))
        #expect(text.contains("has no keys"))
        // Without one it may come: this is one machine.
        #expect(try await fleet.mobius(["status"], key: nil).end == .exited(0))
    }
}
