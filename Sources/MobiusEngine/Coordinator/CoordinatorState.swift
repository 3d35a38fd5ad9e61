import MobiusJournal
import MobiusWire

// What a coordinator machine keeps about loops, effects and pools.

struct LoopState: Equatable, Sendable {
    var nextSequence: UInt64
    /// Keys of outside events, so that the same key is applied once.
    var outsideKeys: RecentSet<String>
}

struct EffectState: Equatable, Sendable {
    enum Phase: Equatable, Sendable {
        /// Asked for, not on disk.
        case committing
        /// Recovered: a worker may still hold it, so it waits for the end of the grace time.
        case adoptable
        /// Waits in its pool's queue.
        case queued
        /// An attempt failed in a way that may pass; its events are not on disk yet.
        case failing(Attempt)
        /// Waits for its next attempt after a failure that may pass.
        case delayed
        /// A worker has it.
        case running(Attempt, Incarnation)
        /// A local handler has it.
        case local(Attempt)
        /// Its end was taken in and is not on disk: by the last report of this attempt, or, for `nil`, without one.
        case ending(Attempt?)
    }

    /// How far the reports of one attempt have come.
    ///
    /// The effect's own name would make it four times as large.
    struct Mark: Equatable, Sendable {
        let attempt: Attempt
        let number: UInt32
    }

    let effect: Payload
    let plan: EffectPlan
    var phase: Phase
    /// Attempts made in this epoch.
    var attempts: UInt32 = 0
    /// Attempts that counted as failed in this epoch.
    var failures = 0
    /// The newest event applied that did not end the effect.
    var reported: Mark?
    /// The newest event on disk that did not end the effect.
    var committed: Mark?

    init(_ planned: PlannedEffect, phase: Phase) {
        effect = planned.effect
        plan = planned.plan
        self.phase = phase
    }

    var pool: String? {
        guard case .pool(let pool) = plan.destination else { return nil }
        return pool
    }

    /// What a worker's report turned out to be.
    enum Verdict: Equatable, Sendable {
        /// The next of the running attempt: apply it.
        case taken
        /// Applied and on disk: acknowledge it again.
        case repeated
        /// Ahead of a missing one, or applied and not on disk: its answer comes later.
        case waits
        /// Not of an attempt that runs on that worker.
        case unwanted
    }

    /// Judges a report, and takes it when it is the next.
    mutating func take(_ id: ReportID, final: Bool, from incarnation: Incarnation) -> Verdict {
        let attempt = id.attempt.attempt
        switch phase {
        case .running(attempt, incarnation): break
        case .failing(attempt), .ending(attempt): return .waits
        default: return .unwanted
        }
        guard id.number == reported.number(of: attempt) + 1 else {
            return id.number <= committed.number(of: attempt) ? .repeated : .waits
        }
        if final {
            phase = .ending(attempt)
        } else {
            reported = Mark(attempt: attempt, number: id.number)
        }
        return .taken
    }

    /// The number of the newest report that was taken, of the attempt that runs or is ending.
    func lastTaken(of attempt: Attempt) -> UInt32 {
        reported.number(of: attempt) + (phase == .ending(attempt) ? 1 : 0)
    }

    /// Begins the next attempt on a worker, unless the effect was adopted or ended while it waited.
    mutating func start(_ id: EffectID, on incarnation: Incarnation, epoch: UInt64) -> EffectOrder? {
        guard case .queued = phase else { return nil }
        attempts += 1
        let attempt = Attempt(epoch: epoch, number: attempts)
        phase = .running(attempt, incarnation)
        return order(AttemptID(effect: id, attempt: attempt))
    }

    func order(_ id: AttemptID) -> EffectOrder {
        EffectOrder(id: id, timeout: plan.timeout?.wireMilliseconds ?? 0, effect: effect)
    }

    func awaits(_ deadline: CoordinatorMachine.Deadline) -> Bool {
        switch (deadline, phase) {
        case (.attempt(let timed), .running(let attempt, _)): timed.attempt == attempt
        case (.retry, .delayed): true
        default: false
        }
    }

    /// Whether a worker that still holds this attempt of an earlier epoch may go on with it.
    func isAdoptable(_ attempt: Attempt) -> Bool {
        // After a later attempt's reports, those of an older one might have been applied before that.
        guard attempts == 0, attempt >= reported?.attempt ?? attempt else { return false }
        switch phase {
        case .adoptable, .queued: return true
        case .committing, .failing, .delayed, .running, .local, .ending: return false
        }
    }
}

extension EffectState.Mark? {
    /// The number of the newest report of `attempt`; 0 before the first.
    func number(of attempt: Attempt) -> UInt32 {
        guard let self, self.attempt == attempt else { return 0 }
        return self.number
    }
}

struct PoolState: Equatable, Sendable {
    /// What waits for a worker.
    ///
    /// An effect that was adopted or ended meanwhile is skipped when its turn comes.
    var queue = FIFO<EffectID>()
    /// The workers that serve it, in the order they joined.
    var workers: [Incarnation] = []
    /// How many effects of the queue were cancelled, at most, since it was swept.
    var skipped = 0
    /// Whether the operator was told that nobody serves it.
    var noted = false
}

/// Records on their way to the disk, and what their commit sets free.
struct JournalBatch: Equatable, Sendable {
    enum Settlement: Equatable, Sendable {
        case release(EffectID)
        /// The report is on disk; when it `ends` its effect, that is forgotten.
        case ack(Incarnation, ReportID, ends: Bool)
        /// All events before this failure are on disk: the effect is tried again after a pause.
        case retry(Incarnation, ReportID, pause: Duration)
        case confirm(RequestID)
        case forget(EffectID)
    }

    var records: [JournalRecord] = []
    var settlements: [Settlement] = []

    var isEmpty: Bool { records.isEmpty && settlements.isEmpty }
}

/// The last report of a worker's attempt, which brought no event.
struct SilentEnd: Equatable, Sendable {
    let worker: Incarnation
    let report: ReportID
}

/// What the commit of a ticket sets free.
struct InFlight: Equatable, Sendable {
    let ticket: Ticket
    let settlements: [JournalBatch.Settlement]
}
