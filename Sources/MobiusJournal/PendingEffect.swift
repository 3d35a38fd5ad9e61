public import MobiusWire

/// An effect that was asked for and has not ended.
public struct PendingEffect: Equatable, Sendable {
    /// Its name.
    public var id: EffectID
    /// The effect's payload.
    public var effect: Payload
    /// The newest applied report, if a handler has sent some and has not ended: later reports of the same attempt
    /// continue its numbers.
    public var reported: ReportID?
    /// The time at which it was asked for, or retried as a dead letter.
    public var asked: WallTime
    /// The time at which it fires first, if it is a timer.
    public var due: WallTime?
    /// The due time that it fired at last, if it is a repeating timer that has fired.
    public var fired: WallTime?
    /// The number of failed attempts.
    public var failures: UInt32
    /// Its only allowed attempt, if that was dispatched.
    public var started: Attempt?
    /// The number of times that an operator retried it as a dead letter.
    public var round: UInt32
    /// What the loop that it asked told it, if that has taken its event.
    public var answered: LoopReply?

    /// Describes a pending effect.
    public init(
        id: EffectID, effect: Payload, reported: ReportID? = nil, asked: WallTime = WallTime(milliseconds: 0),
        due: WallTime? = nil, fired: WallTime? = nil, failures: UInt32 = 0, started: Attempt? = nil, round: UInt32 = 0,
        answered: LoopReply? = nil
    ) {
        self.id = id
        self.effect = effect
        self.reported = reported
        self.asked = asked
        self.due = due
        self.fired = fired
        self.failures = failures
        self.started = started
        self.round = round
        self.answered = answered
    }
}
