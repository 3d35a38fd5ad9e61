import DequeModule
import MobiusJournal
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
    /// The loops, and where each of them is.
    var residency: Residency
    /// The effects that have not ended, or whose ends are not on disk.
    var effects = SlotTable<EffectID, EffectState>()
    /// Which waiting effect goes to which worker.
    var dispatcher: Dispatcher
    /// The workers, and what each of them should hold.
    var roster: Roster
    /// Effects that are events for other loops, and wait for them.
    var deliveries = Deliveries()
    /// The number of effects that wait for their time or for another loop, and so for nothing that a worker does.
    var deferred = 0
    /// The effects whose attempts are about to fail because one of their events could not be read.
    var undecodable: [EffectID: UndecodableEffect] = [:]
    /// The attempts whose last report was accepted recently, so that its repetition is acknowledged again.
    var recentlyCompleted: RecentSet<AttemptID>
    /// Last reports without an event, accepted since the last flush.
    var eventlessCompletions: [EventlessCompletion] = []
    /// Operators whose change is on disk, and is in force with the next flush.
    var concluded: [(request: RequestID, repeated: Bool)] = []
    /// The records of the next ticket.
    var batch = JournalBatch()
    /// Those of the tickets before it.
    var inFlight = CommitsInFlight()
    /// Events from outside that wait for their commit.
    var intake = 0
    var stopping = Stopping.no
    var deadlines = DeadlineQueue<Deadline>()
    var nextHeartbeat: Moment?
    var adoption = Adoption()
    var pauses: PauseDetector
    var calendar = WallClockTracker()
    var random: SplitMix64
    /// Whether a trace context was ever received: until then they are not looked up.
    var isTraced = false
    /// The cost of steps.
    package let visits = VisitCount()

    enum Stopping: Equatable, Sendable { case no, committing, stopped }

    /// A time of an effect.
    enum Deadline: Equatable, Sendable {
        case attempt(EffectSlot, Attempt)
        case progress(EffectSlot, Attempt)
        case retry(EffectSlot)
        case scheduleToStart(EffectSlot)
        case scheduleToClose(EffectSlot)
        case timer(EffectSlot)
    }

    /// A coordinator without loops and workers.
    public init(_ configuration: CoordinatorConfiguration) {
        self.configuration = configuration
        residency = Residency(configuration, visits)
        dispatcher = Dispatcher(configuration, visits)
        roster = Roster(visits)
        recentlyCompleted = RecentSet(limit: 8192)
        pauses = PauseDetector(configuration.timing)
        random = SplitMix64(seed: configuration.seed)
        effects.visits = visits
    }

    /// The time at which `tick` is to be handed in next; `nil` before the first input and after the end.
    public var nextDeadline: Moment? { nextMoment }

    // Inlined: for a call the whole machine would be moved.
    @inline(__always)
    var nextMoment: Moment? {
        switch stopping {
        case .no:
            var next = min(nextHeartbeat ?? .never, adoption.ends ?? .never)
            // While too many records are uncommitted, the next commit lets deadlines go on.
            if !isFull { next = min(next, max(nextDeadlineOrNever, pauses.deadlinesResumeAt)) }
            if mayEvict { next = min(next, residency.nextIdle ?? .never) }
            return next == .never ? nil : next
        case .committing: return nextHeartbeat
        case .stopped: return nil
        }
    }

    /// The next deadline besides heartbeats; `nil` for never.
    package var nextDuty: Moment? { nextDeadlineOrNever == .never ? nil : nextDeadlineOrNever }

    @inline(__always)
    private var nextDeadlineOrNever: Moment {
        min(
            min(deadlines.next ?? .never, dispatcher.nextWake ?? .never),
            min(deliveries.wakesAt ?? .never, residency.nextRemoval ?? .never))
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
        if pauses.isLate(now) { goOn(at: now) }
        if stopping != .no, isTooLate(input, &actions) { return }
        switch consume input {
        case .outside(let request, let loop, let key, let event):
            outside(request, loop, key, event, isNew: nil, at: now, &actions)
        case .lookedUp(let request, let loop, let key, let event, let isApplied):
            outside(request, loop, key, event, isNew: !isApplied, at: now, &actions)
        case .wallClock(let time): if let jump = calendar.set(time, at: now) { calendarJumped(by: jump, at: now) }
        case .begin(let loop, let effects, let start):
            begin(loop, effects, start, at: now)
            noteEnds(&actions)
        case .recover(let loop): recover(loop, at: now, &actions)
        case .possibleHolders(let workers): adoption.expect(workers)
        case .share(let grant): dispatcher.receive(grant, at: now)
        case .hold(let loop): hold(loop)
        case .submit(let id, let effect): submit(id, effect, at: now, &actions)
        case .cancel(let id): cancel(id)
        case .endLoop(let loop): endLoop(loop)
        case .recoverEnded(let end, let pending): recover(end, pending, at: now, &actions)
        case .dismissed(let application): dismissed(application, at: now, &actions)
        case .removed(let loops): removed(loops, at: now)
        case .newLoops(let number): residency.beginNewLoops(with: number)
        case .idleLoops(let totals, let kinds): residency.recoverIdle(totals, ofKinds: kinds)
        case .use(let loop): residency.use(loop, at: now)
        case .parked(let loops): parked(loops, at: now, &actions)
        case .stay(let loops): residency.stay(loops, at: now)
        case .returned(let loop, let sequence): returned(loop, sequence, &actions)
        case .received(let envelope, let peer): receive(consume envelope, from: peer, at: now, &actions)
        case .malformed(let error, let peer): rejectMalformed(peer, reason: "not understood: \(error)", &actions)
        case .refused(let peer, let reason): disconnect(peer, reason: reason, at: now, &actions)
        case .unreachable(let peer): roster.disconnect(peer, at: now)
        case .connectionEnded: pulse(&actions)
        case .applied(let application, let effects):
            applied(consume application, OneOrMany(consume effects), at: now, &actions)
        case .unreadable(let application, let reason): unreadable(application, reason, at: now, &actions)
        case .completedWithoutEvent(let id):
            noteUndelivered(id, &actions)
            completedWithoutEvent(id)
        case .cancelSelected(let id, let others): cancel(others, by: id)
        case .undelivered(let id, let reason): undelivered(id, reason, at: now, &actions)
        case .endAlong(let id, let loop): endAlong(id, loop, at: now, &actions)
        case .awaiting(let id): postpone(id, at: now)
        case .arrived(let loop): arrived(loop, at: now)
        case .answered(let id, let reply): answered(id, reply, at: now, &actions)
        case .undeliverable(let id, let reason): undeliverable(id, reason, at: now, &actions)
        case .heldBack(let id, let reason): heldBack(id, reason)
        case .requeue(let request, let letter, let plan, let name):
            requeue(request, letter, plan, by: name, at: now, &actions)
        case .retry(let request, let id): retry(request, id, &actions)
        case .drop(let request, let id, let name): drop(request, id, by: name, at: now, &actions)
        case .act(let request, let id, let act, let event, let name, let why):
            self.act(request, id, act, event, by: name, why, at: now, &actions)
        case .pause(let pause, let pool, let request, let repeated): set(pause, of: pool, request, repeated: repeated)
        case .end(let request, let loop, let name, let why): end(request, loop, by: name, why, at: now, &actions)
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
        case .requeue(let request, _, _, _), .retry(let request, _), .drop(let request, _, _),
            .act(let request, _, _, _, _, _), .end(let request, _, _, _), .pause(_, _, let request?, _):
            actions.append(.stopping(request))
            return true
        case .look: return false
        default: return stopping == .stopped
        }
    }
}
