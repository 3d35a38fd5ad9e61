import MobiusDriver
import MobiusEngine
import MobiusRuntime
import MobiusWire
import Testing

@Suite("The drivers of a worker of several shards")
struct ShardDriversTests {
    @Test("with one shard there is one connection, and HELLO promises all slots")
    func one() {
        let stage = ShardStage(capacity: 2)
        stage.joins(0, of: 1)
        #expect(stage.drivers.all.count == 1)
        #expect(stage.hello(0) == [0, 2])
    }

    @Test("MOVED and WELCOME say how many shards there are: each gets a connection, and says which it is")
    func learns() {
        let moved = ShardStage(capacity: 2)
        moved.begins(0)
        moved.says(0, .moved(Moved(endpoint: nil, hello: 1, shards: 2)))
        #expect(moved.drivers.all.count == 2)
        let stage = ShardStage(capacity: 2)
        for shard in 0..<3 { stage.joins(shard, of: 3) }
        #expect(stage.drivers.all.count == 3)
        #expect((0..<3).map { stage.hello($0) } == [[0, 2], [1, 0], [2, 0]])
    }

    @Test("the shard with all the work gets all slots, and another one the next that is free")
    func shares() {
        let stage = ShardStage(capacity: 2)
        for shard in 0..<3 { stage.joins(shard, of: 3) }
        stage.says(2, .wanted(5))
        #expect(stage.last(0) == .reclaim(number: 1, credits: 2))
        stage.says(0, .reclaimed(number: 1, total: 2))
        #expect(stage.last(2) == .credit(total: 2))
        stage.orders(2, 1, 2)
        stage.says(1, .wanted(1))
        #expect(stage.credits(1) == 0, "none is free")
        stage.ends(2, 1)
        #expect(stage.credits(1) == 1 && stage.credits(2) == 2)
        stage.orders(1, 3)
        stage.says(1, .wanted(0))
        stage.ends(1, 3)
        #expect(stage.credits(1) == 1 && stage.credits(2) == 3, "it goes back to where work waits")
        #expect(stage.handlers.running == [2])
    }

    @Test("an answer that nobody asked for, and numbers that are too large, give away no slot twice")
    func hostile() {
        let stage = ShardStage(capacity: 2)
        for shard in 0..<2 { stage.joins(shard, of: 2) }
        stage.orders(0, 1, 2)
        stage.says(1, .wanted(.max))
        stage.says(0, .reclaimed(number: 1, total: .max))
        stage.orders(1, 3)
        #expect(stage.handlers.running == [1, 2] && stage.credits(1) == 1, "the order returns its credit only")
        stage.says(1, .reclaimed(number: .max, total: .max))
        stage.ends(0, 1)
        #expect(stage.credits(1) == 2 && stage.handlers.running == [2])
    }

    @Test("drained, it leaves when the handlers of all shards have ended and are acknowledged")
    func drains() {
        let stage = ShardStage(capacity: 2)
        for shard in 0..<2 { stage.joins(shard, of: 2) }
        stage.orders(0, 1)
        stage.drivers.drain(by: stage.now + .seconds(30), at: stage.now)
        stage.settles()
        #expect(stage.last(1) == .bye && stage.drivers.exit == nil)
        stage.ends(0, 1)
        stage.says(0, .ack([ShardStage.attempt(1).id.report]))
        #expect(stage.last(0) == .bye && stage.drivers.exit == .drained)
    }

    @Test("a coordinator that has it leave ends it for all shards, as with one")
    func leaves() {
        let stage = ShardStage(capacity: 2)
        for shard in 0..<3 { stage.joins(shard, of: 3) }
        stage.says(1, .drain(.leave))
        #expect((0..<3).map { stage.last($0) } == [.bye, .bye, .bye])
        #expect(stage.drivers.exit == .drained)
    }

    @Test("a coordinator that does not admit it ends it")
    func rejected() {
        let stage = ShardStage(capacity: 2)
        for shard in 0..<2 { stage.joins(shard, of: 2) }
        stage.says(1, .reject("no pool"))
        #expect(stage.drivers.exit == .rejected("no pool"))
    }
}

/// The drivers of a worker between transports, one of each shard, and handlers that only write down what they are asked.
private final class ShardStage {
    let handlers = WrittenHandlers()
    private(set) var drivers: ShardDrivers!
    let now = Moment(nanoseconds: 0)
    private var ports: [RecordedPorts] = []
    private var sent: [Int: UInt64] = [:]

    init(capacity: Int) {
        let configuration = WorkerConfiguration(
            incarnation: Incarnation(high: 3, low: 4), pools: ["pages"], build: "1.0",
            contentTypes: [PayloadKind.jsonContentType], capacity: capacity, endpoints: ["tcp://10.0.0.1:1"])
        drivers = ShardDrivers(configuration, handlers: handlers) { [unowned self] _ in
            let ports = RecordedPorts()
            self.ports.append(ports)
            return ShardDrivers.Ports(transport: ports, observer: ports)
        }
    }

    static func attempt(_ sequence: UInt64) -> EffectOrder {
        EffectOrder(id: DriverStage.attempt(sequence), effect: Payload(kind: DriverStage.kind, bytes: [1]))
    }

    func settles() { drivers.decide(at: now) }

    /// A connection is made.
    func begins(_ shard: Int) {
        if shard == 0 { drivers.all[0].begin() }
        drivers.all[shard].connected(at: now)
        settles()
    }

    func joins(_ shard: Int, of shards: UInt32) {
        begins(shard)
        let welcome = Welcome(
            hello: 1, version: 1, journal: JournalID(high: UInt64(shard), low: 1), heartbeat: 1000, silence: 5000,
            maximumPayload: 1000, shards: shards)
        says(shard, .welcome(welcome))
    }

    func says(_ shard: Int, _ message: CoordinatorMessage) {
        var bytes: [UInt8] = []
        Envelope(epoch: 1, session: 1, message: message).encode(into: &bytes)
        drivers.all[shard].receive(bytes.span.bytes, at: now)
        settles()
    }

    func orders(_ shard: Int, _ sequences: UInt64...) {
        says(shard, .effects(after: sent[shard, default: 0], sequences.map(Self.attempt)))
        sent[shard, default: 0] += UInt64(sequences.count)
    }

    /// A handler ends; who runs it is not said.
    func ends(_ shard: Int, _ sequence: UInt64) {
        drivers.handle(.report(DriverStage.attempt(sequence), event: nil, final: true), at: now)
        settles()
        guard case .events? = last(shard) else {
            Issue.record("the report went to another shard")
            return
        }
    }

    func last(_ shard: Int) -> WorkerMessage? { ports[shard].messages.last }

    /// The shard and the promised slots of its only HELLO.
    func hello(_ shard: Int) -> [Int] {
        let hellos = ports[shard].messages.compactMap { message -> [Int]? in
            guard case .hello(let hello) = message else { return nil }
            return [Int(hello.shard), Int(hello.creditTotal)]
        }
        return hellos.count == 1 ? hellos[0] : []
    }

    /// The total of the slots that the shard's coordinator was promised in the session.
    func credits(_ shard: Int) -> UInt64 {
        ports[shard].messages.reduce(0) { known, message in
            switch message {
            case .hello(let hello): hello.creditTotal
            case .credit(let total), .events(let total, _), .failures(let total, _), .heartbeat(let total, _, _): total
            case .draining, .bye, .reclaim: known
            }
        }
    }
}

/// Handlers that never end by themselves.
private final class WrittenHandlers: WorkerHandlers {
    /// The sequences of the effects of running handlers.
    private(set) var running: [UInt64] = []
    let effectKinds = [DriverStage.kind]
    let progress: [AttemptID: Moment] = [:]
    let isTracing = false

    func run(_ orders: consuming [EffectOrder]) { running += orders.map(\.id.effect.sequence) }
    func ended(_ id: AttemptID) { running.removeAll { $0 == id.effect.sequence } }
    func cancel(_ id: AttemptID) {}
    func traceparent(of id: AttemptID) -> String { "" }
    func acknowledged(_ id: AttemptID, events: Int, bytes: Int) {}
}

extension AttemptID {
    fileprivate var report: ReportID { ReportID(attempt: self, number: 1) }
}
