public import MobiusWire

/// The source of an applied event; within one loop no two applied events have the same source.
public enum SourceKey: Hashable, Sendable {
    /// The loop's own start: it has effects but no event. Its sequence is 0, or the next one when an ended loop begins again.
    case start
    /// The report with this number, from 1, of an attempt of an effect.
    case report(AttemptID, number: UInt32)
    /// The event made from the failure of an effect: one per effect, and one more each time an operator retries it and
    /// it fails again.
    case failure(EffectID, round: UInt32)
    /// A timer with this due time; a repeating timer fires many times.
    case timer(EffectID, due: WallTime)
    /// An event from outside, under a key that its sender chose.
    case outside(String)
    /// An effect of another loop, or of the same one, that is an event for this loop.
    case loop(EffectID)
    /// The answer of the loop that this effect asked: one per effect.
    case answer(EffectID)

    /// Whether both are the same source; outside keys are compared byte for byte.
    public static func == (lhs: SourceKey, rhs: SourceKey) -> Bool {
        switch (lhs, rhs) {
        case (.start, .start): true
        case (.report(let one, let number), .report(let other, let another)): number == another && one == other
        case (.failure(let one, let round), .failure(let other, let another)): round == another && one == other
        case (.timer(let one, let due), .timer(let other, let another)): due == another && one == other
        case (.outside(let one), .outside(let other)): ExactText(one) == ExactText(other)
        case (.loop(let one), .loop(let other)): one == other
        case (.answer(let one), .answer(let other)): one == other
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
        case .loop(let effect), .answer(let effect): hasher.combine(effect)
        }
    }
}

/// The due time of an event's timer.
public struct TimerDue: Hashable, Sendable {
    /// The position of the timer among the event's effects.
    public var index: UInt32
    /// The time at which it fires.
    public var due: WallTime

    /// Describes a timer's due time.
    public init(index: UInt32, due: WallTime) {
        self.index = index
        self.due = due
    }
}

/// One record of a journal, in commit order.
public enum JournalRecord: Equatable, Sendable {
    /// An event was applied.
    case event(EventRecord)
    /// The state of an effect changed without an event.
    // Indirect: it is rare and many times as large as a reference to an event.
    indirect case note(EffectID, EffectNote)
}

/// A change of an effect's state without an event.
public enum EffectNote: Equatable, Sendable {
    /// It ended.
    case ended
    /// An attempt that must be the only one is about to be sent to a worker.
    case started(Attempt)
    /// Its number of failed attempts.
    case retried(failures: UInt32)
    /// The loop that it asked took its event, in the same commit or in another shard; its end follows with an event.
    case answered(LoopReply)
    /// It failed for good and is kept as a dead letter; its end follows in the same commit.
    case deadLettered(DeadLetter)
    /// An operator retried its dead letter: it is pending again as if it were new. `round` counts retries, from 1.
    case requeued(Payload, round: UInt32, at: WallTime)
    /// An operator dropped its dead letter.
    case dropped
    /// A remark of its history on the note before or behind this one; its state does not change.
    case remarked(EffectRemark)
    /// It ended its loop, and itself; the other effects have ended before, but for `outstanding` events for other loops.
    ///
    /// Where an operator ended the loop, it is `EffectID.none(of:at:)`, and a remark before says who and why.
    /// Until the loop begins again (``SourceKey/start``), it applies no event.
    case loopEnded(mayBeginAgain: Bool, outstanding: UInt32, at: WallTime)
}

extension EffectID {
    /// Stands in notes about the loop itself, which are about no effect of it; no event asks for so many.
    package static func none(of loop: LoopID, at sequence: UInt64) -> EffectID {
        EffectID(loop: loop, sequence: sequence, index: .max)
    }

    /// Whether it is no effect, but the loop itself.
    package var isNone: Bool { index == .max }
}

/// What a loop told the one that asked it.
public struct LoopReply: Hashable, Sendable {
    /// Its answer or refusal; `nil` when it took the event and said nothing.
    public var reply: SenderReply?

    /// Describes a reply.
    public init(_ reply: SenderReply?) {
        self.reply = reply
    }

    /// Its size in bytes.
    package var bytes: Int {
        switch reply {
        case nil: 0
        case .answer(let payload): payload.bytes.count
        case .refusal(let reason): reason.utf8.count
        }
    }
}
