package import MobiusWire

/// The place of a record in its loop: an event is part 0 of its own sequence number, and notes are the further parts of the
/// event before them.
///
/// Places define the order of reading, and reveal any missing record as a gap. Only a restored journal skips numbers,
/// see ``restoreStride``.
package struct RecordPlace: Hashable, Comparable, Sendable {
    /// The sequence number of the event, or of the event before.
    package var sequence: UInt64
    /// 0 for the event itself.
    package var part: UInt32

    /// A loop's start.
    package static let start = RecordPlace(sequence: 0, part: 0)

    /// After a restoration, events continue at a later multiple of this number.
    ///
    /// So new effects of a restored journal have other ids than those of its lost continuation. The number exceeds the
    /// events of a loop between a backup and a loss.
    package static let restoreStride: UInt64 = 1 << 28

    /// The place of a loop's first record.
    package static func first(of record: JournalRecord) -> RecordPlace {
        guard case .event(let event) = record else { return .start }
        return RecordPlace(sequence: event.sequence, part: 0)
    }

    /// Returns the place at which a loop continues in a journal that is restored at `time`.
    ///
    /// No earlier restoration used the same number, unless it was within the same minute.
    package func restored(at time: WallTime) -> RecordPlace {
        let minutes = UInt64(max(0, time.milliseconds - 1_767_225_600_000) / 60_000)  // since 2026-01-01T00:00Z
        return RecordPlace(sequence: max(sequence / Self.restoreStride + 1, minutes) * Self.restoreStride, part: 0)
    }

    /// Names a place.
    package init(sequence: UInt64, part: UInt32) {
        self.sequence = sequence
        self.part = part
    }

    /// Orders by sequence number, then by part.
    package static func < (lhs: RecordPlace, rhs: RecordPlace) -> Bool {
        (lhs.sequence, lhs.part) < (rhs.sequence, rhs.part)
    }

    /// Whether compaction has deleted nothing before this place, the first that is kept of a loop that `began` with that event.
    package func isBeginning(_ began: UInt64) -> Bool {
        self == .start || part == 0 && sequence == began
    }

    /// Whether a record at `self` may follow one at `last`.
    ///
    /// A loop begins with its start, whatever its number, and continues with the next number or with the beginning of a
    /// later stride of a restoration.
    package func follows(_ last: RecordPlace?) -> Bool {
        guard let last else { return part == 0 }
        if part > 0 { return sequence == last.sequence && part == last.part + 1 }
        return part == 0
            && (sequence == last.sequence + 1
                || sequence > last.sequence && sequence.isMultiple(of: Self.restoreStride))
    }

    /// The place of `record`, committed after the one at `last`.
    ///
    /// Crashes when the record cannot follow: the engine is responsible for the order, and a journal with a gap could
    /// not be read again.
    package static func of(_ record: JournalRecord, after last: RecordPlace?) -> RecordPlace {
        switch record {
        case .event(let event):
            if let contradiction = event.contradiction {
                preconditionFailure("Event \(event.sequence) of loop \(event.loop) cannot be: \(contradiction).")
            }
            let place = RecordPlace(sequence: event.sequence, part: 0)
            precondition(
                last.map(place.follows) ?? event.isStart,
                "Event \(event.sequence) of loop \(event.loop) cannot follow \(last.map { "event \($0.sequence)" } ?? "nothing"): "
                    + "commit a loop's events in order, from its start, without gaps.")
            return place
        case .note(let effect, let note):
            if let contradiction = note.contradiction(on: effect) {
                preconditionFailure("A note on effect \(effect) cannot be: \(contradiction).")
            }
            guard let last, effect.sequence <= last.sequence else {
                preconditionFailure("Nothing can become of effect \(effect) before its event is committed.")
            }
            return RecordPlace(sequence: last.sequence, part: last.part + 1)
        }
    }
}
