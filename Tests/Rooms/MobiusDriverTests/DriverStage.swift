import MobiusDriver
import MobiusEngine
import MobiusRuntime
import MobiusWire
import Testing

/// A worker's driver between a transport and handlers that only write down what they are asked.
final class DriverStage {
    static let journal = JournalID(high: 1, low: 2)
    static let kind = PayloadKind(type: "Page", contentType: PayloadKind.jsonContentType)

    let ports = RecordedPorts()
    let driver: WorkerDriver
    var now = Moment(nanoseconds: 0)
    private var session: UInt64 = 0
    private var sent: UInt64 = 0

    init(capacity: Int = 4, isStepwise: Bool = false) {
        driver = WorkerDriver(
            WorkerConfiguration(
                incarnation: Incarnation(high: 3, low: 4), pools: ["pages"], build: "1.0",
                contentTypes: [PayloadKind.jsonContentType], capacity: capacity,
                timing: SessionTiming(silence: .seconds(5), resend: .seconds(2))),
            transport: ports, handlers: ports, observer: ports, isStepwise: isStepwise)
    }

    /// A worker in its first session.
    static func joined(capacity: Int = 4, isStepwise: Bool = false) -> DriverStage {
        let stage = DriverStage(capacity: capacity, isStepwise: isStepwise)
        stage.joins()
        _ = stage.steps
        return stage
    }

    /// What the ports were asked since the last call.
    var steps: [RecordedPorts.Step] {
        defer { ports.steps = [] }
        return ports.steps
    }

    /// Takes an input, performs all that it leads to, and answers what that was.
    func does(_ input: (WorkerDriver, Moment) -> Void) -> [RecordedPorts.Step] {
        input(driver, now)
        stepAll()
        return steps
    }

    private func stepAll() {
        while !driver.isIdle { driver.step(at: now) }
    }

    func joins() {
        _ = does { driver, _ in driver.begin() }
        _ = does { $0.connected(at: $1) }
        session += 1
        _ = receives(
            .welcome(
                Welcome(version: 1, journal: Self.journal, heartbeat: 1000, silence: 5000, maximumPayload: 1000)))
    }

    /// Takes a message of the coordinator, without performing what follows.
    func takes(_ message: CoordinatorMessage) {
        var bytes: [UInt8] = []
        Envelope(epoch: 1, session: session, message: message).encode(into: &bytes)
        driver.receive(bytes.span.bytes, at: now)
    }

    func receives(_ message: CoordinatorMessage) -> [RecordedPorts.Step] {
        takes(message)
        stepAll()
        return steps
    }

    /// The next effects of this session.
    func effects(_ ids: AttemptID...) -> CoordinatorMessage {
        defer { sent += UInt64(ids.count) }
        return .effects(after: sent, ids.map { EffectOrder(id: $0, effect: Payload(kind: Self.kind, bytes: [1])) })
    }

    func reports(_ id: AttemptID, final: Bool) -> [RecordedPorts.Step] {
        does { $0.handle(.report(id, event: Payload(kind: Self.kind, bytes: [2, 3]), final: final), at: $1) }
    }

    /// Time passes, deadline by deadline.
    func waits(_ pause: Duration) -> [RecordedPorts.Step] {
        let end = now + pause
        while let deadline = driver.nextDeadline, deadline <= end {
            now = max(now, deadline)
            driver.tick(at: now)
            stepAll()
        }
        now = end
        return steps
    }

    static func attempt(_ sequence: UInt64) -> AttemptID {
        AttemptID(
            effect: EffectID(loop: .main, sequence: sequence, index: 0), attempt: Attempt(epoch: 1, number: 1))
    }
}

/// Ports that write down what they are asked.
final class RecordedPorts: WorkerTransport, WorkerHandlers, WorkerObserver {
    enum Step: Equatable {
        case connects
        case disconnects
        case sends(String)
        case runs([AttemptID])
        case cancels(AttemptID)
        case acknowledges(AttemptID, events: Int, bytes: Int)
        case forgets(AttemptID)
        case notes(WorkerNote)
    }

    var steps: [Step] = []
    /// Where the driver connected.
    private(set) var endpoints: [String?] = []
    var isTracing = false
    var progress: [AttemptID: Moment] = [:]
    /// The messages that were sent, as they were read back from their bytes.
    private(set) var messages: [WorkerMessage] = []
    private(set) var failures: [HandlerFailure] = []

    var effectKinds: [PayloadKind] { [DriverStage.kind] }

    func connect(to endpoint: String?) {
        endpoints.append(endpoint)
        steps.append(.connects)
    }

    func disconnect() { steps.append(.disconnects) }

    func send(_ message: WorkerMessage, as frame: [UInt8]) {
        #expect(throws: Never.self) {
            let read = try Envelope<WorkerMessage>(decoding: frame.span.bytes).message
            #expect(read == message)
            messages.append(read)
        }
        steps.append(.sends("\(message)".prefix { $0.isLetter }.description))
    }

    func run(_ orders: consuming [EffectOrder]) { steps.append(.runs(orders.map(\.id))) }

    func traceparent(of id: AttemptID) -> String { "00-\(id.effect.sequence)" }

    func cancel(_ id: AttemptID) { steps.append(.cancels(id)) }

    func acknowledged(_ id: AttemptID, events: Int, bytes: Int) {
        steps.append(.acknowledges(id, events: events, bytes: bytes))
    }

    func ended(_ id: AttemptID) { steps.append(.forgets(id)) }

    func received(_ message: CoordinatorMessage) {}

    func begins(_ orders: [EffectOrder], at now: Moment) {}

    func ended(_ id: AttemptID, _ failure: HandlerFailure?, at now: Moment) {
        if let failure { failures.append(failure) }
    }

    func note(_ note: WorkerNote) { steps.append(.notes(note)) }
}
