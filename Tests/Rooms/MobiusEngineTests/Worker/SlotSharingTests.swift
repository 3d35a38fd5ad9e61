import MobiusEngine
import MobiusWire
import Testing

/// Worker machines of several shards with one broker, and a coordinator of each that keeps to the protocol.
private struct SlotWorld: ~Copyable {
    /// What a coordinator knows, as the protocol says.
    private struct Owner {
        var session: UInt64 = 0
        var hello: UInt32 = 0
        var (total, sent, void): (UInt64, UInt64, UInt64) = (0, 0, 0)
        var reclaimed: UInt32 = 0
        var isWanted = false
        var waiting: [UInt64] = []
        /// Sent, and not ended.
        var running: [UInt64] = []
        var toWorker: [Envelope<CoordinatorMessage>] = []
        var toOwner: [Envelope<WorkerMessage>] = []
        var isCut = false
    }

    /// Holds a machine, as an array cannot.
    private final class Worker {
        var machine: WorkerMachine
        init(_ configuration: WorkerConfiguration) { machine = WorkerMachine(configuration) }
    }

    let capacity: Int
    private var workers: [Worker]
    private var owners: [Owner]
    private var broker: SlotBroker
    private var random: Random
    private var now = Moment.start
    /// The handlers that run, by shard and effect.
    private var handlers: [(shard: Int, id: AttemptID)] = []
    private(set) var mostHandlers = 0
    private(set) var ended = 0

    struct Random: RandomNumberGenerator {
        var state: UInt64
        mutating func next() -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return state ^ state >> 29
        }
    }

    init(shards: Int, capacity: Int, seed: UInt64) {
        self.capacity = capacity
        random = Random(state: seed)
        broker = SlotBroker(capacity: capacity)
        owners = [Owner](repeating: Owner(), count: shards)
        workers = (0..<shards).map { shard in
            var configuration = WorkerConfiguration(
                incarnation: .ann, pools: ["pool"], build: "b", contentTypes: [], capacity: capacity, seed: seed)
            configuration.shard = UInt32(shard)
            let worker = Worker(configuration)
            worker.machine.borrow(all: shard == 0)
            return worker
        }
        for shard in 0..<shards { perform(workers[shard].machine.handle(.connected, at: now), shard) }
    }

    /// Whether nothing is under way but handlers.
    private var isQuiet: Bool { owners.allSatisfy { $0.toWorker.isEmpty && $0.toOwner.isEmpty } }

    mutating func ask(_ shard: Int) {
        owners[shard].waiting.append(.random(in: 1...UInt64.max, using: &random))
        Self.dispatch(&owners[shard])
    }

    /// Something happens somewhere.
    mutating func step() {
        now = now + .milliseconds(1)
        let shard = Int.random(in: 0..<owners.count, using: &random)
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<35: deliver(toWorker: shard)
        case 35..<70: deliver(toOwner: shard)
        case 70..<97: end()
        default: if Bool.random(using: &random) { cut(shard) }
        }
        settle()
    }

    /// Everything that was said arrives; handlers run on.
    mutating func calm() {
        var rounds = 0
        while !isQuiet || rounds < 3 {
            rounds += 1
            now = now + .milliseconds(1)
            for shard in owners.indices {
                while !owners[shard].toOwner.isEmpty { deliver(toOwner: shard) }
                while !owners[shard].toWorker.isEmpty { deliver(toWorker: shard) }
            }
            settle()
            // Lost orders and answers come again by the lists of heartbeats.
            if rounds % 8 == 7 {
                now = now + .seconds(1)
                for shard in workers.indices { perform(workers[shard].machine.handle(.tick, at: now), shard) }
            }
            precondition(rounds < 1000, "It does not come to rest.")
        }
    }

    mutating func endAll() { while !handlers.isEmpty { end() } }

    /// A shard with waiting effects and no slot, while another has one that it does not use; `nil` without.
    var idle: String? {
        let accounts = accounts
        guard let lacking = owners.indices.first(where: { !owners[$0].waiting.isEmpty && accounts[$0].running == 0 })
        else { return nil }
        let unused = accounts.indices.filter {
            owners[$0].waiting.isEmpty && accounts[$0].allotment > accounts[$0].running
        }
        return unused.isEmpty ? nil : "shard \(lacking) waits while \(unused) have slots: \(accounts)"
    }

    var waiting: Int { owners.reduce(0) { $0 + $1.waiting.count + $1.running.count } }

    // MARK: - The worker

    private var accounts: [SlotAccount] { workers.map { $0.machine.account } }

    private mutating func settle() {
        for move in broker.moves(accounts) {
            switch move {
            case .lend(let shard, let slots): workers[shard].machine.lend(slots)
            case .askBack(let shard, let slots): perform(workers[shard].machine.giveBack(slots, at: now), shard)
            }
        }
        for shard in workers.indices { perform(workers[shard].machine.handle(.flush, at: now), shard) }
    }

    private mutating func perform(_ actions: [WorkerAction], _ shard: Int) {
        for action in actions {
            switch action {
            case .send(let envelope): owners[shard].toOwner.append(envelope)
            case .run(let order):
                handlers.append((shard, order.id))
                mostHandlers = max(mostHandlers, handlers.count)
            default: break
            }
        }
    }

    private mutating func end() {
        guard !handlers.isEmpty else { return }
        let (shard, id) = handlers.remove(at: Int.random(in: handlers.indices, using: &random))
        perform(workers[shard].machine.handle(.report(id, event: nil, final: true), at: now), shard)
    }

    private mutating func deliver(toWorker shard: Int) {
        guard !owners[shard].toWorker.isEmpty else { return }
        let envelope = owners[shard].toWorker.removeFirst()
        perform(workers[shard].machine.handle(.received(envelope), at: now), shard)
    }

    // MARK: - The coordinators

    /// The connection is lost with all that is on it; the coordinator keeps what it knows, and the worker connects again.
    private mutating func cut(_ shard: Int) {
        (owners[shard].toWorker, owners[shard].toOwner) = ([], [])
        perform(workers[shard].machine.handle(.connected, at: now), shard)
    }

    private mutating func deliver(toOwner shard: Int) {
        guard !owners[shard].toOwner.isEmpty else { return }
        let envelope = owners[shard].toOwner.removeFirst()
        var owner = owners[shard]
        if case .hello(let hello) = envelope.message {
            guard hello.number > owner.hello else { return }
            owner.hello = hello.number
            owner.session += 1
            (owner.total, owner.sent, owner.void, owner.reclaimed) = (hello.creditTotal, 0, 0, 0)
            owner.isWanted = false
            Self.say(
                .welcome(
                    Welcome(
                        hello: hello.number, version: 1, journal: .ours, heartbeat: 1000, silence: 600_000,
                        maximumPayload: 1 << 20)), &owner)
            Self.redeliver(hello.held, &owner)
        } else if envelope.session == owner.session {
            switch envelope.message {
            case .credit(let total): owner.total = max(owner.total, total)
            case .heartbeat(let total, let orders, let held):
                owner.total = max(owner.total, total)
                if orders.sent == owner.sent { Self.redeliver(held, &owner) }
            case .events(let total, let reports):
                owner.total = max(owner.total, total)
                for report in reports where report.final {
                    let sequence = report.id.attempt.effect.sequence
                    if let place = owner.running.firstIndex(of: sequence) {
                        owner.running.remove(at: place)
                        ended += 1
                    }
                    Self.say(.ack([report.id]), &owner)
                }
            case .reclaim(let number, let credits):
                if number > owner.reclaimed {
                    owner.reclaimed = number
                    owner.void += min(credits, Self.free(owner))
                }
                Self.say(.reclaimed(number: number, total: owner.void), &owner)
            default: break
            }
        }
        Self.dispatch(&owner)
        owners[shard] = owner
    }

    private static func free(_ owner: Owner) -> UInt64 {
        let used = owner.sent + owner.void
        return owner.total > used ? owner.total - used : 0
    }

    private static func dispatch(_ owner: inout Owner) {
        guard owner.session > 0 else { return }
        while free(owner) > 0, !owner.waiting.isEmpty {
            let sequence = owner.waiting.removeFirst()
            owner.running.append(sequence)
            order([sequence], &owner)
        }
        guard owner.isWanted == owner.waiting.isEmpty else { return }
        owner.isWanted = !owner.waiting.isEmpty
        Self.say(.wanted(UInt32(owner.waiting.count)), &owner)
    }

    private static func redeliver(_ held: [HeldAttempt], _ owner: inout Owner) {
        let listed = Set(held.map(\.id.effect.sequence))
        let lost = owner.running.filter { !listed.contains($0) }
        if !lost.isEmpty { order(lost, &owner) }
    }

    private static func order(_ sequences: [UInt64], _ owner: inout Owner) {
        let orders = sequences.map { sequence in
            EffectOrder(
                id: AttemptID(
                    effect: EffectID(loop: .main, sequence: sequence, index: 0),
                    attempt: Attempt(epoch: 1, number: 1)), timeout: 0, effect: .work("x"))
        }
        Self.say(.effects(after: owner.sent, orders), &owner)
        owner.sent += UInt64(orders.count)
    }

    private static func say(_ message: CoordinatorMessage, _ owner: inout Owner) {
        owner.toWorker.append(Envelope(epoch: 1, session: owner.session, message: message))
    }
}

@Suite("Slots shared between shards") struct SlotSharingTests {
    @Test(
        "never more handlers than slots, no slot idle while another shard waits, and all effects end",
        arguments: 1...60 as ClosedRange<UInt64>)
    func anything(seed: UInt64) {
        let (shards, capacity) = (Int(seed % 7) + 2, [1, 2, 3, 8][Int(seed / 7 % 4)])
        var world = SlotWorld(shards: shards, capacity: capacity, seed: seed)
        var random = SlotWorld.Random(state: seed &* 77)
        var asked = 0
        for _ in 0..<20 {
            // Sometimes all want much, sometimes one.
            let favourite = Bool.random(using: &random) ? Int.random(in: 0..<shards, using: &random) : nil
            for _ in 0..<Int.random(in: 0...20, using: &random) {
                world.ask(favourite ?? Int.random(in: 0..<shards, using: &random))
                asked += 1
            }
            for _ in 0..<Int.random(in: 0...200, using: &random) { world.step() }
            if Bool.random(using: &random) {
                world.calm()
                #expect(world.idle == nil)
            }
        }
        var rounds = 0
        while world.waiting > 0, rounds < 20_000 {
            rounds += 1
            world.calm()
            #expect(world.idle == nil)
            world.endAll()
        }
        #expect(world.waiting == 0 && world.ended == asked)
        #expect(world.mostHandlers <= capacity)
    }
}
