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
}

/// One event as it was applied, with the effects that `update` answered.
public struct EventRecord: Equatable, Sendable {
    /// The loop that applied it.
    public var loop: LoopID
    /// Its place in the loop's order: 0 for the start, then without gaps but for the one that a restoration leaves.
    public var sequence: UInt64
    /// What makes it unique.
    public var source: SourceKey
    /// The event; `nil` for ``SourceKey/start``, and for an event that an operator dropped because `update` fails on it: it
    /// counts as applied and changes nothing.
    public var event: Payload?
    /// The effects `update` asked for, in order, as bytes: recovery does not compute them again.
    public var effects: [Payload]
    /// The effect that this event ended, when it is a final report, a failure or a timer: always its source's effect.
    public var ends: EffectID?
    /// When it was applied, by the coordinator's calendar.
    public var time: WallTime
    /// When those of the effects fall due that are timers, in the order of the effects.
    public var dues: [TimerDue]

    /// Describes an applied event.
    @inlinable
    public init(
        loop: LoopID, sequence: UInt64, source: SourceKey, event: Payload?, effects: [Payload], ends: EffectID?,
        time: WallTime = WallTime(milliseconds: 0), dues: [TimerDue] = []
    ) {
        self.loop = loop
        self.sequence = sequence
        self.source = source
        self.event = event
        self.effects = effects
        self.ends = ends
        self.time = time
        self.dues = dues
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
    case note(EffectID, EffectNote)
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
