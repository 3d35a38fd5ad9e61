public import MobiusWire

/// Where an applied event came from; within one loop no two applied events have the same source.
public enum SourceKey: Hashable, Sendable {
    /// The loop's own start, sequence 0: it has effects but no event.
    case start
    /// The `number`th report, from 1, of an attempt at an effect.
    case report(AttemptID, number: UInt32)
    /// The event made from the failure of an effect: one per effect, and one more each time it is revived and fails again.
    case failure(EffectID, round: UInt32)
    /// A timer fired that was due at this time; a repeating one fires many times.
    case timer(EffectID, due: WallTime)
    /// Sent from outside the effects, under a key its sender chose.
    case outside(String)

    /// Whether both are the same source; outside keys are compared byte for byte.
    public static func == (lhs: SourceKey, rhs: SourceKey) -> Bool {
        switch (lhs, rhs) {
        case (.start, .start): true
        case (.report(let one, let number), .report(let other, let another)): number == another && one == other
        case (.failure(let one, let round), .failure(let other, let another)): round == another && one == other
        case (.timer(let one, let due), .timer(let other, let another)): due == another && one == other
        case (.outside(let one), .outside(let other)): ExactText(one) == ExactText(other)
        default: false
        }
    }

    /// Feeds the hasher what is compared.
    public func hash(into hasher: inout Hasher) {
        switch self {
        case .start: hasher.combine(0)
        case .report(let attempt, let number):
            hasher.combine(attempt)
            hasher.combine(number)
        case .failure(let effect, let round):
            hasher.combine(effect)
            hasher.combine(round)
        case .timer(let effect, let due):
            hasher.combine(effect)
            hasher.combine(due)
        case .outside(let key): hasher.combine(ExactText(key))
        }
    }
}

/// When one effect of an event falls due.
public struct TimerDue: Hashable, Sendable {
    /// The position of the timer among the event's effects.
    public var index: UInt32
    /// When it fires.
    public var due: WallTime

    /// Describes a timer's due time.
    public init(index: UInt32, due: WallTime) {
        self.index = index
        self.due = due
    }
}

/// One thing a journal remembers, in commit order.
public enum JournalRecord: Equatable, Sendable {
    /// An event was applied.
    case event(EventRecord)
    /// Something became of an effect without an event.
    // Apart: it is rare and many times as large as a reference to an event.
    indirect case note(EffectID, EffectNote)
}

/// What can become of an effect without an event.
public enum EffectNote: Equatable, Sendable {
    /// It ended.
    case ended
    /// An attempt that must be the only one is about to be handed to a worker.
    case started(Attempt)
    /// So many of its attempts have failed.
    case setback(failures: UInt32)
    /// It failed for good and is kept as a dead letter; its end follows in the same commit.
    case died(DeadLetter)
    /// Its dead letter was taken out, and it is pending again as if it were new, for the time `round`, from 1.
    case revived(Payload, round: UInt32, at: WallTime)
    /// Its dead letter was taken out for good.
    case dropped
}
