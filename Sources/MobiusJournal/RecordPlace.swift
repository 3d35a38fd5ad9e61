import MobiusWire

/// The place of a record in its loop: an event is part 0 of its own sequence number, and effects that end without an
/// event are the further parts of the event before them.
///
/// Places make commit order readable back, and any missing record a gap.
package struct RecordPlace: Hashable, Comparable, Sendable {
    /// The sequence number of the event, or of the event before.
    package var sequence: UInt64
    /// 0 for the event itself.
    package var part: UInt32

    /// Names a place.
    package init(sequence: UInt64, part: UInt32) {
        self.sequence = sequence
        self.part = part
    }

    /// Orders by sequence number, then by part.
    package static func < (lhs: RecordPlace, rhs: RecordPlace) -> Bool {
        (lhs.sequence, lhs.part) < (rhs.sequence, rhs.part)
    }

    /// Whether a record at `self` may follow one at `last`; a loop begins with its start, sequence 0.
    package func follows(_ last: RecordPlace?) -> Bool {
        guard let last else { return sequence == 0 && part == 0 }
        if part > 0 { return sequence == last.sequence && part == last.part + 1 }
        return sequence == last.sequence + 1
    }

    /// The place of `record`, committed after the one at `last`.
    ///
    /// Crashes when the record cannot stand there: the order is the engine's duty, and a journal with a gap could not
    /// be read again.
    package static func of(_ record: JournalRecord, after last: RecordPlace?) -> RecordPlace {
        switch record {
        case .event(let event):
            event.requireConsistency()
            let place = RecordPlace(sequence: event.sequence, part: 0)
            precondition(
                place.follows(last),
                "Event \(event.sequence) of loop \(event.loop) cannot follow \(last.map { "event \($0.sequence)" } ?? "nothing"): "
                    + "commit a loop's events in order, from sequence 0, without gaps.")
            return place
        case .ended(let effect):
            guard let last else {
                preconditionFailure("Effect \(effect) cannot end before its loop has started: commit sequence 0 first.")
            }
            return RecordPlace(sequence: last.sequence, part: last.part + 1)
        }
    }
}

extension EventRecord {
    /// Crashes when the record contradicts itself.
    package func requireConsistency() {
        precondition(
            (source == .start) == (sequence == 0) && (source == .start) == (event == nil),
            "Only a loop's start has sequence 0 and no event (record \(sequence) of loop \(loop)).")
        let cause: EffectID? =
            switch source {
            case .start, .outside: nil
            case .report(let attempt, number: _): attempt.effect
            case .failure(let effect): effect
            }
        precondition(cause == nil || cause?.loop == loop, "An event belongs to the loop that asked for its effect.")
        precondition(ends == nil || ends == cause, "An event ends no effect but the one that it reports on.")
    }
}
