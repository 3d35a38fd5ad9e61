import GRDB
import MobiusJournal
import MobiusWire

/// Verifies the records of one loop for ``Verification``, and continues after a finding.
struct LoopVerification {
    private let loop: LoopID
    private let numbered: NumberedLoop
    private let contents: StoredJournal
    private var last: RecordPlace?
    /// The number of effects that each event requested, from the first event that was read without a gap.
    private var counts: [UInt32] = []
    private var firstCounted: UInt64?
    /// The effects that have not ended; `nil` while unknown, as before the older snapshot of a compacted loop.
    private var pending: Set<EffectID>?
    /// The snapshots that have not been compared yet, with their places.
    private var snapshots: [(place: RecordPlace, snapshot: Snapshot)] = []

    init(loop: LoopID, numbered: NumberedLoop, contents: StoredJournal) {
        self.loop = loop
        self.numbered = numbered
        self.contents = contents
    }

    mutating func run(
        _ database: Database, _ report: inout JournalReport, _ progress: (Int) -> Void
    ) throws {
        try readSnapshots(database, &report)
        if numbered.first == .start { pending = [] }
        let reader = contents.reader(of: loop, numbered)
        let sources = try SourceSorter()
        try reader.visitRows(from: nil, database) { statement in
            do {
                let batch = try reader.batch(statement)
                var decoder = reader.decoder(of: batch, statement)
                while let (place, record) = try decoder.next() {
                    compareSnapshots(before: place, &report)
                    checkOrder(place, &report)
                    check(record, at: place, &report)
                    last = place
                    try note(record, in: sources, database, &report)
                    report.records += 1
                    if report.records % 65_536 == 0 { progress(report.records) }
                }
            } catch let error as JournalError {
                let batch = RecordBatch(statement)
                report.add(.row, loop, batch?.first.sequence ?? UInt64(bitPattern: statement.number(2)), error.message)
                last = batch?.last ?? last
                forgetEffects()
            }
            return true
        }
        try sources.visitDoubled { sequence, earlier in
            report.add(
                .duplicateSource, loop, sequence,
                "Event \(sequence) of loop \(loop) has the same source as event \(earlier).")
        }
        compareSnapshots(before: nil, &report)
        if last == nil, numbered.first != .start {
            report.add(.gap, loop, nil, "All records of loop \(loop) are missing.")
        }
    }

    private mutating func readSnapshots(_ database: Database, _ report: inout JournalReport) throws {
        for skipping in [1, 0] {
            do {
                guard
                    let place = try SnapshotTable.place(
                        skipping: skipping, loop: numbered.number, database, path: contents.path),
                    let snapshot = try SnapshotTable.snapshot(
                        skipping: skipping, of: loop, number: numbered.number, database, kinds: contents.kinds,
                        path: contents.path)
                else { continue }
                report.snapshots += 1
                snapshots.append((place, snapshot))
            } catch let error as JournalError {
                report.snapshots += 1
                report.add(.snapshot, loop, nil, error.message)
            }
        }
        guard numbered.first != .start else { return }
        if let older = snapshots.first, older.place >= numbered.first { return }
        report.add(
            .snapshot, loop, numbered.first.sequence,
            "The snapshot that compaction of loop \(loop) has left is missing: its earlier records cannot be restored.")
    }

    private mutating func checkOrder(_ place: RecordPlace, _ report: inout JournalReport) {
        let fits = last.map { place.follows($0) } ?? (place == numbered.first)
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

    // MARK: Sources

    /// Keeps an event's source for comparison with all others, and checks that an outside key is in its table.
    private func note(
        _ record: JournalRecord, in sources: SourceSorter, _ database: Database, _ report: inout JournalReport
    ) throws {
        guard case .event(let event) = record else { return }
        // A loop may start again.
        if event.source != .start { try sources.add(event.source, event.sequence) }
        guard case .outside(let key) = event.source, let last = numbered.last?.sequence,
            last - min(last, event.sequence) < UInt64(JournalLimits.standard.outsideKeys)
        else { return }
        let remembered = try OutsideKeyTable.sequence(of: key, loop: numbered.number, database)
        guard remembered.map({ UInt64(bitPattern: $0) < event.sequence }) ?? true else { return }
        report.add(
            .table, loop, event.sequence, "The key of event \(event.sequence) of loop \(loop) is missing.")
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
            case .started, .retried, .deadLettered, .dropped: break
            }
        }
    }

    /// An event on an effect that has ended is a finding; a note on one is not, because it only repeats known facts.
    private func check(
        _ effect: EffectID, isEvent: Bool, at place: RecordPlace, _ report: inout JournalReport
    ) {
        if let firstCounted, effect.sequence >= firstCounted {
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
