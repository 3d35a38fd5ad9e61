package import MobiusWire

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

extension JournalError {
    /// A source was committed that the loop had applied before.
    package static var doubledSource: JournalError { .doubledSource(underlying: nil) }

    /// A source was committed that the loop had applied before, and the store below refused it.
    package static func doubledSource(underlying: (any Error)?) -> JournalError {
        JournalError(
            .conflict,
            "The journal already holds an event from the same source, so nothing of this commit was kept: an event must be "
                + "looked up before it is applied. This is a defect of the program; starting it again is safe.",
            underlying: underlying)
    }
}

extension JournalRecord {
    /// The loop that the record belongs to.
    package var loop: LoopID {
        switch self {
        case .event(let event): event.loop
        case .ended(let effect): effect.loop
        }
    }
}
