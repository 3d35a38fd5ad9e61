public import MobiusWire

/// An effect that failed for good, kept for operators.
public struct DeadLetter: Equatable, Sendable {
    /// Its name.
    public var id: EffectID
    /// The effect's payload.
    public var effect: Payload
    /// The reason why it failed, as a message for people.
    public var reason: String
    /// The number of failed attempts.
    public var failures: UInt32
    /// The number of earlier retries by operators.
    public var round: UInt32
    /// The time at which it failed.
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

/// A dead letter in a list, without the bytes of a large effect.
public struct DeadLetterHead: Equatable, Sendable {
    /// The letter; its effect has no bytes if they exceed ``maximumBytes``.
    public var letter: DeadLetter
    /// The size of the effect in bytes.
    public var size: Int

    /// Describes a letter.
    public init(letter: DeadLetter, size: Int) {
        self.letter = letter
        self.size = size
    }

    /// Whether the effect has all of its bytes.
    public var isWhole: Bool { letter.effect.bytes.count == size }

    /// The largest effect whose bytes are included: 16 KiB.
    public static let maximumBytes = 16 << 10
    /// The bytes of effects, included or not, after which a list ends even if there are more letters: 1 MiB.
    public static let maximumTotal = 1 << 20
}
