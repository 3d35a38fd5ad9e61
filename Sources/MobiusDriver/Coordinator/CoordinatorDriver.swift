import MobiusCodec
package import MobiusEngine
import MobiusJournal
package import MobiusWire

/// Performs the actions of a coordinator machine, and owns their queue; no other code performs them.
///
/// One thread at a time uses it: in production the socket thread, in the simulator the simulation's
/// thread. Time is passed in as ``now``. Actions that result from an action, such as an applied event, are performed
/// before the rest of the queue.
///
/// In production the actions of each input are performed at once. A simulator runs it `stepwise`: inputs and actions
/// then wait for ``step()``, so that the process can be killed or stopped between any two of them.
package final class CoordinatorDriver {
    /// A step that ``step()`` performs.
    package enum Step {
        case input(CoordinatorInput)
        case action(CoordinatorAction)
    }

    let host: any LoopHost
    let clientHost: (any ClientHost)?
    let transport: any CoordinatorTransport
    let observer: any CoordinatorObserver
    private let permit: (() throws -> Void)?
    let shardSlices: ShardSlices?
    private let demand: (([LimitDemand]) -> Void)?
    private let outranked: ((UInt64) -> Void)?
    private let isStepwise: Bool
    private let shared: SharedMachine
    package private(set) var machine: CoordinatorMachine {
        _read { yield shared.machine }
        _modify { yield &shared.machine }
    }
    /// The current time, which the owner sets before it passes in inputs.
    package var now: Moment {
        get { shared.moment }
        set { shared.moment = newValue }
    }
    /// The time at which the machine needs the wall-clock time again.
    package private(set) var calendarIsDue: Moment
    /// The actions that have not been performed, the next one last.
    @exclusivity(unchecked) private var actions: [CoordinatorAction] = []
    private var isPerforming = false
    /// The inputs that wait for ``step()``, the next one first.
    private var inputs: [CoordinatorInput] = []
    /// The appends that were already written when the journal writer returned.
    private var written: [Ticket] = []
    /// The clients' requests that need a survey of all effects.
    var surveys = EffectListRequests()
    /// Answers that wait until the state they report is on disk.
    var heldAnswers: [RequestID: ClientAnswer] = [:]
    /// Models that wait until their events are on disk, by the first of their requests.
    var heldModels: [RequestID: EncodedModel] = [:]
    /// The W3C trace contexts of client events that have not been applied.
    // Unchecked: it is read for each event, and nothing else runs while it is changed.
    @exclusivity(unchecked) var traceparents: [RequestID: String] = [:]
    /// The senders of clients' events that are not answered, by their names' hashes, and whether they get answers masked; none
    /// of clients without a name.
    // Unchecked, as the one before.
    @exclusivity(unchecked) var senders: [RequestID: (hash: UInt64, isMasked: Bool)] = [:]
    /// The names of those whose requests as operators are not answered; none where no keys are.
    var operators: [RequestID: String] = [:]
    /// Requests whose answers are masked by the program, and the loops that they are about.
    var masked: [RequestID: LoopID] = [:]

    /// Makes a driver of a new machine, which its host shares.
    ///
    /// - Parameters:
    ///   - clientHost: Serves client requests; `nil` without a client socket.
    ///   - permit: Called before anything is told to anyone outside of this driver: an effect or answer. It returns when that
    ///     may leave, and throws when it may not; `nil` for a coordinator without a lease.
    ///   - shardSlices: The loops that it has; `nil` for all.
    ///   - demand: Called with what could be used of the cluster's limits; `nil` without a cluster.
    ///   - outranked: Called with an epoch above the own one that a worker has seen; `nil` without a cluster.
    ///   - isStepwise: Whether inputs and actions wait for ``step()``.
    package init(
        _ shared: SharedMachine, host: any LoopHost, clientHost: (any ClientHost)?,
        transport: any CoordinatorTransport, observer: any CoordinatorObserver,
        permit: (() throws -> Void)? = nil, shardSlices: ShardSlices? = nil, demand: (([LimitDemand]) -> Void)? = nil,
        outranked: ((UInt64) -> Void)? = nil, isStepwise: Bool = false
    ) {
        self.host = host
        self.clientHost = clientHost
        self.transport = transport
        self.observer = observer
        self.permit = permit
        self.shardSlices = shardSlices
        self.demand = demand
        self.outranked = outranked
        self.isStepwise = isStepwise
        calendarIsDue = shared.moment
        self.shared = shared
    }

    /// The time at which the driver has work to do without an input; `nil` for never.
    package var nextDeadline: Moment? {
        Moment.earliest(machine.nextDeadline, surveys.nextSlice, clientHost?.nextReadDeadline)
    }

    /// Whether the machine is to be told `.tick` now.
    ///
    /// Waiting messages are read before, because they may meet the deadlines. After 500 ms deadlines come first, so that a flood of
    /// messages cannot suspend them.
    package func isDue(whileMessagesWait waits: Bool) -> Bool {
        guard let deadline = machine.nextDeadline, deadline <= now else { return false }
        return !waits || deadline + .milliseconds(500) <= now
    }

    // MARK: - Inputs

    /// Passes an input to the machine, and performs the resulting actions.
    package func tell(_ input: consuming CoordinatorInput) throws {
        if isPerforming {
            decide(consume input)
        } else if isStepwise {
            inputs.append(consume input)
        } else {
            decide(consume input)
            if !actions.isEmpty { try performAll() }
        }
    }

    /// Passes the wall-clock time to the machine; call it at least once a second.
    package func tell(calendar: WallTime) throws {
        calendarIsDue = now + .seconds(1)
        try tell(.wallClock(calendar))
    }

    /// Takes the host's inputs from other threads, and sends the answers to clients that are ready.
    ///
    /// - Returns: whether more inputs wait, to be taken after the next flush.
    package func takeInputs() throws -> Bool {
        let more = try host.takeInputs(at: now, tell)
        try answerClients()
        return more
    }

    /// Sends the answers to clients that are ready.
    package func answerClients() throws {
        guard let clientHost else { return }
        try clientHost.takeAnswers(answer)
        try clientHost.takeLists(listed)
        try clientHost.takeFound(found)
        try clientHost.takeModels { model in
            guard let first = model.requests.first else { return clientHost.sent(model) }
            heldModels[first] = model
            try tell(.look(first))
        }
    }

    /// Sends and appends what the machine has collected.
    ///
    /// An in-memory journal commits at once, so the machine is flushed again until nothing more is written.
    package func flush() throws {
        repeat {
            let tickets = written
            written.removeAll(keepingCapacity: true)
            for ticket in tickets { try tell(.committed(ticket)) }
            try tell(.flush)
        } while !written.isEmpty
    }

    // MARK: - The queue

    /// Queues the actions for an input before all other actions.
    private func decide(_ input: consuming CoordinatorInput) {
        let before = actions.count
        machine.handle(consume input, at: now, into: &actions)
        queue(from: before)
    }

    /// Turns the actions from a place on round, because the next one is taken from the end.
    private func queue(from start: Int) {
        guard actions.count > start + 1 else { return }
        // In place: the array's own `reverse()` would copy them.
        actions.withUnsafeMutableBufferPointer { $0[start...].reverse() }
    }

    // A separate function, because usually an applied event has no actions before its commit.
    @inline(never)
    private func performAll() throws {
        isPerforming = true
        defer { isPerforming = false }
        while !actions.isEmpty {
            // Moved out: `popLast` copies it, which counts all its references.
            var action = CoordinatorAction.stopped
            swap(&action, &actions[actions.count - 1])
            actions.removeLast()
            try perform(consume action)
        }
        if actions.capacity > 4096 { actions = [] }
    }

    /// The step that ``step()`` performs next; `nil` when nothing waits.
    package var nextStep: Step? { actions.last.map { .action($0) } ?? inputs.first.map { .input($0) } }

    /// Performs the next action, or passes the next input to the machine when no action waits.
    ///
    /// - Returns: the machine's actions for an input, in order; empty after an action.
    @discardableResult
    package func step() throws -> [CoordinatorAction] {
        if let action = actions.popLast() {
            isPerforming = true
            defer { isPerforming = false }
            try perform(action)
            return []
        }
        guard !inputs.isEmpty else { return [] }
        decide(inputs.removeFirst())
        return actions.reversed()
    }

    // MARK: - Actions

    private func perform(_ action: consuming CoordinatorAction) throws {
        switch consume action {
        case .apply(let application): try apply(consume application)
        case .applyFailure(let id, let effect, let failure, let round):
            observer.failed(id, failure)
            guard !machine.hasOutlived(id) else { return try tell(.completedWithoutEvent(id)) }
            try answer(try host.applyFailure(id, effect: effect, failure, round: round))
        case .applyAnswer(let id, let effect, let reply):
            guard !machine.hasOutlived(id) else { return try tell(.completedWithoutEvent(id)) }
            try answer(try host.applyAnswer(id, effect: effect, reply))
        case .applyTimer(let id, let effect, let due, let ends):
            guard !machine.hasOutlived(id) else {
                // A repeating timer was cancelled by the loop's end.
                return ends ? try tell(.completedWithoutEvent(id)) : ()
            }
            try answer(try host.applyTimer(id, effect: effect, due: due, ends: ends))
        case .applyAnew(let application): try applyAnew(application)
        case .ended(let loop): host.ended(loop)
        case .cancelLocal(let id): host.cancelLocal(id)
        case .remove(let loops): host.remove(loops)
        case .deliver(let id, let effect, let loop): try deliver(id, effect, to: loop)
        case .selectCancelled(let id, let effect):
            try tell(try host.selectCancelled(id, effect: effect, among: machine.underWay(of: id.loop)))
        case .lookUp(let request, let loop, let key, let event):
            host.lookUp(request, loop, key: key, event: event)
        case .append(let ticket, let records):
            observer.appending(ticket, records, at: now, by: machine)
            let isWritten = try host.append(ticket, records) { machine.snapshotState(of: $0) }
            if isWritten { written.append(ticket) }
        case .send(let peer, let envelope): try send(envelope, to: peer)
        case .runLocal(let id, let effect):
            try requirePermit()
            host.runLocal(id, effect, traceparent: machine.traceparent(of: id.effect))
        case .acknowledged(let id, let events, let bytes): host.acknowledged(id, events: events, bytes: bytes)
        case .confirm(let request, let repeated): try confirm(request, repeated: repeated)
        case .confirmEvent(let request, let confirmation): try answer(request, .done(confirmation))
        case .confirmAgain(let request, let loop, let key, let event):
            let isMasked = senders[request]?.isMasked ?? false
            let repetition = Repetition(mark: mark(of: event, from: request), isMasked: isMasked)
            host.confirmAgain(request, loop, key: key, repetition)
        case .refuse(let request, let refusal): try refuse(request, refusal)
        case .conclude(let request, let loop):
            if machine.isHeld(loop) { try refuse(request, .held(loop)) } else { try tell(.look(request)) }
        case .unknown(let request): try answer(request, .notFound)
        case .stopping(let request): try answer(request, .stopping)
        case .busy(let request): try answer(request, .overloaded)
        case .evict(let loops): try host.evict(loops, { machine.lastEvent(of: $0) }, tell)
        case .unload(let loop): host.unload(loop)
        case .await(let request, let loop, let key, let event):
            if !host.wait(request, loop, key: key, event: event) { try answer(request, .overloaded) }
        case .takeWaiting(let loop):
            // One at a time: the first must be applied before the next is decided.
            if host.waitingCount(of: loop) > 1 { actions.append(.takeWaiting(loop)) }
            try host.takeWaiting(loop, at: now, tell) { try handle($0, as: $1, traceparent: $2) }
            try answerClients()
        case .demand(let demands): demand?(demands)
        case .note(let note):
            observer.noted(note)
            if case .outranked(_, let later, _) = note { outranked?(later) }
        case .stopped: host.stop { machine.snapshotState(of: $0) }
        }
    }

    /// Returns when something may be told to others.
    func requirePermit() throws {
        if let permit { try permit() }
    }

    func apply(_ application: consuming EventApplication) throws {
        guard !machine.dismisses(application) else { return try tell(.dismissed(application)) }
        if case .outside(let request) = application.origin {
            application.mark = mark(of: application.event, from: request)
            if !traceparents.isEmpty { trace(&application) }
        }
        switch try host.apply(&application) {
        case .effects(let effects):
            let before = actions.count
            machine.applied(consume application, asking: consume effects, at: now, into: &actions)
            queue(from: before)
        case .unreadable(let reason): try tell(.unreadable(consume application, reason: reason))
        case .held: try hold(application)
        }
    }

    /// Returns the mark that tells whether the event is the same when its key comes again.
    private func mark(of event: Payload, from request: RequestID) -> SenderMark {
        SenderMark(
            sender: senders.isEmpty ? 0 : senders[request]?.hash ?? 0,
            event: PayloadFingerprint.of(event.bytes, contentType: event.kind.contentType))
    }

    /// Sets the event's trace context if its client sent one.
    private func trace(_ application: inout EventApplication) {
        guard case .outside(let request) = application.origin,
            let traceparent = traceparents.removeValue(forKey: request)
        else { return }
        application.traceparent = traceparent
    }

    private func send(_ envelope: Envelope<CoordinatorMessage>, to peer: Peer) throws {
        try requirePermit()
        guard try transport.send(envelope, to: peer) else { return try tell(.unreachable(peer)) }
        if case .effects(_, let orders) = envelope.message { observer.sent(orders, to: peer, by: machine) }
    }
}
