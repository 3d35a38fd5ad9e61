package import MobiusWire

/// Verifies the records of one loop against each other and its snapshots, record by record, and continues after a finding.
package struct RecordVerification {
    private let loop: LoopID
    private let first: RecordPlace
    /// Whether the loop begins with its first record: compaction has deleted none.
    private let isWhole: Bool
    private var last: RecordPlace?
    /// The number of effects that each event requested, from the first event that was read without a gap.
    private var counts: [UInt32] = []
    private var firstCounted: UInt64?
    /// The effects that have not ended; `nil` while unknown, as before the older snapshot of a compacted loop.
    private var pending: Set<EffectID>?
    /// The snapshots that have not been compared yet, with their places.
    private var snapshots: [(place: RecordPlace, snapshot: Snapshot)] = []

    /// Begins with the snapshots that could be read, the older first, of a loop whose first kept record is at `first`, and which
    /// `began` with that event.
    package init(
        loop: LoopID, first: RecordPlace, began: UInt64, snapshots: [(place: RecordPlace, snapshot: Snapshot)],
        _ report: inout JournalReport
    ) {
        self.loop = loop
        self.first = first
        self.snapshots = snapshots
        isWhole = first.isBeginning(began)
        guard !isWhole else {
            pending = []
            return
        }
        if let older = snapshots.first, older.place >= first { return }
        report.add(
            .snapshot, loop, first.sequence,
            "The snapshot that compaction of loop \(loop) has left is missing: its earlier records cannot be restored.")
    }

    /// Verifies the next record.
    package mutating func verify(_ record: JournalRecord, at place: RecordPlace, _ report: inout JournalReport) {
        compareSnapshots(before: place, &report)
        checkOrder(place, &report)
        check(record, at: place, &report)
        last = place
    }

    /// Continues after records that could not be read, of which `last` is the last one, if that is known.
    package mutating func skip(to last: RecordPlace?) {
        self.last = last ?? self.last
        forgetEffects()
    }

    /// Ends with the last record.
    package mutating func end(_ report: inout JournalReport) {
        compareSnapshots(before: nil, &report)
        if last == nil, !isWhole {
            report.add(.gap, loop, nil, "All records of loop \(loop) are missing.")
        }
    }

    private mutating func checkOrder(_ place: RecordPlace, _ report: inout JournalReport) {
        let fits = last.map { place.follows($0) } ?? (place == first)
        guard !fits else { return }
        report.add(
            .gap, loop, place.sequence, "A record is missing before event \(place.sequence) of loop \(loop).")
        forgetEffects()
    }

    /// After a gap it is unknown which effects are pending, because the missing records requested or ended some.
    private mutating func forgetEffects() {
        pending = nil
        firstCounted = nil
        counts = []
    }

    // MARK: Effects

    private mutating func check(_ record: JournalRecord, at place: RecordPlace, _ report: inout JournalReport) {
        switch record {
        case .event(let event):
            if let contradiction = event.contradiction {
                report.add(
                    .row, loop, place.sequence,
                    "Event \(place.sequence) of loop \(loop) is impossible: \(contradiction).")
            }
            if let cause = event.cause { check(cause, isEvent: true, at: place, &report) }
            if let ends = event.ends { pending?.remove(ends) }
            if firstCounted == nil { firstCounted = place.sequence }
            counts.append(UInt32(truncatingIfNeeded: event.effects.count))
            for index in event.effects.indices {
                pending?.insert(EffectID(loop: loop, sequence: place.sequence, index: UInt32(index)))
            }
        case .note(let effect, let note):
            check(effect, isEvent: false, at: place, &report)
            switch note {
            case .ended, .loopEnded: pending?.remove(effect)
            case .requeued: pending?.insert(effect)
            case .started, .retried, .answered, .deadLettered, .dropped, .remarked: break
            }
        }
    }

    /// An event on an effect that has ended is a finding; a note on one is not, because it only repeats known facts.
    private func check(
        _ effect: EffectID, isEvent: Bool, at place: RecordPlace, _ report: inout JournalReport
    ) {
        if let firstCounted, effect.sequence >= firstCounted, !effect.isNone {
            let asker = effect.sequence - firstCounted
            let count = asker < UInt64(counts.count) ? counts[Int(asker)] : 0
            guard effect.index < count else {
                report.add(
                    .foreignEffect, loop, place.sequence,
                    "Event \(place.sequence) of loop \(loop) is about effect \(effect), which no event requested.")
                return
            }
        }
        guard isEvent, let pending, !pending.contains(effect) else { return }
        report.add(
            .foreignEffect, loop, place.sequence,
            "Event \(place.sequence) of loop \(loop) reports on effect \(effect), which was not pending.")
    }

    // MARK: Snapshots

    /// Compares the snapshots before `place` with the effects that the records leave pending.
    private mutating func compareSnapshots(before place: RecordPlace?, _ report: inout JournalReport) {
        while let (at, snapshot) = snapshots.first, place.map({ at < $0 }) ?? true {
            snapshots.removeFirst()
            let stored = Set(snapshot.pending.map(\.id))
            if at == last, let pending, pending != stored {
                report.add(
                    .snapshot, loop, snapshot.sequence,
                    "The snapshot at event \(snapshot.sequence) of loop \(loop) has other effects than its records.")
            } else if last.map({ at > $0 }) ?? true {
                report.add(
                    .snapshot, loop, snapshot.sequence,
                    "The snapshot at event \(snapshot.sequence) of loop \(loop) comes after all its records.")
            }
            pending = stored
        }
    }
}
