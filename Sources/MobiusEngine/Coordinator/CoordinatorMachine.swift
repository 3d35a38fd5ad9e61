import DequeModule
import MobiusJournal
package import MobiusWire

/// Decides everything a coordinator does, and does nothing: inputs and the time come in, actions go out.
///
/// It keeps the order of the promises: a report is checked against the attempt it names, applied, committed; only the
/// commit lets the ACK and the new effects go. Equal inputs at equal moments give equal actions, so every behaviour can
/// be tested as a dialogue and replayed from a seed.
///
/// The edge hands in what happened, one input at a time, performs the actions in their order, and hands in
/// ``CoordinatorInput/flush`` when nothing more waits: messages and records leave in batches, then.
public struct CoordinatorMachine: Equatable, Sendable {
    let configuration: CoordinatorConfiguration
    var loops = SlotTable<LoopID, LoopState>()
    /// Loops of the journal that cannot go on for now.
    var held: Set<LoopID> = []
    var effects = SlotTable<EffectID, EffectState>()
    /// The attempts whose last report was taken lately, so that its repetition is acknowledged again.
    var endings: RecentSet<AttemptID>
    /// Why effects are about to fail of which an event could not be read.
    var spoiled: [EffectID: String] = [:]
    var pools = SlotTable<String, PoolState>()
    /// The pools in the order they were first named, so that iteration does not depend on hashing.
    var poolOrder: [String] = []
    var limits: [String: LimitState] = [:]
    var workers = SlotTable<Incarnation, WorkerState>()
    /// The workers in the order they joined.
    var workerOrder: [Incarnation] = []
    var peers: [Peer: Incarnation] = [:]
    /// Peers that were told once that what they say makes no sense.
    var scolded = RecentSet<Peer>(limit: 1024)
    var deadlines = DeadlineQueue<Deadline>()
    var nextHeartbeat: Moment?
    var adoptionEnds: Moment?
    /// Whether effects were recovered, whose workers' time begins with the next flush: only then their words are read.
    var willAdopt = false
    /// What the edge takes longer than until this to hand in the next input, the coordinator did not run.
    var wakesBy = Moment(nanoseconds: .max)
    /// Before this nothing is judged that fell due while the coordinator did not run.
    var judgesFrom = Moment(nanoseconds: .min)
    /// How often that was put off in a row.
    var postponed = 0
    var lastSession: UInt64 = 0
    var lastTicket: UInt64 = 0
    /// Last reports without an event, taken since the last flush.
    var silentEnds: [SilentEnd] = []
    var batch = JournalBatch()
    var inFlight = Deque<InFlight>()
    /// How many records are there, and how many bytes of their events; what waits for the next ticket aside.
    var recordsInFlight = 0
    var bytesInFlight = 0
    /// Whether reports of workers were dropped because too much waited for its commit.
    var hasMissed = false
    var stopping = Stopping.no
    var calendar = Calendar()
    var random: SplitMix64
    /// Counts what ever waited in a queue.
    var lastOrder: UInt64 = 0
    /// Events from outside that wait for their commit.
    var intake = 0
    /// Whether a trace context ever came: until then nobody looks for one.
    var isTraced = false

    enum Stopping: Equatable, Sendable { case no, committing, stopped }

    enum Deadline: Equatable, Sendable {
        case attempt(EffectSlot, Attempt)
        case progress(EffectSlot, Attempt)
        case retry(EffectSlot)
        case scheduleToStart(EffectSlot)
        case scheduleToClose(EffectSlot)
        case timer(EffectSlot)
        case limit(String)
    }

    /// A coordinator without loops and workers.
    public init(_ configuration: CoordinatorConfiguration) {
        self.configuration = configuration
        endings = RecentSet(limit: 8192)
        random = SplitMix64(seed: configuration.seed)
    }

    /// How many deadlines are kept, those that no longer matter included.
    package var deadlineCount: Int { deadlines.count }

    /// How many workers there are, or were at the end.
    package var workerCount: Int { workers.count }

    /// Whether a worker has a session.
    package func isHere(_ worker: Incarnation) -> Bool { workers[worker] != nil }

    /// How many effects a pool's queues hold, those that no longer matter included.
    package func queued(in pool: String) -> Int { pools[pool]?.count ?? 0 }

    /// When something falls due besides heartbeats; `nil` for never.
    package var nextDuty: Moment? { deadlines.next }

    /// Whether it waits for nothing but new events, what falls due, and heartbeats that say what they said before.
    package var isAtRest: Bool {
        stopping == .no && adoptionEnds == nil && !willAdopt && inFlight.isEmpty && batch.isEmpty
            && workers.values.allSatisfy { $0.health == .good }
    }

    /// When `tick` is to be handed in next; `nil` before the first input and after the end.
    public var nextDeadline: Moment? {
        switch stopping {
        case .no: Moment.earliest(nextHeartbeat, adoptionEnds, deadlines.next.map { max($0, judgesFrom) })
        case .committing: nextHeartbeat
        case .stopped: nil
        }
    }

    /// Takes in what happened at `now` and answers what to do.
    public mutating func handle(_ input: CoordinatorInput, at now: Moment) -> [CoordinatorAction] {
        var actions: [CoordinatorAction] = []
        handle(input, at: now, into: &actions)
        return actions
    }

    /// The same, with what to do behind what is in `actions`: an edge so uses one array's memory again and again.
    public mutating func handle(
        _ input: consuming CoordinatorInput, at now: Moment, into actions: inout [CoordinatorAction]
    ) {
        if nextHeartbeat == nil { nextHeartbeat = now + configuration.timing.heartbeat }
        if now > wakesBy { goOn(at: now) }
        if stopping != .no, isTooLate(input, &actions) { return }
        switch consume input {
        case .outside(let request, let loop, let key, let event):
            outside(request, loop, key, event, isNew: nil, &actions)
        case .lookedUp(let request, let loop, let key, let event, let isApplied):
            outside(request, loop, key, event, isNew: !isApplied, &actions)
        case .wallClock(let time): if let jump = calendar.set(time, at: now) { calendarJumped(by: jump, at: now) }
        case .begin(let loop, let effects): begin(loop, effects, at: now)
        case .recover(let loop): recover(loop, at: now, &actions)
        case .hold(let loop): hold(loop)
        case .submit(let id, let effect): submit(id, effect, at: now, &actions)
        case .cancel(let id): cancel(id)
        case .endLoop(let loop): endLoop(loop)
        case .received(let envelope, let peer): receive(consume envelope, from: peer, at: now, &actions)
        case .malformed(let error, let peer): scold(peer, reason: "not understood: \(error)", &actions)
        case .refused(let peer, let reason): expel(peer, reason: reason, at: now, &actions)
        case .unreachable(let peer): disconnect(peer, at: now)
        case .connectionEnded: pulse(&actions)
        case .applied(let application, let effects):
            applied(consume application, Few(consume effects), at: now, &actions)
        case .unreadable(let application, let reason): unreadable(application, reason, at: now, &actions)
        case .unheard(let id): unheard(id)
        case .cancelSelected(let id, let others): cancel(others, by: id)
        case .revive(let request, let letter, let plan): revive(request, letter, plan, at: now, &actions)
        case .retry(let request, let id): retry(request, id, &actions)
        case .drop(let request, let id): drop(request, id, &actions)
        case .look(let request): look(request, &actions)
        case .localReport(let attempt, let event, let final): localReport(attempt, event, final: final, &actions)
        case .localFailed(let attempt, let retryable, let delay, let reason):
            let failure = FailureReport(
                id: ReportID(attempt: attempt, number: 0), retryable: retryable, delay: delay, reason: reason)
            localFailed(failure, at: now, &actions)
        case .committed(let ticket): committed(ticket, at: now, &actions)
        case .tick: tick(at: now, &actions)
        case .flush: flush(at: now, &actions)
        case .stop: if stopping == .no { stopping = .committing }
        }
    }

    /// The typed loop applied an event, as ``CoordinatorInput/applied(_:effects:)`` says: without an array where it asked for
    /// one effect, as it mostly does, and without moving all of that into an input.
    package mutating func applied(
        _ application: consuming Application, asking effects: consuming Few<PlannedEffect>, at now: Moment,
        into actions: inout [CoordinatorAction]
    ) {
        guard stopping != .stopped else { return }
        applied(consume application, consume effects, at: now, &actions)
    }

    /// Whether something is not taken in any more while the coordinator stops, which whoever asked is told.
    private func isTooLate(_ input: borrowing CoordinatorInput, _ actions: inout [CoordinatorAction]) -> Bool {
        switch input {
        case .outside, .lookedUp: return false
        case .revive(let request, _, _), .retry(let request, _), .drop(let request, _):
            actions.append(.stopping(request))
            return true
        case .look: return false
        default: return stopping == .stopped
        }
    }
}
