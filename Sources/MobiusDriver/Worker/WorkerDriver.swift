package import MobiusEngine
package import MobiusRuntime
package import MobiusWire

/// Performs the actions of a worker machine, in production and in the simulation; no other code performs them.
///
/// Like ``CoordinatorDriver``, it performs the actions of each input before the call returns. In a simulator they wait for
/// ``step(at:)`` instead, so that the process can end between any two of them. After the last input that is ready, the
/// owner calls ``flush(at:)``. Time is an argument of each call and never decreases.
///
/// It has no threads and no locks: one thread at a time uses it.
package final class WorkerDriver {
    private let transport: any WorkerTransport
    private let handlers: any WorkerHandlers
    private let observer: any WorkerObserver
    private let effectKinds: [PayloadKind]
    private let isStepwise: Bool
    // Unchecked: nothing that the driver calls re-enters it, so these are never accessed during a change.
    @exclusivity(unchecked) private var machine: WorkerMachine
    /// The actions that have not been performed, the next one last.
    @exclusivity(unchecked) private var actions: [WorkerAction] = []
    /// The handlers to start after these actions, the next one first.
    @exclusivity(unchecked) private var orders: [EffectOrder] = []
    /// The bytes of the last message sent; the memory is reused.
    @exclusivity(unchecked) private var frame: [UInt8] = []
    /// The time at which to connect again, while there is no connection.
    private var connectsAt: Moment?
    /// The reason why the worker must exit, after which it accepts no inputs; `nil` while it runs.
    package private(set) var exit: WorkerExit?
    /// The number of effects handled without failure.
    // Unchecked, like the others that change for each effect.
    @exclusivity(unchecked) package private(set) var handled = 0

    /// Whether handlers were started since ``takeStarted()`` was called.
    private var hasStarted = false

    /// Makes a driver without a connection.
    ///
    /// - Parameter isStepwise: Whether actions wait for ``step(at:)``; then every input must be preceded by as many steps
    ///   as there are actions.
    package init(
        _ configuration: WorkerConfiguration, transport: any WorkerTransport, handlers: any WorkerHandlers,
        observer: any WorkerObserver, isStepwise: Bool = false
    ) {
        self.isStepwise = isStepwise
        machine = WorkerMachine(configuration)
        self.transport = transport
        self.handlers = handlers
        self.observer = observer
        effectKinds = handlers.effectKinds
    }

    /// The time at which to call ``tick(at:)`` next; `nil` when nothing is scheduled.
    package var nextDeadline: Moment? { Moment.earliest(machine.nextDeadline, connectsAt) }

    /// Whether it is in a session and waits only for orders, handlers and heartbeats.
    package var isAtRest: Bool { connectsAt == nil && isIdle && machine.isAtRest }

    /// Whether it is in a session.
    package var isJoined: Bool { machine.isJoined }

    /// By when it ends, once it drains, because it or its coordinator was asked to.
    package var drainsBy: Moment? { machine.drainsBy }

    /// Whether no action waits.
    package var isIdle: Bool { actions.isEmpty && orders.isEmpty }

    // MARK: Slots of several shards

    /// The number of shards of the cluster, as its coordinators report it.
    package var shards: UInt32 { machine.shards }

    /// The account of its slots for the broker.
    package var account: SlotAccount { machine.account }

    /// From now on its slots are a loan; it has all of the process's, or none.
    package func borrow(all: Bool) { machine.borrow(all: all) }

    /// Takes so many slots more.
    package func lend(_ slots: Int) { machine.lend(slots) }

    /// Gives up to so many slots back, at once or when its coordinator has.
    package func giveBack(_ slots: Int, at now: Moment) {
        perform(machine.giveBack(slots, at: now), at: now)
    }

    // MARK: Inputs

    /// Connects; call it before anything else.
    package func begin() {
        transport.connect(to: machine.endpoint)
    }

    /// The transport has connected.
    package func connected(at now: Moment) {
        _ = machine.handle(.progress(handlers.progress), at: now)
        perform(machine.handle(.connected, at: now), at: now)
    }

    /// The transport has lost its connection, or could not connect.
    package func disconnected(at now: Moment) {
        perform(machine.handle(.disconnected, at: now), at: now)
    }

    /// Whether the transport's endpoint came from a MOVED.
    package var isMoved: Bool { machine.isMoved }

    /// Whether there may be several coordinators, so that connections are lost and made often.
    package var isOneOfMany: Bool { machine.isInCluster }

    /// A message with these bytes arrived.
    package func receive(_ bytes: RawSpan, at now: Moment) {
        let envelope: Envelope<CoordinatorMessage>
        do throws(WireError) {
            envelope = try Envelope<CoordinatorMessage>(decoding: bytes, known: effectKinds)
        } catch {
            return receive(error, at: now)
        }
        observer.received(envelope.message)
        precondition(isIdle, "Actions wait: perform them before the next input.")
        perform(machine.handle(.received(consume envelope), orders: &orders, at: now), at: now)
    }

    /// Data arrived that is not a valid message.
    package func receive(_ error: WireError, at now: Moment) {
        perform(machine.handle(.malformed(error), at: now), at: now)
    }

    /// A handler reported an event, or ended.
    package func handle(_ outcome: consuming HandlerOutcome, at now: Moment) {
        switch consume outcome {
        case .report(let id, let event, let final):
            if final {
                ended(id, nil, at: now)
                handled += 1
            }
            let decided = machine.handleReport(id, event: consume event, final: final, at: now)
            if !decided.isEmpty { perform(decided, at: now) }
        case .failed(let id, let failure):
            ended(id, failure, at: now)
            perform(
                machine.handle(
                    .failed(id, retryable: failure.retryable, delay: failure.delay, reason: failure.reason), at: now),
                at: now)
        }
    }

    private func ended(_ id: AttemptID, _ failure: HandlerFailure?, at now: Moment) {
        observer.ended(id, failure, at: now)
        handlers.ended(id)
    }

    /// Drains the worker: it accepts no more effects, finishes those it holds until `deadline`, and leaves.
    package func drain(by deadline: Moment, at now: Moment) {
        perform(machine.handle(.drain(deadline: deadline), at: now), at: now)
    }

    /// Performs scheduled work that is due; cheap when nothing is.
    package func tick(at now: Moment) {
        if let connectsAt, connectsAt <= now {
            self.connectsAt = nil
            transport.connect(to: machine.endpoint)
        }
        guard let deadline = machine.nextDeadline, deadline <= now else { return }
        _ = machine.handle(.progress(handlers.progress), at: now)
        perform(machine.handle(.tick, at: now), at: now)
    }

    /// All ready inputs were passed in: the machine decides what to send.
    package func flush(at now: Moment) {
        perform(machine.handle(.flush, at: now), at: now)
    }

    // MARK: Actions

    /// Performs what the machine decided, and then starts all handlers together; or leaves both to ``step(at:)``.
    private func perform(_ decided: consuming [WorkerAction], at now: Moment) {
        if !decided.isEmpty {
            precondition(actions.isEmpty, "Actions wait: perform them before the next input.")
            // Reversed in place, because actions are popped from the end; the array's own `reverse()` would copy them.
            decided.withUnsafeMutableBufferPointer { $0.reverse() }
            actions = decided
        }
        guard !isStepwise else { return }
        while let action = actions.popLast() { perform(consume action, at: now) }
        guard !orders.isEmpty else { return }
        var started: [EffectOrder] = []
        swap(&started, &orders)
        run(consume started, at: now)
    }

    /// Whether handlers were started since the last call.
    package func takeStarted() -> Bool {
        defer { hasStarted = false }
        return hasStarted
    }

    /// Performs the next queued action, if any; without one, starts the next handler.
    package func step(at now: Moment) {
        if let action = actions.popLast() {
            perform(consume action, at: now)
        } else if !orders.isEmpty {
            run([orders.removeFirst()], at: now)
        }
    }

    private func perform(_ action: consuming WorkerAction, at now: Moment) {
        switch consume action {
        case .send(let envelope): send(envelope)
        case .reconnect(let pause), .move(_, let pause):
            // The machine remembers where to.
            transport.disconnect()
            connectsAt = now + pause
        case .run(let order): run([order], at: now)
        case .cancel(let id): handlers.cancel(id)
        case .acknowledged(let id, let events, let bytes): handlers.acknowledged(id, events: events, bytes: bytes)
        case .note(let note): observer.note(note)
        case .exit(let reason): exit = reason
        }
    }

    private func run(_ orders: consuming [EffectOrder], at now: Moment) {
        hasStarted = true
        observer.begins(orders, at: now)
        let traced = handlers.isTracing ? orders.map(\.id) : []
        handlers.run(orders)
        for id in traced { machine.trace(id, handlers.traceparent(of: id)) }
    }

    private func send(_ envelope: Envelope<WorkerMessage>) {
        frame.removeAll(keepingCapacity: true)
        envelope.encode(into: &frame)
        transport.send(envelope.message, as: frame)
    }
}
