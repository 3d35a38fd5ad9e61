package import MobiusEngine
package import MobiusRuntime
package import MobiusWire

/// Performs what a worker's machine decides: the only code that does, in production and in the simulation.
///
/// Each input adds actions to a queue. Its owner performs them, before the next input: all at once by ``performAll(at:)``,
/// or one by one by ``performNext(at:)``, so that a simulated process can end between any two of them. When nothing more
/// waits to be handed in, the owner calls ``flush(at:)``, and performs what follows. Time is an argument of every call and never
/// goes back.
///
/// It has no threads and no locks: one thread at a time uses it.
package final class WorkerDriver {
    private let transport: any WorkerTransport
    private let handlers: any WorkerHandlers
    private let observer: any WorkerObserver
    private let effectKinds: [PayloadKind]
    // Nothing that it calls comes back here, so nobody needs to check at run time that these are not changed twice at once.
    @exclusivity(unchecked) private var machine: WorkerMachine
    /// Actions that wait, the next one last.
    @exclusivity(unchecked) private var actions: [WorkerAction] = []
    /// Handlers to begin after these actions, the next one first.
    @exclusivity(unchecked) private var orders: [EffectOrder] = []
    /// The bytes of the message that was sent last; its memory is used again.
    @exclusivity(unchecked) private var frame: [UInt8] = []
    /// When the next connection is made, while there is none.
    private var connectsAt: Moment?
    /// Why the worker ends, once it does; it takes no more inputs then.
    package private(set) var exit: WorkerExit?
    /// How many effects were handled, failures aside.
    package private(set) var handled = 0

    /// Makes a worker that is not connected.
    package init(
        _ configuration: WorkerConfiguration, transport: any WorkerTransport, handlers: any WorkerHandlers,
        observer: any WorkerObserver
    ) {
        machine = WorkerMachine(configuration)
        self.transport = transport
        self.handlers = handlers
        self.observer = observer
        effectKinds = handlers.effectKinds
    }

    /// When ``tick(at:)`` is to be called next; `nil` when nothing falls due.
    package var nextDeadline: Moment? { Moment.earliest(machine.nextDeadline, connectsAt) }

    /// Whether it is in a session and waits for nothing but orders, handlers and heartbeats.
    package var isAtRest: Bool { connectsAt == nil && isIdle && machine.isAtRest }

    /// Whether no action waits.
    package var isIdle: Bool { actions.isEmpty && orders.isEmpty }

    // MARK: Inputs

    /// Connects; before anything else.
    package func begin() {
        transport.connect()
    }

    /// The transport has a connection.
    package func connected(at now: Moment) {
        _ = machine.handle(.progress(handlers.progress), at: now)
        add(machine.handle(.connected, at: now))
    }

    /// A message came, in these bytes.
    package func receive(_ bytes: RawSpan, at now: Moment) {
        let envelope: Envelope<CoordinatorMessage>
        do throws(WireError) {
            envelope = try Envelope<CoordinatorMessage>(decoding: bytes, known: effectKinds)
        } catch {
            return receive(error, at: now)
        }
        observer.received(envelope.message)
        precondition(isIdle, "Actions wait: perform them before the next input.")
        add(machine.handle(.received(consume envelope), orders: &orders, at: now))
    }

    /// Something came that is no message.
    package func receive(_ error: WireError, at now: Moment) {
        add(machine.handle(.malformed(error), at: now))
    }

    /// A handler reports an event, or has ended.
    package func take(_ outcome: consuming HandlerOutcome, at now: Moment) {
        switch consume outcome {
        case .report(let id, let event, let final):
            if final {
                ended(id, nil, at: now)
                handled += 1
            }
            add(machine.handleReport(id, event: consume event, final: final, at: now))
        case .failed(let id, let failure):
            ended(id, failure, at: now)
            add(
                machine.handle(
                    .failed(id, retryable: failure.retryable, delay: failure.delay, reason: failure.reason), at: now))
        }
    }

    private func ended(_ id: AttemptID, _ failure: HandlerFailure?, at now: Moment) {
        observer.ended(id, failure, at: now)
        handlers.ended(id)
    }

    /// Take no more effects, finish what is held until `deadline`, leave.
    package func drain(by deadline: Moment, at now: Moment) {
        add(machine.handle(.drain(deadline: deadline), at: now))
    }

    /// Does what is due; costs little when nothing is.
    package func tick(at now: Moment) {
        if let connectsAt, connectsAt <= now {
            self.connectsAt = nil
            transport.connect()
        }
        guard let deadline = machine.nextDeadline, deadline <= now else { return }
        _ = machine.handle(.progress(handlers.progress), at: now)
        add(machine.handle(.tick, at: now))
    }

    /// All that came has been handed in: decides what to send.
    package func flush(at now: Moment) {
        add(machine.handle(.flush, at: now))
    }

    private func add(_ decided: consuming [WorkerAction]) {
        guard !decided.isEmpty else { return }
        precondition(actions.isEmpty, "Actions wait: perform them before the next input.")
        // Taken from the end, so that they are moved and not copied, as the array's own `reverse()` would.
        decided.withUnsafeMutableBufferPointer { $0.reverse() }
        actions = decided
    }

    // MARK: Actions

    /// Performs all actions that wait; handlers begin together.
    ///
    /// - Returns: whether handlers began.
    @discardableResult
    package func performAll(at now: Moment) -> Bool {
        while let action = actions.popLast() { perform(consume action, at: now) }
        guard !orders.isEmpty else { return false }
        var begun: [EffectOrder] = []
        swap(&begun, &orders)
        run(consume begun, at: now)
        return true
    }

    /// Performs the first action that waits, if there is one; each handler's start is one.
    package func performNext(at now: Moment) {
        if let action = actions.popLast() {
            perform(consume action, at: now)
        } else if !orders.isEmpty {
            run([orders.removeFirst()], at: now)
        }
    }

    private func perform(_ action: consuming WorkerAction, at now: Moment) {
        switch consume action {
        case .send(let envelope): send(envelope)
        case .reconnect(let pause):
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
