import Foundation
import Greeter
import Logging
import MobiusCodec
import MobiusCore
import MobiusDriver
import MobiusEngine
import MobiusJournal
import MobiusProgram
import MobiusWire
import Testing

@Suite("A coordinator's driver")
struct CoordinatorDriverTests {
    @Test("performs all that an input leads to, at once")
    func atOnce() throws {
        let stage = try CoordinatorStage()
        try stage.joins()
        #expect(stage.ports.sent == ["welcome"])
        stage.sends("key", "Ada")
        #expect(try stage.takes() == false)
        #expect(stage.ports.sent == ["welcome", "effects"])
        #expect(stage.ports.answers == ["1: done"])
        #expect(stage.ports.appended == ["begin", "guestArrived"])
    }

    @Test("performs one action at a time for a simulator, and what follows from one before all others")
    func stepwise() throws {
        let stage = try CoordinatorStage(isStepwise: true)
        try stage.joins()
        #expect(stage.ports.sent.isEmpty, "nothing is decided before a step")
        var steps: [String] = []
        stage.sends("a", "Ada")
        stage.sends("b", "Bob")
        #expect(try stage.takes() == false)
        while let next = stage.driver.nextStep {
            switch next {
            case .input(let input): steps.append("input \(CoordinatorStage.name(input))")
            case .action(let action): steps.append("action \(CoordinatorStage.name(action))")
            }
            try stage.driver.step()
        }
        #expect(
            steps == [
                "input wallClock", "input begin", "input received", "action send", "action note", "input outside",
                "action apply", "input outside", "action apply", "input flush", "action append",
            ])
        // The journal in memory had written when its writer returned; that comes with the next flush.
        try stage.driver.flush()
        while stage.driver.nextStep != nil { try stage.driver.step() }
        #expect(stage.ports.answers == ["1: done", "2: done"])
        #expect(stage.ports.sent.last == "effects")
    }

    @Test("takes what waits for its loops in slices, so that heartbeats leave in time")
    func slices() throws {
        let stage = try CoordinatorStage()
        for number in 0..<600 { stage.sends("key \(number)", "Ada") }
        #expect(try stage.takes())
        #expect(try stage.takes())
        #expect(try stage.takes() == false)
        #expect(stage.ports.answers.count == 600)
    }

    @Test("answers a client whose question needs the journal")
    func clients() throws {
        let stage = try CoordinatorStage()
        let id = RequestID(RequestID.firstOfClients)
        try stage.driver.receive(.letter(EffectID(loop: .main, sequence: 1, index: 0)), as: id)
        #expect(stage.ports.answers.isEmpty, "the journal has its turn first")
        _ = try stage.takes()
        #expect(stage.ports.answers == ["\(id.number): notFound"])
    }

    /// Found by the seed 3040513 of the simulation: the next reader was told that there was no such loop.
    @Test("tells those who ask for a loop that is read while the coordinator stops to come again")
    func readWhileStopping() throws {
        let shop = try #require(LoopID("shop"))
        let stage = try CoordinatorStage(idle: shop)
        let (first, second) = (RequestID(RequestID.firstOfClients), RequestID(RequestID.firstOfClients + 1))
        stage.journal.holdsReads = true
        try stage.driver.receive(.model(shop), as: first)
        stage.ports.inputs.append(.stop)
        _ = try stage.takes()
        stage.journal.holdsReads = false
        try stage.driver.receive(.model(shop), as: second)
        _ = try stage.takes()
        #expect(stage.ports.answers.sorted() == [first, second].map { "\($0.number): busy" })
    }

    /// Found by the seed 9080941 of the simulation: the host had the loop again, the machine did not, and a reader was told that
    /// there was no such loop.
    @Test("tells an operator whose release is read while the coordinator stops to come again, and the loop stays held")
    func releaseWhileStopping() throws {
        let shop = try #require(LoopID("shop"))
        let stage = try CoordinatorStage(held: shop)
        let (first, second) = (RequestID(RequestID.firstOfClients), RequestID(RequestID.firstOfClients + 1))
        try stage.driver.receive(.release(shop, drop: false, sequence: nil), as: first)
        // The machine has stopped before what was read of the loop arrives.
        let read = stage.ports.inputs
        stage.ports.inputs = [.stop]
        _ = try stage.takes()
        stage.ports.inputs = read
        _ = try stage.takes()
        try stage.driver.receive(.quarantined(shop), as: second)
        _ = try stage.takes()
        #expect(stage.ports.answers == ["\(first.number): busy", "\(second.number): quarantined"])
    }
}

/// A coordinator's driver with the Greeter's loop, whose ports write down what they are asked.
private final class CoordinatorStage {
    let ports = CoordinatorPorts()
    let driver: CoordinatorDriver
    let journal: HeldReads
    private let host: DurableHost<Greeter>
    private var request: UInt64 = 0

    /// - Parameters:
    ///   - idle: A loop that has begun, and is in the journal only.
    ///   - held: A loop that has begun, and trapped twice at its next event.
    init(isStepwise: Bool = false, idle: LoopID? = nil, held: LoopID? = nil) throws {
        let store = InMemoryStore()
        journal = HeldReads(store)
        for loop in [idle, held].compactMap(\.self) {
            try store.commit([
                .event(EventRecord(loop: loop, sequence: 0, source: .start, event: nil, effects: [], ends: nil))
            ])
        }
        if let idle { try store.park([IdleLoop(loop: idle, sequence: 0)], []) }
        if let held {
            let event = Breadcrumb(loop: held, source: .outside("trap"), event: nil)
            for epoch: UInt64 in 1...2 {
                _ = try store.noteCrash(event, build: "1", epoch: epoch, at: WallTime(milliseconds: 0))
            }
        }
        let routes = EffectRouter<Greeter.Effect, Greeter.Event>()
            .routeCase(Greeter.Effect.greet).toWorkers("greeters") { .greetingFailed($0, "\($1)") }
        let preparer = LoopRecovery<Greeter>(
            ProgramCalls(SingleProgram<Greeter>(routes)), build: "1",
            logger: Logger(label: "") { _ in SwiftLogNoOpLogHandler() })
        let start = try JournalRecovery(store, preparer, nil, limits: .standard)
        let inbox = HandedOver(ports)
        let status = FleetStatus(
            program: "greeter", build: "1", journal: store.identity, epoch: 1, started: WallTime(milliseconds: 0),
            maximumPayload: 1000)
        let machine = SharedMachine(
            CoordinatorConfiguration(journal: store.identity, epoch: 1), now: Moment(nanoseconds: 0))
        host = DurableHost(
            DurableHost<Greeter>.Dependencies(
                preparer: preparer, post: { inbox.value.inputs.append($0) },
                drain: { [ports] in
                    $0 = ports.inputs
                    ports.inputs = []
                }, senders: ports, journal: journal, locals: ports, watchers: LoopWatchers(),
                breadcrumbs: nil, status: status, loopsBegin: true, background: { $0() },
                queries: MemoryJournalQueries(store)), start, machine)
        driver = CoordinatorDriver(
            machine, host: host, clientHost: host,
            transport: ports, observer: ports, isStepwise: isStepwise)
        try driver.tell(.wallClock(WallTime(milliseconds: 0)))
        for input in start.inputs { try driver.tell(input) }
    }

    func joins() throws {
        let hello = Hello(
            versions: [Head.version], incarnation: Incarnation(high: 1, low: 1), pools: ["greeters"], build: "1",
            contentTypes: [], creditTotal: 4)
        try driver.tell(
            .received(Envelope(epoch: 0, session: 0, message: WorkerMessage.hello(hello)), from: Peer(1)))
    }

    /// A sender in this process has a guest.
    func sends(_ key: String, _ guest: String) {
        request += 1
        let event = Payload(
            kind: PayloadKind(type: "Greeter.Greeter.Event", contentType: PayloadKind.jsonContentType),
            bytes: Array(#"{"guestArrived":{"_0":"\#(guest)"}}"#.utf8))
        ports.inputs.append(.outside(RequestID(request), .main, key: key, event))
    }

    /// Takes a slice of what waits, and lets decisions leave; answers whether more waits.
    func takes() throws -> Bool {
        let more = try driver.takeInputs()
        try driver.flush()
        return more
    }

    static func name(_ value: some Any) -> String {
        Mirror(reflecting: value).children.first?.label ?? "\(value)"
    }
}

/// A journal in memory whose reads may take a while.
private final class HeldReads: JournalWriter {
    private let store: any JournalStore
    private let memory: MemoryJournalWriter
    private var held: [@Sendable (any JournalStore) -> Void] = []
    var holdsReads = false {
        didSet {
            guard !holdsReads else { return }
            for read in held { read(store) }
            held = []
        }
    }

    init(_ store: any JournalStore) {
        self.store = store
        memory = MemoryJournalWriter(store)
    }

    func append(
        _ ticket: Ticket, _ records: [JournalRecord], facts: [FactChange], bytes: Int
    ) throws(JournalError) -> Bool {
        try memory.append(ticket, records, facts: facts, bytes: bytes)
    }

    var keepsSnapshots: Bool { false }
    func save(_ loop: LoopID, _ snapshot: @escaping @Sendable () -> Result<Snapshot, CodingFailure>) {}
    func park(_ loops: [Parking]) {}
    func read(_ body: @escaping @Sendable (any JournalStore) -> Void) {
        if holdsReads { held.append(body) } else { body(store) }
    }
    func perform(_ body: @escaping @Sendable (any JournalStore) throws(JournalError) -> Void) { memory.perform(body) }
    // Its end waits for the held reads, too.
    func close() -> Bool { false }
}

private final class CoordinatorPorts: CoordinatorTransport, CoordinatorObserver, LocalSenders, LocalHandlers {
    var inputs: [DurableHost<Greeter>.Input] = []
    var sent: [String] = []
    var answers: [String] = []
    var appended: [String] = []

    func send(_ envelope: Envelope<CoordinatorMessage>, to peer: Peer) -> Bool {
        let name = CoordinatorStage.name(envelope.message)
        if name != "pulse" { sent.append(name) }
        return true
    }

    func answer(_ request: RequestID, _ answer: ClientAnswer) {
        answers.append("\(request.number): \(CoordinatorStage.name(answer))")
    }

    func traceparent(of request: RequestID) -> String { "" }

    func noted(_ note: CoordinatorNote) {}
    func failed(_ effect: EffectID, _ failure: EffectFailure) {}
    func sent(_ orders: [EffectOrder], to peer: Peer, by machine: borrowing CoordinatorMachine) {}

    func appending(
        _ ticket: Ticket, _ records: [JournalRecord], at now: Moment, by machine: borrowing CoordinatorMachine
    ) {
        for case .event(let event) in records {
            let text = event.event.map { String(decoding: $0.bytes, as: UTF8.self) } ?? "begin"
            appended.append(text.contains("guestArrived") ? "guestArrived" : text)
        }
    }

    var isTracing: Bool { false }
    func run(_ orders: consuming [EffectOrder]) {}
    func acknowledged(_ id: AttemptID, events: Int, bytes: Int) {}
    func ended(_ id: AttemptID) {}
    func traceparent(of id: AttemptID) -> String { "" }
    func cancel(_ id: AttemptID) {}
    func cancelAll() {}
}
