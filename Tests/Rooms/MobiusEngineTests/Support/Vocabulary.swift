import MobiusEngine
import MobiusJournal
import MobiusWire

// Short words for the values that the dialogues are about.

extension Moment {
    static let start = Moment(nanoseconds: 0)

    static func seconds(_ seconds: Double) -> Moment {
        Moment(nanoseconds: Int64(seconds * 1_000_000_000))
    }
}

extension JournalID {
    static let ours = JournalID(high: 1, low: 1)
    static let other = JournalID(high: 2, low: 2)
}

extension Incarnation {
    static let ann = Incarnation(high: 0, low: 1)
    static let bob = Incarnation(high: 0, low: 2)

    static func worker(_ number: Int) -> Incarnation { Incarnation(high: 0, low: UInt64(number)) }
}

extension Peer {
    static let ann = Peer(1)
    static let bob = Peer(2)
}

extension Payload {
    /// What an effect asks for.
    static func work(_ words: String) -> Payload {
        Payload(kind: PayloadKind(type: "Test.Effect"), bytes: Array(words.utf8))
    }

    /// What a handler answers.
    static func news(_ words: String) -> Payload {
        Payload(kind: PayloadKind(type: "Test.Event"), bytes: Array(words.utf8))
    }

    var words: String { String(decoding: bytes, as: UTF8.self) }
}

extension PlannedEffect {
    static func work(
        _ words: String = "work", pool: String = "pool", timeout: Duration? = nil, attempts: Int = 3
    ) -> PlannedEffect {
        PlannedEffect(
            effect: .work(words),
            plan: EffectPlan(
                destination: .pool(pool),
                policy: EffectPolicy(
                    timeouts: EffectTimeouts(startToClose: timeout), retry: RetryPolicy(attempts: attempts, jitter: 0),
                    keepsDeadLetters: false)))
    }

    /// An effect whose route has a policy.
    static func work(
        _ words: String = "work", pool: String = "pool", _ policy: EffectPolicy, affinity: String? = nil,
        key: String? = nil
    ) -> PlannedEffect {
        PlannedEffect(
            effect: .work(words),
            plan: EffectPlan(destination: .pool(pool), policy: policy, affinity: affinity, key: key))
    }

    static func work(_ policy: EffectPolicy) -> PlannedEffect { work("work", policy) }

    static func timer(_ schedule: TimerSchedule, _ words: String = "timer") -> PlannedEffect {
        PlannedEffect(effect: .work(words), plan: EffectPlan(destination: .timer(schedule)))
    }

    /// An effect that cancels all others of these words.
    static func cancel(_ words: String) -> PlannedEffect {
        PlannedEffect(effect: .work("cancel \(words)"), plan: EffectPlan(destination: .cancel))
    }

    /// An event for another loop.
    static func event(_ words: String, for loop: LoopID) -> PlannedEffect {
        PlannedEffect(
            effect: .work(words),
            plan: EffectPlan(destination: .loop(loop), policy: EffectPolicy(keepsDeadLetters: false)))
    }

    /// What is left for another loop: an event with these words, or its end.
    static func left(_ words: String, for loop: LoopID, ends: Bool = false) -> PlannedEffect {
        PlannedEffect(
            effect: .work(words),
            plan: EffectPlan(destination: .atEnd(loop, ends: ends), policy: EffectPolicy(keepsDeadLetters: false)))
    }

    /// An event for another loop, whose answer comes back.
    static func question(_ words: String, for loop: LoopID, timeout: Duration? = nil) -> PlannedEffect {
        PlannedEffect(
            effect: .work(words),
            plan: EffectPlan(
                destination: .ask(loop),
                policy: EffectPolicy(
                    timeouts: EffectTimeouts(startToClose: nil, scheduleToClose: timeout), keepsDeadLetters: false)))
    }

    /// The answer to the sender of the event.
    static func answer(_ words: String) -> PlannedEffect {
        PlannedEffect(effect: .work(words), plan: EffectPlan(destination: .sender(.answer(.work(words)))))
    }

    /// The end of the loop.
    static func end(mayBeginAgain: Bool) -> PlannedEffect {
        PlannedEffect(effect: .work("end"), plan: EffectPlan(destination: .endLoop(mayBeginAgain: mayBeginAgain)))
    }

    static func local(_ words: String = "local") -> PlannedEffect {
        PlannedEffect(effect: .work(words), plan: EffectPlan(destination: .local))
    }
}

extension EffectID {
    /// The effect with this index of the loop's start, or of a later event.
    static func effect(_ index: UInt32, of sequence: UInt64 = 0) -> EffectID {
        EffectID(loop: .main, sequence: sequence, index: index)
    }
}

extension AttemptID {
    /// An attempt at an effect of the loop's start, `epoch.number`.
    static func attempt(
        _ index: UInt32 = 0, of sequence: UInt64 = 0, epoch: UInt64 = 1, _ number: UInt32 = 1
    ) -> AttemptID {
        AttemptID(effect: .effect(index, of: sequence), attempt: Attempt(epoch: epoch, number: number))
    }

    func report(_ number: UInt32) -> ReportID { ReportID(attempt: self, number: number) }

    func event(_ number: UInt32 = 1, _ words: String? = "done", final: Bool = true) -> EventReport {
        EventReport(id: report(number), final: final, event: words.map { .news($0) })
    }

    func failure(_ number: UInt32 = 1, retryable: Bool, delay: UInt32 = 0, _ reason: String = "no") -> FailureReport {
        FailureReport(id: report(number), retryable: retryable, delay: delay, reason: reason)
    }

    func order(_ words: String = "work", timeout: UInt32 = 0) -> EffectOrder {
        EffectOrder(id: self, timeout: timeout, effect: .work(words))
    }
}

extension EventApplication {
    /// What a worker's report makes the loop apply.
    static func report(_ report: EventReport, from worker: Incarnation) -> EventApplication {
        EventApplication(
            loop: .main, source: .report(report.id.attempt, number: report.id.number),
            event: report.event ?? .news("nothing"), ends: report.final ? report.id.attempt.effect : nil,
            origin: .worker(worker))
    }
}

extension CoordinatorInput {
    static func hello(
        _ worker: Incarnation = .ann, from peer: Peer? = nil, pools: [String] = ["pool"], credit: UInt64 = 2,
        versions: [UInt8] = [Head.version], journal: JournalID? = .ours, epoch: UInt64 = 0, held: [AttemptID] = [],
        contentTypes: [String] = [], name: String = "", effectTypes: [String] = []
    ) -> CoordinatorInput {
        var hello = Hello(
            versions: versions, incarnation: worker, journal: journal, pools: pools, build: "b",
            contentTypes: contentTypes, creditTotal: credit, held: held.map { HeldAttempt(id: $0) },
            name: name)
        hello.effectTypes = effectTypes
        let envelope = Envelope(epoch: epoch, session: 0, message: WorkerMessage.hello(hello))
        return .received(envelope, from: peer ?? Peer(worker.low))
    }

    static func says(
        _ message: WorkerMessage, from peer: Peer = .ann, session: UInt64 = 1, epoch: UInt64 = 1
    ) -> CoordinatorInput {
        .received(Envelope(epoch: epoch, session: session, message: message), from: peer)
    }

    static func outside(_ request: UInt64, key: String, _ words: String = "hey") -> CoordinatorInput {
        .outside(RequestID(request), .main, key: key, event: .news(words))
    }
}

extension CoordinatorAction {
    /// An event from outside is on disk under this number.
    static func confirm(event number: UInt64, _ request: UInt64, _ reply: SenderReply? = nil) -> CoordinatorAction {
        .confirmEvent(RequestID(request), EventConfirmation(repeated: false, number: number, reply: reply))
    }

    /// An event from outside was on disk before.
    static func again(
        _ request: UInt64, key: String, _ loop: LoopID = .main, _ words: String = "hey"
    ) -> CoordinatorAction {
        .confirmAgain(RequestID(request), loop, key: key, event: .news(words))
    }

    static func says(
        _ message: CoordinatorMessage, to peer: Peer = .ann, session: UInt64 = 1, epoch: UInt64 = 1
    ) -> CoordinatorAction {
        .send(peer, Envelope(epoch: epoch, session: session, message: message))
    }

    static func welcome(_ peer: Peer = .ann, session: UInt64 = 1, epoch: UInt64 = 1) -> CoordinatorAction {
        let welcome = Welcome(
            version: 1, journal: .ours, heartbeat: 1000, silence: 5000, maximumPayload: 4 << 20)
        return .says(.welcome(welcome), to: peer, session: session, epoch: epoch)
    }

    static func joined(
        _ worker: Incarnation = .ann, pools: [String] = ["pool"], adopted: Int = 0
    ) -> CoordinatorAction {
        .note(.joined(worker, pools: pools, build: "b", adopted: adopted))
    }

    static func timedOut(_ attempt: AttemptID, by worker: Incarnation) -> CoordinatorAction {
        .note(.timedOut(attempt, .startToClose, worker: "\(worker)"))
    }

    /// The event that `report` brought, on its way to the disk.
    static func append(_ ticket: UInt64, _ records: JournalRecord...) -> CoordinatorAction {
        .append(Ticket(ticket), records)
    }
}

extension JournalRecord {
    static func event(
        _ sequence: UInt64, _ source: SourceKey, _ words: String, effects: [PlannedEffect] = [], ends: EffectID? = nil
    ) -> JournalRecord {
        .event(
            EventRecord(
                loop: .main, sequence: sequence, source: source, event: .news(words), effects: effects.map(\.effect),
                ends: ends))
    }
}

extension [CoordinatorAction] {
    /// The requests whose events are on disk.
    var confirmed: [RequestID] { compactMap { if case .confirmEvent(let request, _) = $0 { request } else { nil } } }
}
