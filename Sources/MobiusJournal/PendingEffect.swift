public import MobiusWire

/// An effect that was asked for and has not ended.
public struct PendingEffect: Equatable, Sendable {
    /// Its name.
    public var id: EffectID
    /// What to do, as bytes.
    public var effect: Payload
    /// The newest report that was applied, when a handler sent some and has not ended: later ones of the same attempt
    /// count on from it.
    public var reported: ReportID?
    /// When it was asked for, or revived.
    public var asked: WallTime
    /// When it fires first, if it is a timer.
    public var due: WallTime?
    /// The due time that it fired at last, if it is a repeating timer that has fired.
    public var fired: WallTime?
    /// How many of its attempts have failed.
    public var failures: UInt32
    /// The attempt that must be its only one, if that was handed to a worker.
    public var started: Attempt?
    /// How often it was revived from a dead letter.
    public var round: UInt32

    /// Describes a pending effect.
    public init(
        id: EffectID, effect: Payload, reported: ReportID? = nil, asked: WallTime = WallTime(milliseconds: 0),
        due: WallTime? = nil, fired: WallTime? = nil, failures: UInt32 = 0, started: Attempt? = nil, round: UInt32 = 0
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
    }
}
