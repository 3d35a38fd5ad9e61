package import MobiusEngine
import MobiusJournal
package import MobiusWire

/// The only performer of a coordinator machine's actions, and the owner of their queue.
///
/// One thread at a time uses it: the one that holds the socket lock in the product, the simulation's in the simulator. Time
/// is passed in as ``now``. An action that leads to more of them, as an applied event does, is followed by those before
/// the others that wait.
///
/// In the product each input's actions are performed at once. A simulator lets it `stepwise`: inputs and actions then wait
/// for ``step()``, so that the process can be killed or stopped between any two of them.
package final class CoordinatorDriver {
    /// What ``step()`` does next.
    package enum Step {
        case input(CoordinatorInput)
        case action(CoordinatorAction)
    }

    let host: any LoopHost
    let clientHost: (any ClientHost)?
    let transport: any CoordinatorTransport
    private let observer: any CoordinatorObserver
    private let isStepwise: Bool
    // Unchecked: a machine only answers, so nobody gets here while it is changed; it is asked twice for each event.
    @exclusivity(unchecked) package private(set) var machine: CoordinatorMachine
    /// The time at which inputs are decided.
    @exclusivity(unchecked) package var now: Moment
    /// When the machine is to be told the calendar again.
    package private(set) var calendarIsDue: Moment
    /// What the machine has decided and is not done, the next one last.
    @exclusivity(unchecked) private var actions: [CoordinatorAction] = []
    private var isPerforming = false
    /// What waits for ``step()``, the next one first.
    private var inputs: [CoordinatorInput] = []
    /// What the journal had written when its writer returned.
    private var written: [Ticket] = []
    /// What clients want to see of all effects.
    var surveys = SurveyDesk()
    /// Answers that wait until what they show is on disk.
    var shown: [RequestID: ClientAnswer] = [:]
    /// The W3C trace contexts of clients' events that wait for their commit.
    var traceparents: [RequestID: String] = [:]

    /// Makes a driver whose machine knows nothing yet.
    ///
    /// - Parameters:
    ///   - clientHost: What answers clients, if they may come.
    ///   - isStepwise: Whether inputs and actions wait for ``step()``.
    package init(
        _ configuration: CoordinatorConfiguration, host: any LoopHost, clientHost: (any ClientHost)?,
        transport: any CoordinatorTransport, observer: any CoordinatorObserver, now: Moment, isStepwise: Bool = false
    ) {
        self.host = host
        self.clientHost = clientHost
        self.transport = transport
        self.observer = observer
        self.isStepwise = isStepwise
        self.now = now
        calendarIsDue = now
        machine = CoordinatorMachine(configuration)
    }

    /// When there is something to do although nothing comes in.
    package var nextDeadline: Moment? { Moment.earliest(machine.nextDeadline, surveys.nextSlice) }

    // MARK: - Inputs

    /// Hands something to the machine, and performs what it decides.
    package func tell(_ input: consuming CoordinatorInput) throws {
        if isPerforming {
            decide(input)
        } else if isStepwise {
            inputs.append(input)
        } else {
            decide(input)
            if !actions.isEmpty { try performAll() }
        }
    }

    /// Tells the machine the calendar, at least once a second.
    package func tell(calendar: WallTime) throws {
        calendarIsDue = now + .seconds(1)
        try tell(.wallClock(calendar))
    }

    /// Takes in what other threads have for the loops, and answers clients whose answers are there.
    package func takeInputs() throws {
        try host.takeInputs(tell)
        try answerClients()
    }

    /// Answers clients whose answers are there.
    package func answerClients() throws {
        try clientHost?.takeAnswers(answer)
    }

    /// Lets decisions leave; what a journal in memory has written comes back at once and sets more free.
    package func flush() throws {
        repeat {
            let tickets = written
            written.removeAll(keepingCapacity: true)
            for ticket in tickets { try tell(.committed(ticket)) }
            try tell(.flush)
        } while !written.isEmpty
    }

    // MARK: - The queue

    /// Puts what the machine decides before all that waits.
    private func decide(_ input: consuming CoordinatorInput) {
        let before = actions.count
        machine.handle(input, at: now, into: &actions)
        if actions.count > before + 1 { actions[before...].reverse() }
    }

    // Apart: as a rule nothing follows from an event that was applied, before its commit.
    @inline(never)
    private func performAll() throws {
        isPerforming = true
        defer { isPerforming = false }
        while let action = actions.popLast() { try perform(action) }
        if actions.capacity > 4096 { actions = [] }
    }

    /// What ``step()`` does next; `nil` when nothing waits.
    package var nextStep: Step? { actions.last.map { .action($0) } ?? inputs.first.map { .input($0) } }

    /// Performs the next action, or lets the machine decide on the next input when no action waits.
    ///
    /// - Returns: what the machine decided on an input, in its order.
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
            try answer(try host.applyFailure(id, effect: effect, failure, round: round))
        case .applyTimer(let id, let effect, let due, let ends):
            try answer(try host.applyTimer(id, effect: effect, due: due, ends: ends))
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
            host.runLocal(id, effect, traceparent: machine.traceparent(of: id.effect))
        case .acknowledged(let id, let events, let bytes): host.acknowledged(id, events: events, bytes: bytes)
        case .confirm(let request, let repeated): try confirm(request, repeated: repeated)
        case .refuse(let request, let refusal): try refuse(request, refusal)
        case .stopping(let request):
            try turnAway(request, .stopped, "The coordinator is stopping.", retryAfter: 1000)
        case .busy(let request):
            try turnAway(request, .busy, CoordinatorError.tooMuch, retryAfter: 100)
        case .note(let note): observer.noted(note)
        case .stopped: host.stop { machine.snapshotState(of: $0) }
        }
    }

    private func apply(_ application: consuming Application) throws {
        if !traceparents.isEmpty { trace(&application) }
        switch try host.apply(&application) {
        case .effects(let effects):
            let before = actions.count
            machine.applied(consume application, asking: consume effects, at: now, into: &actions)
            if actions.count > before + 1 { actions[before...].reverse() }
        case .unreadable(let reason): try tell(.unreadable(consume application, reason: reason))
        case .held: try hold(application)
        }
    }

    /// Gives the event the trace that its client named, if it came from one that did.
    private func trace(_ application: inout Application) {
        guard case .outside(let request) = application.origin,
            let traceparent = traceparents.removeValue(forKey: request)
        else { return }
        application.traceparent = traceparent
    }

    private func send(_ envelope: Envelope<CoordinatorMessage>, to peer: Peer) throws {
        guard try transport.send(envelope, to: peer) else { return try tell(.unreachable(peer)) }
        if case .effects(_, let orders) = envelope.message { observer.sent(orders, to: peer, by: machine) }
    }
}
