import MobiusJournal
import MobiusWire

/// State that only some effects have: those that failed, were retried by an operator, have a policy, or are timers.
///
/// It is stored separately, because a million effects without it may wait.
struct EffectExtra: Equatable, Sendable {
    /// The number of times that an operator retried it as a dead letter.
    var round: UInt32 = 0
    /// Attempts that counted as failed, in all epochs.
    var failures = 0
    /// Its only allowed attempt, if the journal has recorded its dispatch.
    var started: Attempt?
    /// The deadline for the start of its first attempt.
    var startsBy: Moment?
    /// The deadline for its end.
    var closesBy: Moment?
    /// The time at which the running handler last reported progress, or began.
    var progressed: Moment?
    /// The worker of the last attempt that timed out: the next attempt goes to another worker with credit.
    var overran: Incarnation?
    /// The time at which it fires first, if it is a timer, as the journal says.
    var due: WallTime?
    /// The times at which it fires next, and fired last.
    var next: WallTime?
    var fired: WallTime?
    /// The calendar time at which it fires instead, because the wall clock was ahead when it fired last.
    var early: WallTime?
    /// What the loop that it asked told it, from the journal: its event is to follow.
    var answered: LoopReply?
    /// The reason why another shard's coordinator, of another build, did not take its event.
    var refusal: String?
    /// Its W3C trace context, or empty; it is not in the journal.
    var traceparent = ""

    /// Its storage; effects without it have none.
    indirect enum Box: Equatable, Sendable {
        case holding(EffectExtra)
    }
}

extension EffectState {
    var extra: EffectExtra {
        get {
            guard case .holding(let extra)? = box else { return EffectExtra() }
            return extra
        }
        set { box = newValue == EffectExtra() ? nil : .holding(newValue) }
    }

    var failures: Int { extra.failures }

    init(_ pending: PendingEffect, plan: EffectPlan) {
        self.init(PlannedEffect(effect: pending.effect, plan: plan), phase: .adoptable, asked: pending.asked)
        reported = pending.reported.map { Mark(attempt: $0.attempt.attempt, number: $0.number) }
        committed = reported
        extra = EffectExtra(
            round: pending.round, failures: Int(pending.failures), started: pending.started, due: pending.due,
            fired: pending.fired, answered: pending.answered)
    }
}
