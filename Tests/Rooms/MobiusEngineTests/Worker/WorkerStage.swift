import MobiusEngine
import MobiusWire

/// A worker machine on a stage: what its coordinator and its handlers say, line by line.
struct WorkerStage: ~Copyable {
    static let journal = JournalID(high: 1, low: 2)
    static let incarnation = Incarnation(high: 3, low: 4)
    static let timing = SessionTiming(silence: .seconds(5), resend: .seconds(2))

    var machine: WorkerMachine
    var now = Moment(nanoseconds: 0)
    var epoch: UInt64 = 1
    var session: UInt64 = 7
    private var counter = OrderCounter()

    init(capacity: Int = 2, seed: UInt64 = 0) {
        machine = WorkerMachine(
            WorkerConfiguration(
                incarnation: Self.incarnation, pools: ["pages"], build: "1.0",
                contentTypes: [PayloadKind.jsonContentType], capacity: capacity, timing: Self.timing, seed: seed))
    }

    /// A worker in its first session.
    static func joined(capacity: Int = 2, maximumPayload: UInt32 = 1000) -> WorkerStage {
        var stage = WorkerStage(capacity: capacity)
        _ = stage.gets(.connected)
        _ = stage.hears(welcome(maximumPayload: maximumPayload))
        return stage
    }

    /// A worker in its first session that runs these attempts.
    static func running(_ attempts: AttemptID..., capacity: Int = 2) -> WorkerStage {
        var stage = joined(capacity: capacity)
        _ = stage.hears(.effects(attempts.map(order)))
        return stage
    }

    mutating func gets(_ input: WorkerInput) -> [WorkerAction] {
        counter.strip(machine.handle(counter.number(input), at: now))
    }

    mutating func hears(_ message: CoordinatorMessage) -> [WorkerAction] {
        gets(.received(Envelope(epoch: epoch, session: session, message: message)))
    }

    /// The handler says an event.
    mutating func reports(_ attempt: AttemptID, _ event: String?, final: Bool = false) -> [WorkerAction] {
        gets(.report(attempt, event: event.map(Self.payload), final: final))
    }

    mutating func flushes() -> [WorkerAction] { gets(.flush) }

    /// Time passes, tick by tick; all that it led to.
    mutating func waits(_ duration: Duration) -> [WorkerAction] {
        let end = now + duration
        var actions: [WorkerAction] = []
        while let deadline = machine.nextDeadline, deadline <= end {
            now = max(now, deadline)
            let next = gets(.tick)
            actions += next
            if case .exit = next.last { break }
        }
        now = end
        return actions
    }

    /// What the machine says in this session.
    func said(_ message: WorkerMessage) -> WorkerAction {
        .send(Envelope(epoch: epoch, session: session, message: message))
    }

    /// HELLO, as it says it before a session; of those heard, how many milliseconds ago that was.
    func hello(
        creditTotal: UInt64, held: [AttemptID] = [], heard: [AttemptID: UInt32] = [:],
        knows journal: JournalID? = journal
    ) -> WorkerAction {
        let hello = Hello(
            incarnation: Self.incarnation, journal: journal, pools: ["pages"], build: "1.0",
            contentTypes: [PayloadKind.jsonContentType], creditTotal: creditTotal,
            held: held.map { HeldAttempt(id: $0, progressAge: heard[$0] ?? HeldAttempt.noProgress) })
        return .send(Envelope(epoch: journal == nil ? 0 : epoch, session: 0, message: .hello(hello)))
    }

    static func welcome(journal: JournalID = journal, maximumPayload: UInt32 = 1000) -> CoordinatorMessage {
        .welcome(
            Welcome(version: 1, journal: journal, heartbeat: 1000, silence: 5000, maximumPayload: maximumPayload))
    }

    /// An attempt at the main loop's effect `sequence`/0.
    static func attempt(_ sequence: UInt64, _ number: UInt32 = 1, epoch: UInt64 = 1) -> AttemptID {
        AttemptID(
            effect: EffectID(loop: .main, sequence: sequence, index: 0), attempt: Attempt(epoch: epoch, number: number))
    }

    static func order(_ attempt: AttemptID) -> EffectOrder {
        EffectOrder(id: attempt, effect: payload("do it"))
    }

    static func payload(_ text: String) -> Payload {
        Payload(kind: PayloadKind(type: "Test"), bytes: Array(text.utf8))
    }

    static func event(_ attempt: AttemptID, _ number: UInt32, _ event: String?, final: Bool = false) -> EventReport {
        EventReport(id: ReportID(attempt: attempt, number: number), final: final, event: event.map(payload))
    }

    static func failure(
        _ attempt: AttemptID, _ number: UInt32, retryable: Bool = false, delay: UInt32 = 0, reason: String
    ) -> FailureReport {
        FailureReport(
            id: ReportID(attempt: attempt, number: number), retryable: retryable, delay: delay, reason: reason)
    }
}
