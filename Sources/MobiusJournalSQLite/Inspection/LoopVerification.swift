import MobiusJournal
import MobiusJournalTables
import MobiusWire

/// Verifies the records of one loop for ``Verification``, and continues after a finding.
struct LoopVerification {
    private let loop: LoopID
    private let numbered: NumberedLoop
    private let contents: StoredJournal

    init(loop: LoopID, numbered: NumberedLoop, contents: StoredJournal) {
        self.loop = loop
        self.numbered = numbered
        self.contents = contents
    }

    func run(_ database: Database, _ report: inout JournalReport, _ progress: (Int) -> Void) throws {
        let snapshots = try readSnapshots(database, &report)
        let began = try BegunLoopTable.sequence(loop: numbered.number, shard: Database.shard, database)
        var records = RecordVerification(
            loop: loop, first: numbered.first, began: began, snapshots: snapshots, &report)
        let reader = contents.reader(of: loop, numbered)
        let sources = try SourceSorter()
        try reader.visitRows(from: nil, database) { statement in
            do {
                let batch = try reader.batch(statement)
                var decoder = reader.decoder(of: batch, statement)
                while let (place, record) = try decoder.next() {
                    records.take(record, at: place, &report)
                    try note(record, in: sources, database, &report)
                    report.records += 1
                    if report.records % 65_536 == 0 { progress(report.records) }
                }
            } catch let error as JournalError {
                let batch = RecordBatch(statement)
                report.add(.row, loop, batch?.first.sequence ?? UInt64(bitPattern: statement.number(2)), error.message)
                records.skip(to: batch?.last)
            }
            return true
        }
        try sources.visitDoubled { sequence, earlier in
            report.add(
                .duplicateSource, loop, sequence,
                "Event \(sequence) of loop \(loop) has the same source as event \(earlier).")
        }
        records.end(&report)
    }

    private func readSnapshots(
        _ database: Database, _ report: inout JournalReport
    ) throws -> [(place: RecordPlace, snapshot: Snapshot)] {
        var snapshots: [(place: RecordPlace, snapshot: Snapshot)] = []
        for skipping: Int64 in [1, 0] {
            do throws(JournalError) {
                guard
                    let place = try SnapshotTable.place(
                        skipping: skipping, loop: numbered.number, shard: Database.shard, database),
                    let snapshot = try SnapshotTable.snapshot(
                        skipping: skipping, of: loop, number: numbered.number, shard: Database.shard,
                        kinds: contents.kinds, database)
                else { continue }
                report.snapshots += 1
                snapshots.append((place, snapshot))
            } catch {
                report.snapshots += 1
                report.add(.snapshot, loop, nil, error.message)
            }
        }
        return snapshots
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
}
