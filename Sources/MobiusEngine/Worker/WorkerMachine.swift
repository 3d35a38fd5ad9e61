package import MobiusWire

/// Makes all decisions of a worker process, without side effects: it takes inputs and the time, and returns actions.
///
/// It holds an attempt from its EFFECT until the handler has ended and every report is acknowledged. Meanwhile reports
/// wait in the outbox; they are sent again until the coordinator answers ACK or STALE, across lost connections.
///
/// The edge hands in one input at a time, performs the actions in their order, and hands in ``WorkerInput/flush`` when
/// no further input waits: then reports are sent in batches.
///
/// It cannot be copied: a copy would count the references of all its parts.
public struct WorkerMachine: ~Copyable, Sendable {
    let configuration: WorkerConfiguration
    var link = Link.connecting
    var timing: SessionTiming
    var maximumPayload = UInt32.max
    /// Whether the coordinator accepts trace contexts.
    var takesTraces = false
    /// The coordinator's journal and its newest known epoch.
    var journal: JournalID?
    var epoch: UInt64 = 0
    /// The held attempts: at most one per effect, the newest.
    var held = SlotTable<EffectID, AttemptState>()
    /// Attempts with unsent reports, in the order of their first such report.
    var fresh: [SlotTable<EffectID, AttemptState>.Slot] = []
    /// The time at which the last flush left reports for the next one, which must follow at once.
    var sendsOn: Moment?
    /// The number of effects that may be sent to this worker in this session, without lost ones; grows as slots become
    /// free.
    var creditTotal: UInt64
    var announcedCredit: UInt64 = 0
    /// Free slots that were not granted, because too many reports wait for their ACK.
    var withheld: UInt64 = 0
    /// The bytes of all events that wait for their ACK.
    var heldBytes = 0
    /// The number of slots that it may use: all of the process, or those that the broker of several shards has lent.
    var allotment: Int
    /// The loan of its process's slots, which it shares; `nil` while it has all of them.
    var loan: SlotLoan?
    /// The number of shards of the cluster, as its coordinators report it.
    package internal(set) var shards: UInt32 = 1
    /// The count of this session's orders.
    var orders = OrderCount()
    /// The number of handlers that have not ended.
    var running = 0
    /// Those of them that were stopped and whose reports are no longer needed.
    var stopping: Set<AttemptID> = []
    var lastHeard: Moment?
    var nextHeartbeat: Moment?
    /// The time at which HELLO is sent again, while it waits for an answer.
    var nextHello: Moment?
    /// The number of times that HELLO was repeated.
    var hellos = 0
    /// The number of all HELLOs sent.
    var helloNumber: UInt32 = 0
    /// Whether the newest of them waits for its answer.
    var awaitsWelcome = false
    var pauses = 0
    /// The rotation that decides to which endpoint it connects.
    var rotation: EndpointRotation
    /// The time at which it leaves the endpoint of one of several coordinators if there is no session by then.
    var leavesAt: Moment?
    /// Whether this connection had a session.
    var wasServed = false
    /// The old epoch that was refused last, while it looks for the newest.
    var refusedEpoch: UInt64?
    /// The deadline for its shutdown.
    var draining: Moment?
    /// Whether that deadline has passed: it waits only for stopped handlers.
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
        allotment = configuration.capacity
        random = SplitMix64(seed: configuration.seed)
        rotation = EndpointRotation(configuration.endpoints)
    }

    /// Whether it is in a session and waits only for orders, handlers and heartbeats.
    package var isAtRest: Bool {
        guard case .joined = link else { return false }
        return draining == nil && stopping.isEmpty && held.values.allSatisfy(\.outbox.isEmpty)
    }

    /// Whether it is in a session.
    package var isJoined: Bool { link != .connecting }

    /// By when it ends, once it drains.
    package var drainsBy: Moment? { draining }

    /// The endpoint to which it is or will be connected; `nil` for the transport's only endpoint.
    package var endpoint: String? { rotation.endpoint }

    /// Whether that endpoint came from a MOVED.
    package var isMoved: Bool { rotation.owner != nil }

    /// Whether there may be several coordinators.
    package var isInCluster: Bool { rotation.isCluster }

    /// The time at which `tick` is to be handed in next; `nil` before the first input and after the end.
    public var nextDeadline: Moment? {
        guard !exited else { return nil }
        return Moment.earliest(nextHeartbeat, nextHello, draining, sendsOn, leavesAt)
    }

    /// Handles an input at `now` and returns the actions.
    public mutating func handle(_ input: consuming WorkerInput, at now: Moment) -> [WorkerAction] {
        var orders: [EffectOrder] = []
        let actions = handle(input, orders: &orders, at: now)
        return orders.isEmpty ? actions : actions + orders.map(WorkerAction.run)
    }

    // An action for each order would copy it twice.
    /// The same, but returns the orders to run after the actions in `orders`, which is unchanged if there are none.
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
        case .disconnected: disconnected(at: now, &actions)
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

    /// The same for ``WorkerInput/report(_:event:final:)``, the most frequent input, without building it.
    package mutating func handleReport(
        _ id: AttemptID, event: consuming Payload?, final: Bool, at now: Moment
    ) -> [WorkerAction] {
        guard begin(at: now) else { return [] }
        var actions: [WorkerAction] = []
        report(id, event, final: final, at: now, &actions)
        return actions
    }

    /// Returns whether it still accepts inputs; the first input sets its deadlines.
    private mutating func begin(at now: Moment) -> Bool {
        if lastHeard == nil { lastHeard = now }
        if nextHeartbeat == nil {
            nextHeartbeat = now + timing.heartbeat
            if rotation.isCluster { leavesAt = now + rotation.patience }
        }
        return !exited
    }

    /// The state of exactly this attempt.
    func holding(_ id: AttemptID) -> AttemptState? {
        guard let holding = held[id.effect], holding.attempt == id.attempt else { return nil }
        return holding
    }

    mutating func send(_ message: WorkerMessage, _ actions: inout [WorkerAction]) {
        var session: UInt64 = 0
        if case .joined(let number) = link { session = number }
        actions.append(.send(Envelope(epoch: epoch, session: session, message: message)))
    }
}
