import MobiusJournal
import MobiusWire

typealias EffectSlot = SlotTable<EffectID, EffectState>.Slot

/// What a coordinator machine keeps about one effect that has not ended.
struct EffectState: SlotValue {
    enum Phase: Equatable, Sendable {
        /// Asked for, not on disk.
        case committing
        /// Recovered: a worker may still hold it, so it waits for the end of the grace time.
        case adoptable
        /// Waits in its pool's queue.
        case queued
        /// The worker is chosen, and that this attempt begins is not on disk yet.
        case starting(Attempt, Incarnation)
        /// An attempt failed in a way that may pass; its events are not on disk yet.
        case failing(Attempt)
        /// Waits for its next attempt after a failure that may pass.
        case delayed
        /// A worker has it.
        case running(Attempt, Incarnation)
        /// A local handler has it.
        case local(Attempt)
        /// Its time has not come.
        case waiting
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

    private(set) var effect: Payload
    private(set) var plan: EffectPlan
    var phase: Phase
    /// When it was asked for, or revived.
    private(set) var asked: WallTime
    /// Attempts made in this epoch.
    var attempts: UInt32 = 0
    /// Its place among all that wait in queues: it has a new one each time that it waits, but when it is put back.
    var order: UInt64 = 0
    /// The newest event applied that did not end the effect.
    var reported: Mark?
    /// The newest event on disk that did not end the effect.
    var committed: Mark?
    /// When the running attempt's time is over, or the pause before the next one, or the timer's time has come.
    var ends: Moment?
    /// Its place in the list of the worker that has it.
    var place = 0
    /// What few effects have; see ``extra``.
    var box: EffectExtra.Box?

    static let nothing = EffectState(
        PlannedEffect(
            effect: Payload(kind: PayloadKind(type: ""), bytes: []), plan: EffectPlan(destination: .local)),
        phase: .ending(nil), asked: WallTime(milliseconds: 0))

    init(_ planned: consuming PlannedEffect, phase: Phase, asked: WallTime) {
        effect = planned.effect
        plan = planned.plan
        self.phase = phase
        self.asked = asked
    }

    /// Becomes another effect, where the one before has ended: that spares moving all of a state to its place.
    mutating func begin(_ planned: consuming PlannedEffect, asked time: WallTime) {
        effect = planned.effect
        plan = planned.plan
        phase = .committing
        asked = time
        attempts = 0
        order = 0
        reported = nil
        committed = nil
        ends = nil
        place = 0
        box = nil
    }

    /// Its bytes and what few have may be large; the rest is about to be another effect's.
    mutating func letGo() {
        effect.bytes = []
        box = nil
    }

    /// The attempt whose last report was its end, if one's was.
    mutating func endingAttempt() -> Attempt? {
        if case .ending(let attempt) = phase { attempt } else { nil }
    }

    /// Where an effect goes that is on disk.
    enum Way {
        case none
        case local
        /// So many bytes; its first attempt must begin until then.
        case pool(bytes: Int, startsBy: Moment?)
        case timer
        case cancel
    }

    // Mutating, like what else is asked of a state where it is: otherwise a copy of all of it would be asked.
    mutating func way() -> Way {
        if case .ending = phase { return .none }
        switch plan.destination {
        case .local: return .local
        case .timer: return .timer
        case .cancel: return .cancel
        case .pool:
            let isFirst = box != nil && attempts == 0 && reported == nil && extra.failures == 0 && extra.started == nil
            return .pool(bytes: effect.bytes.count, startsBy: isFirst ? extra.startsBy : nil)
        }
    }

    var pool: String? {
        guard case .pool(let pool) = plan.destination else { return nil }
        return pool
    }

    /// Whether a worker has it, is about to, or may still have it since before the coordinator's start.
    @inline(__always)
    var isAtWorker: Bool {
        switch phase {
        case .running, .starting, .adoptable: true
        case .committing, .queued, .failing, .delayed, .local, .waiting, .ending: false
        }
    }

    /// Begins its next attempt; answers the name of that.
    mutating func begin(epoch: UInt64) -> Attempt {
        attempts += 1
        return Attempt(epoch: epoch, number: (box == nil ? 0 : extra.round &* Attempt.numbersPerRound) &+ attempts)
    }

    mutating func order(_ id: consuming AttemptID, at now: Moment) -> EffectOrder {
        let left = ends.map { max(.milliseconds(1), $0 - now) }
        let traceparent = box == nil ? "" : extra.traceparent
        return EffectOrder(id: id, timeout: left?.wireMilliseconds ?? 0, traceparent: traceparent, effect: effect)
    }

    /// Whether a worker that still holds this attempt of an epoch before `epoch` may go on with it.
    func isAdoptable(_ attempt: Attempt, in epoch: UInt64) -> Bool {
        // After a later attempt's reports, those of an older one might have been applied before that.
        guard attempt.epoch < epoch, attempts == 0, attempt >= reported?.attempt ?? attempt else { return false }
        // Nor are reports of an earlier round wanted: the effect's failure was applied after it.
        guard attempt.round == (box == nil ? 0 : extra.round) else { return false }
        switch phase {
        case .adoptable, .queued: return true
        case .committing, .starting, .failing, .delayed, .running, .local, .waiting, .ending: return false
        }
    }
}

// MARK: - Reports

extension EffectState {
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
    mutating func take(_ number: UInt32, of attempt: Attempt, final: Bool, from incarnation: Incarnation) -> Verdict {
        switch phase {
        case .running(attempt, incarnation): break
        case .failing(attempt), .ending(attempt): return .waits
        default: return .unwanted
        }
        guard number == reported.number(of: attempt).saturatingAdding(1) else {
            return number <= committed.number(of: attempt) ? .repeated : .waits
        }
        if final {
            phase = .ending(attempt)
        } else {
            reported = Mark(attempt: attempt, number: number)
        }
        return .taken
    }

    /// The number of the newest report that was taken, of the attempt that runs or is ending.
    func lastTaken(of attempt: Attempt) -> UInt32 {
        reported.number(of: attempt).saturatingAdding(phase == .ending(attempt) ? 1 : 0)
    }
}

extension EffectState.Mark? {
    /// The number of the newest report of `attempt`; 0 before the first.
    func number(of attempt: Attempt) -> UInt32 {
        guard let self, self.attempt == attempt else { return 0 }
        return self.number
    }
}
