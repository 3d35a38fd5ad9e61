import FleetTestSupport
import Foundation
import MobiusClient
import MobiusTransport
import MobiusWire
import TestTraits
import Testing

/// Workers with a key of their own that want what belongs to others.
@Suite(.patient, .ownThread)
struct ImpostorTests {
    @Test func nobodyTakesAnothersName() async throws {
        let fleet = try await GuardedFleet()
        var random = SystemRandomNumberGenerator()
        let name = Incarnation.random(using: &random)
        let first = try Impostor(fleet, "worker")
        let second = try Impostor(fleet, "second")
        try await onThread {
            guard case .welcome? = try first.hello(name, pools: ["greeters"]) else { throw Unexpected() }
            guard case .reject(let reason)? = try second.hello(name, pools: ["greeters"]) else { throw Unexpected() }
            #expect(reason == "forbidden: a worker with another key has this incarnation")
            // Its own session goes on.
            guard case .welcome? = try first.hello(name, pools: ["greeters"]) else { throw Unexpected() }
        }
    }

    /// Or names would pile up for ever, and a peer could take one that it cannot even use.
    @Test func aWorkerThatIsNotAdmittedKeepsNoName() async throws {
        let fleet = try await GuardedFleet()
        var random = SystemRandomNumberGenerator()
        let name = Incarnation.random(using: &random)
        let first = try Impostor(fleet, "worker")
        let second = try Impostor(fleet, "second")
        try await onThread {
            let refused = try second.hello(name, versions: [99], pools: ["greeters"])
            guard case .reject? = refused else { throw Unexpected() }
            guard case .welcome? = try first.hello(name, pools: ["greeters"]) else { throw Unexpected() }
        }
    }

    @Test func aWorkerCannotAdoptEffectsOfAnotherPool() async throws {
        let folder = try TestFolder()
        // An effect is under way at its worker when the coordinator is killed, so the next run will adopt it.
        let bind = "ipc://\(folder.file("s"))"
        let first = try await GuardedFleet(guests: ["Ada"], bind: bind, in: folder)
        let worker = try first.worker(key: "worker")
        try await worker.output.wait(for: "Ada") { $0.contains("Hello, Ada!") }
        // Connected before: the worker must get the effect while the coordinator still trusts it, for three seconds.
        let client = FleetClient(
            connect: first.clients, key: try PeerKey(file: first.key("admin")), timeout: .seconds(3600))
        _ = try await client.status()
        worker.signal(SIGSTOP)
        let bob = Payload(kind: PayloadKind(type: ""), bytes: Array(#"{"guestArrived":{"_0":"Bob"}}"#.utf8))
        #expect(try await client.send(bob).outcome == .done)
        try await first.coordinator.kill()
        await client.close()
        let next = try await GuardedFleet(bind: bind, in: folder)
        let thief = try Impostor(next, "other")
        let status = try await next.mobius(["effects", "--json"], key: "reader").text
        let id = try #require(status.firstMatch(of: /"main\/(\d+)\/0"/)).output.1
        let effect = EffectID(loop: .main, sequence: try #require(UInt64(id)), index: 0)
        let held = AttemptID(effect: effect, attempt: Attempt(epoch: 1, number: 1))
        try await onThread {
            var random = SystemRandomNumberGenerator()
            let name = Incarnation.random(using: &random)
            let answer = try thief.hello(name, pools: ["others"], epoch: 1, held: [held], asking: true)
            guard case .welcome? = answer else { throw Unexpected() }
        }
        // The answer may be here before the line in the log.
        try await next.coordinator.log("worker joined adopted=0")
        #expect(!next.coordinator.errors.elements.contains { $0.contains("adopted=1") })
        worker.signal(SIGCONT)
        try await worker.output.wait(for: "Bob") { $0.contains("Hello, Bob!") }
    }
}

/// A worker of another make.
private final class Impostor: @unchecked Sendable {
    // @unchecked: used by one thread at a time, after another has made it.
    private let endpoint: String
    private let key: PeerKey
    private var journal: JournalID?

    init(_ fleet: GuardedFleet, _ key: String) throws {
        endpoint = fleet.endpoint
        self.key = try PeerKey(file: fleet.key(key))
    }

    /// Connects, says HELLO and returns the answer; with `asking` it finds the journal's name out first.
    func hello(
        _ name: Incarnation, versions: [UInt8] = [Head.version], pools: [String], epoch: UInt64 = 0,
        held: [AttemptID] = [], asking: Bool = false
    ) throws -> CoordinatorMessage? {
        if asking, case .welcome(let welcome)? = try hello(name, pools: pools) { journal = welcome.journal }
        let socket = try Context().socket(.dealer)
        try key.lock(socket)
        try socket.connect(endpoint)
        let hello = Hello(
            versions: versions, incarnation: name, journal: journal, pools: pools, build: "impostor",
            contentTypes: ["application/json"], creditTotal: 0,
            held: held.map { HeldAttempt(id: $0, progressAge: HeldAttempt.noProgress) })
        var frame: [UInt8] = []
        Envelope<WorkerMessage>(epoch: epoch, session: 0, message: .hello(hello)).encode(into: &frame)
        _ = try socket.send(frame)
        var poller = Poller()
        _ = poller.add(socket)
        try poller.wait(timeout: Patience.limit)
        var message = Message()
        guard try socket.receiveWhole(into: &message) == .message else { return nil }
        return try message.withBytes { (bytes) throws(WireError) in
            try Envelope<CoordinatorMessage>(decoding: bytes).message
        }
    }
}

private struct Unexpected: Error {}
