public import MobiusWire

/// An effect that failed for good, as operators see it.
public struct DeadLetter: Equatable, Sendable {
    /// Its name.
    public var id: EffectID
    /// What was to be done, as bytes.
    public var effect: Payload
    /// Why it failed, in a sentence for people.
    public var reason: String
    /// How many of its attempts failed.
    public var failures: UInt32
    /// How often it was revived before.
    public var round: UInt32
    /// When it failed.
    public var time: WallTime

    /// Describes a dead letter.
    public init(
        id: EffectID, effect: Payload, reason: String, failures: UInt32, round: UInt32 = 0,
        time: WallTime = WallTime(milliseconds: 0)
    ) {
        self.id = id
        self.effect = effect
        self.reason = reason
        self.failures = failures
        self.round = round
        self.time = time
    }
}
