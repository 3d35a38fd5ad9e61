package import MobiusWire

/// Decides everything a worker process does, and does nothing: inputs and the time come in, actions go out.
///
/// It holds an attempt from its EFFECT until the handler has ended and every report is acknowledged. Reports wait in the
/// outbox meanwhile; they are sent again until the coordinator says ACK or STALE, whatever connections come and go.
///
/// The edge hands in what happened, one input at a time, performs the actions in their order, and hands in
/// ``WorkerInput/flush`` when nothing more waits: reports leave in batches, then.
public struct WorkerMachine: Equatable, Sendable {
    let configuration: WorkerConfiguration
    var link = Link.connecting
    var timing: SessionTiming
    var maximumPayload = UInt32.max
    /// Whether the coordinator takes trace contexts.
    var takesTraces = false
    /// The coordinator's journal and the newest epoch of it that was seen.
    var journal: JournalID?
    var epoch: UInt64 = 0
    /// Everything held: at most one attempt of an effect, the newest.
    var held = SlotTable<EffectID, Holding>()
    /// Those with reports that were never sent, in the order in which the first of them came.
    var fresh: [SlotTable<EffectID, Holding>.Slot] = []
    /// When the last flush left some of them for the next one, which is to follow at once.
    var sendsOn: Moment?
    /// How many effects may be sent to this worker in this session, those that are lost on their way aside; grows as slots
    /// become free.
    var creditTotal: UInt64
    var announcedCredit: UInt64 = 0
    /// Slots that are free and were not given away, because too much waits for its ACK.
    var withheld: UInt64 = 0
    /// The bytes of all events that wait for their ACK.
    var heldBytes = 0
    /// What is known of this session's orders.
    var orders = OrderCount()
    /// How many handlers have not ended.
    var running = 0
    /// Those of them that were told to stop and that nobody waits for.
    var stopping: Set<AttemptID> = []
    var lastHeard: Moment?
    var nextHeartbeat: Moment?
    /// When HELLO is said again, while it waits for an answer.
    var nextHello: Moment?
    /// How often it was said again.
    var hellos = 0
    /// How many HELLOs were said, ever.
    var helloNumber: UInt32 = 0
    /// Whether the newest of them waits for its answer.
    var awaitsWelcome = false
    var pauses = 0
    /// Until when it may take to leave.
    var draining: Moment?
    /// Whether that time is over: it waits for handlers that were told to stop, and for nothing else.
    var givesUp = false
    var exited = false
    var random: SplitMix64

    enum Link: Equatable, Sendable {
        /// Waits for a connection and for WELCOME.
        case connecting
        case joined(session: UInt64)
    }

    /// A worker that has no connection yet.
    public init(_ configuration: WorkerConfiguration) {
        self.configuration = configuration
        timing = configuration.timing
        creditTotal = UInt64(configuration.capacity)
        random = SplitMix64(seed: configuration.seed)
    }

    /// Whether it is in a session and waits for nothing but orders, handlers and heartbeats.
    package var isAtRest: Bool {
        guard case .joined = link else { return false }
        return draining == nil && stopping.isEmpty && held.values.allSatisfy(\.outbox.isEmpty)
    }

    /// When `tick` is to be handed in next; `nil` before the first input and after the end.
    public var nextDeadline: Moment? {
        guard !exited else { return nil }
        return Moment.earliest(nextHeartbeat, nextHello, draining, sendsOn)
    }

    /// Takes in what happened at `now` and answers what to do.
    public mutating func handle(_ input: consuming WorkerInput, at now: Moment) -> [WorkerAction] {
        var orders: [EffectOrder] = []
        let actions = handle(input, orders: &orders, at: now)
        return orders.isEmpty ? actions : actions + orders.map(WorkerAction.run)
    }

    // An action for each order would be two copies of it.
    /// The same, with all that is to be run, after the actions, in `orders`, which keeps what it was when there is nothing.
    package mutating func handle(
        _ input: consuming WorkerInput, orders: inout [EffectOrder], at now: Moment
    ) -> [WorkerAction] {
        guard begin(at: now) else { return [] }
        var actions: [WorkerAction] = []
        switch consume input {
        case .connected:
            lastHeard = now
            hellos = 0
            hello(at: now, &actions)
        case .received(let envelope): receive(envelope, orders: &orders, at: now, &actions)
        case .malformed(let error): actions.append(.note(.malformed(error)))
        case .report(let id, let event, let final): report(id, event, final: final, at: now, &actions)
        case .failed(let id, let retryable, let delay, let reason):
            let id = ReportID(attempt: id, number: 0)
            report(FailureReport(id: id, retryable: retryable, delay: delay, reason: reason), at: now)
        case .progress(let moments): note(progress: moments)
        case .drain(let deadline): drain(until: deadline, at: now, &actions)
        case .tick: tick(at: now, &actions)
        case .flush: flush(at: now, &actions)
        }
        return actions
    }

    /// The same for ``WorkerInput/report(_:event:final:)``, which most inputs are: this one need not be made and taken apart.
    package mutating func handleReport(
        _ id: AttemptID, event: consuming Payload?, final: Bool, at now: Moment
    ) -> [WorkerAction] {
        guard begin(at: now) else { return [] }
        var actions: [WorkerAction] = []
        report(id, event, final: final, at: now, &actions)
        return actions
    }

    /// Whether it still takes inputs; the first begins its time.
    private mutating func begin(at now: Moment) -> Bool {
        if lastHeard == nil { lastHeard = now }
        if nextHeartbeat == nil { nextHeartbeat = now + timing.heartbeat }
        return !exited
    }

    /// What is held of exactly this attempt.
    func holding(_ id: AttemptID) -> Holding? {
        guard let holding = held[id.effect], holding.attempt == id.attempt else { return nil }
        return holding
    }

    mutating func send(_ message: WorkerMessage, _ actions: inout [WorkerAction]) {
        var session: UInt64 = 0
        if case .joined(let number) = link { session = number }
        actions.append(.send(Envelope(epoch: epoch, session: session, message: message)))
    }
}
