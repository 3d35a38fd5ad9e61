import FleetTestSupport
import MobiusCore
import MobiusEngine
import MobiusWire
import MobiusWorker
import Synchronization
import TestTraits
import Testing

/// A real worker, and the machines of three shards' coordinators behind a front door, over real sockets.
@Suite(.patient)
struct ShardedWorkerTests {
    @Test func twoSlotsServeThreeShards() async throws {
        let shards = try await [0, 1, 2].asyncMap { try await MachineShard($0, of: 3) }
        let endpoints = shards.map(\.router.endpoint)
        let door = try await ScriptedRouter { frame in
            guard let envelope = try? Envelope<WorkerMessage>(decoding: frame.span.bytes),
                case .hello(let hello) = envelope.message
            else { return [] }
            let endpoint = endpoints[Int(hello.shard)]
            return [frame.answer(.moved(Moved(endpoint: endpoint, hello: hello.number, shards: 3)))]
        }
        let gate = Journey<String>()
        let busy = Mutex((now: 0, most: 0))
        let worker = ContextWorker(door.endpoint, concurrency: 2) { router, steps in
            router.routeCase(Drill.Effect.event).toEvent { words async in
                busy.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1)) }
                steps.add(words)
                try? await gate.wait(for: "the test") { $0.contains(words) }
                busy.withLock { $0.now -= 1 }
                return .answered(words)
            }
        }
        for shard in shards { try await shard.heard.wait(for: "all sessions") { $0.contains(.heartbeat) } }

        // The shard with all the work gets all slots.
        shards[2].ask("a", "b", "c", "d")
        try await worker.steps.wait { $0.count == 2 }
        #expect(Set(worker.steps.elements) == ["a", "b"])

        // The next free slot is for a shard that has none, and then for the other one.
        shards[1].ask("e")
        shards[0].ask("f")
        for shard in shards.prefix(2) {
            try await shard.heard.wait(for: "WANTED, and the worker's next heartbeats") { heard in
                guard let wanted = heard.firstIndex(of: .wanted) else { return false }
                return heard[wanted...].count { $0 == .heartbeat } >= 3
            }
        }
        gate.add("a")
        try await worker.steps.wait { $0.count == 3 }
        gate.add("b")
        try await worker.steps.wait { $0.count == 4 }
        #expect(Set(worker.steps.elements.suffix(2)) == ["e", "f"])

        // What waits gets the slots that the others do not need any more.
        gate.add("e")
        gate.add("f")
        try await worker.steps.wait { $0.count == 6 }
        #expect(Set(worker.steps.elements.suffix(2)) == ["c", "d"])
        gate.add("c")
        gate.add("d")
        for shard in shards {
            try await shard.ended.wait(for: "all effects") { $0.count == (shard.number == 2 ? 4 : 1) }
        }
        #expect(busy.withLock { $0.most } == 2)
        try await worker.leave()
        for shard in shards {
            #expect(shard.heard.elements.last == .bye)
            await shard.router.stop()
        }
        await door.stop()
    }
}

extension [Int] {
    fileprivate func asyncMap<Value>(_ make: (Int) async throws -> Value) async rethrows -> [Value] {
        var values: [Value] = []
        for number in self { values.append(try await make(number)) }
        return values
    }
}

/// The machine of a shard's coordinator with one worker and a journal that is always on disk.
private final class MachineShard: Sendable {
    /// What the worker said, and what it was told of slots.
    enum Heard: Equatable, Sendable {
        case heartbeat
        case bye
        case other
        case wanted
    }

    private struct State: ~Copyable {
        var machine: CoordinatorMachine
        var asked: UInt64 = 0
    }

    let number: Int
    let router: ScriptedRouter
    let heard: Journey<Heard>
    /// The effects that ended.
    let ended: Journey<EffectID>
    private let state: Box

    private final class Box: Sendable {
        let state: Mutex<State>
        init(_ configuration: CoordinatorConfiguration) {
            state = Mutex(State(machine: CoordinatorMachine(configuration)))
        }
    }

    init(_ number: Int, of shards: UInt32) async throws {
        var configuration = CoordinatorConfiguration(
            journal: JournalID(high: 1, low: UInt64(number) + 1), epoch: 1, timing: .quick)
        (configuration.shard, configuration.shards) = (UInt32(number), shards)
        let (box, heard, ended) = (Box(configuration), Journey<Heard>(), Journey<EffectID>())
        (self.number, self.heard, self.ended, state) = (number, heard, ended, box)
        router = try await ScriptedRouter { frame in
            guard let envelope = try? Envelope<WorkerMessage>(decoding: frame.span.bytes) else { return [] }
            switch envelope.message {
            case .heartbeat: heard.add(.heartbeat)
            case .bye: heard.add(.bye)
            default: heard.add(.other)
            }
            return box.state.withLock { state in
                Self.play(&state.machine, .received(envelope, from: Peer(1)), heard, ended).map { said in
                    var bytes: [UInt8] = []
                    said.encode(into: &bytes)
                    return bytes
                }
            }
        }
    }

    /// A loop begins that asks for these effects; they leave when the worker says something next.
    func ask(_ words: String...) {
        let effects = words.map { words in
            PlannedEffect(
                effect: Payload(
                    kind: PayloadKind(type: String(reflecting: Drill.Effect.self)),
                    bytes: Array(#"{"event":{"_0":"\#(words)"}}"#.utf8)),
                plan: EffectPlan(destination: .pool("drill")))
        }
        state.state.withLock { state in
            state.asked += 1
            guard let loop = LoopID("\(number) \(state.asked)") else { preconditionFailure("The name is valid.") }
            _ = state.machine.handle(.begin(loop, effects: effects), at: Self.now)
        }
    }

    private static var now: Moment {
        let (seconds, attoseconds) = (ContinuousClock.now - start).components
        return Moment(nanoseconds: seconds * 1_000_000_000 + attoseconds / 1_000_000_000)
    }

    private static let start = ContinuousClock.now

    /// Takes an input and all that follows from it, and returns what is said.
    private static func play(
        _ machine: inout CoordinatorMachine, _ input: CoordinatorInput, _ heard: Journey<Heard>,
        _ ended: Journey<EffectID>
    ) -> [Envelope<CoordinatorMessage>] {
        var said: [Envelope<CoordinatorMessage>] = []
        var inputs = [.tick, input, .flush]
        while !inputs.isEmpty {
            for action in machine.handle(inputs.removeFirst(), at: now) {
                switch action {
                case .send(_, let envelope):
                    if case .wanted(let count) = envelope.message, count > 0 { heard.add(.wanted) }
                    said.append(envelope)
                case .append(let ticket, _): inputs += [.committed(ticket), .flush]
                case .apply(let application):
                    if let id = application.ends { ended.add(id) }
                    inputs.append(.applied(application, effects: []))
                default: break
                }
            }
        }
        return said
    }
}
