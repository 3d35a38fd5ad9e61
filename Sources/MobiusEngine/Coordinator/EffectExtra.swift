import MobiusJournal
import MobiusWire

/// What few effects have: only those that failed, were revived, have a policy of their own, or are timers.
///
/// It is kept apart, because a million effects without may wait.
struct EffectExtra: Equatable, Sendable {
    /// How often it was revived from a dead letter.
    var round: UInt32 = 0
    /// Attempts that counted as failed, in all epochs.
    var failures = 0
    /// The attempt that must be its only one, if the journal says that it was to be handed to a worker.
    var started: Attempt?
    /// Until when its first attempt must have begun.
    var startsBy: Moment?
    /// Until when it must have ended.
    var closesBy: Moment?
    /// When the running handler showed progress last, or began.
    var progressed: Moment?
    /// The worker on which an attempt ran out of time last: the next attempt goes to another one that has credit.
    var overran: Incarnation?
    /// When it fires first, if it is a timer, as the journal says.
    var due: WallTime?
    /// When it fires next, and when it fired last.
    var next: WallTime?
    var fired: WallTime?
    /// The W3C trace context that it carries, or empty; it is not in the journal.
    var traceparent = ""

    /// Where it is kept; none for an effect without.
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
            fired: pending.fired)
    }
}
