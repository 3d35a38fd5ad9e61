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

/// A dead letter as a list shows it: the bytes of a large effect are left out.
public struct DeadLetterHead: Equatable, Sendable {
    /// The letter; its effect is without its bytes when those are more than a list reads.
    public var letter: DeadLetter
    /// How many bytes the effect has.
    public var size: Int

    /// Describes a letter.
    public init(letter: DeadLetter, size: Int) {
        self.letter = letter
        self.size = size
    }

    /// Whether the effect has all of its bytes.
    public var isWhole: Bool { letter.effect.bytes.count == size }

    /// Up to how many bytes an effect's are there: 16 KiB.
    public static let maximumBytes = 16 << 10
    /// After how many bytes of effects, shown or not, a list ends, although there are more letters: 1 MiB.
    public static let maximumTotal = 1 << 20
}
