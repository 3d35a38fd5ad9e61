package import MobiusWire

// Invariants of all written records. The engine guarantees them, so a store crashes on a violation; in a file, a
// violation is damage.

extension EventRecord {
    /// The effect that the event reports on, if any.
    package var cause: EffectID? { source.cause }

    /// The record's contradiction, if it has one.
    package var contradiction: String? {
        // A loop that has ended may start again, at a later number.
        guard sequence > 0 || source == .start else { return "only a loop's start has sequence 0" }
        guard source != .start || event == nil else { return "a loop's start has no event" }
        if let asked = words.source.asked {
            guard words.isOfItsCause else { return "an event belongs to the loop that asked for its effect" }
            guard asked < sequence else { return "it reports on an effect that was not asked for before" }
        }
        if case .loop(let effect) = source, effect.loop == loop, effect.sequence >= sequence {
            return "its loop had not sent it before"
        }
        guard !words.endsAnother else { return "an event ends no effect but the one that it reports on" }
        if !dues.isEmpty {
            guard let last = dues.last, last.index < effects.count,
                zip(dues, dues.dropFirst()).allSatisfy({ $0.index < $1.index })
            else { return "its due times do not fit its effects" }
        }
        return nil
    }
}

extension EffectNote {
    /// The contradiction of a note on `effect`, if it has one.
    package func contradiction(on effect: EffectID) -> String? {
        switch self {
        case .ended, .started, .retried, .answered, .deadLettered, .requeued, .dropped:
            guard !effect.isNone else { return "only remarks and its end are about a loop itself" }
        case .loopEnded, .remarked: break
        }
        return switch self {
        case .deadLettered(let letter): letter.id == effect ? nil : "a dead letter is kept under its own effect"
        case .requeued(_, let round, _): round > 0 ? nil : "an effect is requeued for the first time in round 1"
        case .ended, .started, .retried, .answered, .dropped, .loopEnded, .remarked: nil
        }
    }
}

extension Snapshot {
    /// Crashes when the snapshot is not of the loop's last committed event.
    package func requirePlace(_ last: RecordPlace?) {
        precondition(
            last?.sequence == sequence,
            "A snapshot of loop \(loop) at event \(sequence) cannot be saved after "
                + "\(last.map { "event \($0.sequence)" } ?? "nothing"): "
                + "save it when all its records and no later ones are committed.")
    }
}

extension IdleLoop {
    /// Crashes when the loop has not begun, or has later records.
    package func requirePlace(_ last: RecordPlace?) {
        precondition(
            last?.sequence == sequence,
            "Loop \(loop) cannot be idle at event \(sequence) after "
                + "\(last.map { "event \($0.sequence)" } ?? "nothing").")
    }
}

extension JournalError {
    /// A source was committed that the loop had applied before.
    static var doubledSource: JournalError {
        JournalError(
            .conflict,
            "The journal already holds an event from the same source, so nothing of this commit was kept: an event must be "
                + "looked up before it is applied. This is a defect of the program; starting it again is safe.")
    }
}

extension JournalRecord {
    /// The loop that the record belongs to.
    package var loop: LoopID {
        switch self {
        case .event(let event): event.loop
        case .note(let effect, _): effect.loop
        }
    }

    /// Whether the record belongs to a loop.
    package func isOf(_ loop: LoopID) -> Bool {
        switch self {
        case .event(let event): event.words.isOf(loop)
        case .note(let effect, _): effect.loop == loop
        }
    }
}
