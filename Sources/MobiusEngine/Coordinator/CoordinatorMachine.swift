import DequeModule
package import MobiusJournal
package import MobiusWire

/// Makes all decisions of a coordinator, without side effects: it takes inputs and the time, and returns actions.
///
/// It guarantees the promised order: a report is checked against its attempt, applied, and committed; only the commit
/// releases the ACK and the new effects. Equal inputs at equal moments give equal actions, so every behaviour can be
/// tested as a dialogue and replayed from a seed.
///
/// The edge hands in one input at a time, performs the actions in their order, and hands in ``CoordinatorInput/flush``
/// when no further input waits: then messages and records are sent in batches.
///
/// It cannot be copied: a copy would count the references of all its parts, and one for each effect went unseen for weeks.
public struct CoordinatorMachine: ~Copyable, Sendable {
    package let configuration: CoordinatorConfiguration
    /// Half the time between two heartbeats, in nanoseconds.
    let halfHeartbeat: Int64
    var loops = SlotTable<LoopID, LoopState>()
    /// Loops of the journal that cannot continue for now.
    var held: Set<LoopID> = []
    /// The loops that have ended and are kept.
    var ended = EndedLoops()
    /// The names of all loops, held and ended ones included.
    var directory = LoopDirectory()
    var effects = SlotTable<EffectID, EffectState>()
    /// The attempts whose last report was accepted recently, so that its repetition is acknowledged again.
    var recentlyCompleted: RecentSet<AttemptID>
    /// The effects whose attempts are about to fail because one of their events could not be read.
    var undecodable: [EffectID: UndecodableEffect] = [:]
    var pools = SlotTable<String, PoolState>()
    /// The pools in the order they were first named, so that iteration does not depend on hashing.
    var poolOrder: [String] = []
    var limits: [String: LimitState] = [:]
    /// The demands for the cluster's limits that were reported last; `nil` before the first time.
    var demanded: [LimitDemand]?
    /// The limits that hold in this shard by itself and were used, where limits may be shared.
    var unshared: [String: UnsharedLimit] = [:]
    /// The limits of single keys, of which effects run, or began not long ago.
    var keyLimits: [KeyedLimit: LimitState] = [:]
    var workers = SlotTable<Incarnation, WorkerState>()
    /// The workers in the order they joined.
    var workerOrder: [Incarnation] = []
    var peers: [Peer: Incarnation] = [:]
    /// Peers that have received a REJECT for an invalid message.
    var rejectedPeers = RecentSet<Peer>(limit: 1024)
    var deadlines = DeadlineQueue<Deadline>()
    var nextHeartbeat: Moment?
    var adoptionEnds: Moment?
    /// Whether effects were recovered; their workers' grace time begins with the next flush, when their messages are
    /// read.
    var willAdopt = false
    /// The workers that may hold effects of the journal and have not joined; `nil` when nobody knows them.
    var possibleHolders: Set<Incarnation>?
    /// If the next input comes after this moment, the coordinator did not run in between.
    var wakesBy = Moment(nanoseconds: .max)
    /// Deadlines that passed while the coordinator did not run are processed only after this moment.
    var deadlinesResumeAt = Moment(nanoseconds: .min)
    /// The number of times in a row that they were postponed.
    var postponed = 0
    var lastSession: UInt64 = 0
    var lastTicket: UInt64 = 0
    /// Last reports without an event, accepted since the last flush.
    var eventlessCompletions: [EventlessCompletion] = []
    var batch = JournalBatch()
    var inFlight = Deque<InFlight>()
    /// The number of records in flight, and the bytes of their events; without those that wait for the next ticket.
    var recordsInFlight = 0
    var bytesInFlight = 0
    /// Whether reports of workers were dropped because intake was closed.
    var hasMissed = false
    var stopping = Stopping.no
    /// Loops that did not begin since the last flush, because of the limit.
    var refusedLoops: [LoopID] = []
    var calendar = WallClockTracker()
    var random: SplitMix64
    /// Numbers the entries of queues.
    var lastOrder: UInt64 = 0
    /// The number of effects that came back to queues.
    var reinserted: UInt64 = 0
    /// Events from outside that wait for their commit.
    var intake = 0
    /// Effects that are events for other loops, and wait for them.
    var deliveries = Deliveries()
    /// The number of effects that wait for their time or for another loop, and so for nothing that a worker does.
    var deferred = 0
    /// The number of effects that wait for each worker's slots, as of the last dispatch; of a journal with several
    /// shards only.
    var wanted: [Incarnation: Int] = [:]
    /// The memory of the pools that dispatch, empty in between.
    var rounds: [DispatchRound] = []
    /// The times at which the loops in memory are examined, in order, and the number of those that are leaving.
    var idleQueue = Deque<IdleCheck>()
    var leaving = 0
    /// The loops that are not in memory.
    package internal(set) var idleLoops = IdleTotals()
    /// Whether a trace context was ever received: until then they are not looked up.
    var isTraced = false
    /// The cost of steps.
    package let visits = VisitCount()

    enum Stopping: Equatable, Sendable { case no, committing, stopped }

    enum Deadline: Equatable, Sendable {
        case attempt(EffectSlot, Attempt)
        case progress(EffectSlot, Attempt)
        case retry(EffectSlot)
        case scheduleToStart(EffectSlot)
        case scheduleToClose(EffectSlot)
        case timer(EffectSlot)
        // Indirect, to keep all deadlines small.
        indirect case limit(String)
        indirect case keyLimit(KeyedLimit)
        case deliveries
        case removals
    }

    /// A coordinator without loops and workers.
    public init(_ configuration: CoordinatorConfiguration) {
        self.configuration = configuration
        halfHeartbeat = (Moment(nanoseconds: 0) + configuration.timing.heartbeat).nanoseconds / 2
        recentlyCompleted = RecentSet(limit: 8192)
        random = SplitMix64(seed: configuration.seed)
        loops.visits = visits
        effects.visits = visits
        pools.visits = visits
        workers.visits = visits
    }

    /// The number of deadlines, including obsolete ones.
    package var deadlineCount: Int { deadlines.count }

    /// The number of workers, or of those at the end.
    package var workerCount: Int { workers.count }

    /// Whether a worker has a session.
    package func isHere(_ worker: Incarnation) -> Bool { workers[worker] != nil }

    /// The number of effects in a pool's queues, including obsolete entries.
    package func queued(in pool: String) -> Int { pools[pool]?.count ?? 0 }

    /// The next deadline besides heartbeats; `nil` for never.
    package var nextDuty: Moment? { deadlines.next }

    /// Whether it waits only for new events, deadlines, and heartbeats without news.
    package var isAtRest: Bool {
        stopping == .no && adoptionEnds == nil && !willAdopt && inFlight.isEmpty && batch.isEmpty
            && workers.values.allSatisfy { $0.health == .good }
    }

    /// The time at which `tick` is to be handed in next; `nil` before the first input and after the end.
    public var nextDeadline: Moment? { nextMoment }

    // Inlined: for a call the whole machine would be moved.
    @inline(__always)
    var nextMoment: Moment? {
        switch stopping {
        case .no:
            Moment.earliest(
                nextHeartbeat, adoptionEnds,
                // While too many records are uncommitted, the next commit lets deadlines go on.
                Moment.earliest(isFull ? nil : deadlines.next.map { max($0, deadlinesResumeAt) }, nextIdle))
        case .committing: nextHeartbeat
        case .stopped: nil
        }
    }

    /// Handles an input at `now` and returns the actions.
    public mutating func handle(_ input: CoordinatorInput, at now: Moment) -> [CoordinatorAction] {
        var actions: [CoordinatorAction] = []
        handle(input, at: now, into: &actions)
        return actions
    }

    /// The same, but appends to `actions`, so that an edge can reuse one array's memory.
    public mutating func handle(
        _ input: consuming CoordinatorInput, at now: Moment, into actions: inout [CoordinatorAction]
    ) {
        if nextHeartbeat == nil { nextHeartbeat = now + configuration.timing.heartbeat }
        if now > wakesBy { goOn(at: now) }
        if stopping != .no, isTooLate(input, &actions) { return }
        switch consume input {
        case .outside(let request, let loop, let key, let event):
            outside(request, loop, key, event, isNew: nil, at: now, &actions)
        case .lookedUp(let request, let loop, let key, let event, let isApplied):
            outside(request, loop, key, event, isNew: !isApplied, at: now, &actions)
        case .wallClock(let time): if let jump = calendar.set(time, at: now) { calendarJumped(by: jump, at: now) }
        case .begin(let loop, let effects):
            begin(loop, effects, at: now)
            noteEnds(&actions)
        case .recover(let loop): recover(loop, at: now, &actions)
        case .possibleHolders(let workers): possibleHolders = Set(workers)
        case .share(let grant): take(grant, at: now)
        case .hold(let loop): hold(loop)
        case .submit(let id, let effect): submit(id, effect, at: now, &actions)
        case .cancel(let id): cancel(id)
        case .endLoop(let loop): endLoop(loop)
        case .recoverEnded(let end, let pending): recover(end, pending, at: now, &actions)
        case .dismissed(let application): dismissed(application, at: now, &actions)
        case .removed(let loops): removed(loops, at: now)
        case .newLoops(let number): ended.newLoops = number
        case .idleLoops(let totals): idleLoops = totals
        case .use(let loop): use(loop, at: now)
        case .parked(let loops): parked(loops, at: now, &actions)
        case .stay(let loops): stay(loops, at: now)
        case .returned(let loop, let sequence): returned(loop, sequence, &actions)
        case .received(let envelope, let peer): receive(consume envelope, from: peer, at: now, &actions)
        case .malformed(let error, let peer): rejectMalformed(peer, reason: "not understood: \(error)", &actions)
        case .refused(let peer, let reason): disconnect(peer, reason: reason, at: now, &actions)
        case .unreachable(let peer): disconnect(peer, at: now)
        case .connectionEnded: pulse(&actions)
        case .applied(let application, let effects):
            applied(consume application, OneOrMany(consume effects), at: now, &actions)
        case .unreadable(let application, let reason): unreadable(application, reason, at: now, &actions)
        case .completedWithoutEvent(let id):
            noteUndelivered(id, &actions)
            completedWithoutEvent(id)
        case .cancelSelected(let id, let others): cancel(others, by: id)
        case .undelivered(let id, let reason): undelivered(id, reason, at: now, &actions)
        case .awaiting(let id): postpone(id, at: now)
        case .arrived(let loop): arrived(loop, at: now)
        case .delivered(let id, let refusal): delivered(id, refusal, at: now, &actions)
        case .heldBack(let id, let reason): heldBack(id, reason)
        case .requeue(let request, let letter, let plan, let name):
            requeue(request, letter, plan, by: name, at: now, &actions)
        case .retry(let request, let id): retry(request, id, &actions)
        case .drop(let request, let id, let name): drop(request, id, by: name, at: now, &actions)
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

    /// The typed loop applied an event, as ``CoordinatorInput/applied(_:effects:)`` says: without an array for a single
    /// effect, the usual case, and without building an input.
    package mutating func applied(
        _ application: consuming EventApplication, asking effects: consuming OneOrMany<PlannedEffect>, at now: Moment,
        into actions: inout [CoordinatorAction]
    ) {
        guard stopping != .stopped else { return }
        applied(consume application, consume effects, at: now, &actions)
    }

    /// Whether an input is refused because the coordinator stops; the sender gets the answer.
    private func isTooLate(_ input: borrowing CoordinatorInput, _ actions: inout [CoordinatorAction]) -> Bool {
        switch input {
        case .outside, .lookedUp: return false
        case .requeue(let request, _, _, _), .retry(let request, _), .drop(let request, _, _):
            actions.append(.stopping(request))
            return true
        case .look: return false
        default: return stopping == .stopped
        }
    }
}
