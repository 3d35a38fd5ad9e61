package import MobiusJournal
import MobiusWire

/// Finds the sources that a loop has applied twice.
package protocol SourceSet {
    /// Adds the source of an event.
    mutating func add(_ source: SourceKey, _ sequence: UInt64) throws
    /// Visits the events whose source an earlier event had, with that one.
    ///
    /// An outside key counts only if that of the first one must still have been stored at the last one.
    mutating func visitDoubled(_ visit: (_ sequence: UInt64, _ earlier: UInt64) throws -> Void) throws
}

/// Verifies the records of one loop, and continues after a finding.
struct LoopVerification {
    let loop: LoopID
    let numbered: NumberedLoop
    let contents: Contents
    let session: any JournalDatabase
    let makeSources: () throws -> any SourceSet

    func run(_ report: inout JournalReport, _ progress: (Int) -> Void) throws {
        let snapshots = try readSnapshots(&report)
        let began = try BegunLoopTable.sequence(loop: numbered.number, shard: contents.shard, session)
        var records = RecordVerification(
            loop: loop, first: numbered.first, began: began, snapshots: snapshots, &report)
        let reader = contents.reader(of: loop, numbered, session)
        var sources = try makeSources()
        try session.visitBatches(
            around: nil, loop: numbered.number, shard: contents.shard, isReplay: false
        ) { stored in
            do {
                let batch = try reader.batch(stored)
                var decoder = reader.decoder(of: batch, stored)
                while let (place, record) = try decoder.next() {
                    records.verify(record, at: place, &report)
                    try note(record, &sources, &report)
                    report.records += 1
                    if report.records % 65_536 == 0 { progress(report.records) }
                }
            } catch let error as JournalError where error.code == .damaged {
                report.add(.row, loop, stored.batch?.first.sequence ?? stored.sequence, error.message)
                records.skip(to: stored.batch?.last)
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
        _ report: inout JournalReport
    ) throws -> [(place: RecordPlace, snapshot: Snapshot)] {
        var snapshots: [(place: RecordPlace, snapshot: Snapshot)] = []
        for skipping in [Int64(1), 0] {
            do throws(JournalError) {
                guard
                    let place = try SnapshotTable.place(
                        skipping: skipping, loop: numbered.number, shard: contents.shard, session),
                    let snapshot = try SnapshotTable.snapshot(
                        skipping: skipping, of: loop, number: numbered.number, shard: contents.shard,
                        kinds: contents.kinds, session)
                else { continue }
                report.snapshots += 1
                snapshots.append((place, snapshot))
            } catch {
                guard error.code == .damaged else { throw error }
                report.snapshots += 1
                report.add(.snapshot, loop, nil, error.message)
            }
        }
        return snapshots
    }

    /// Keeps an event's source for comparison with all others, and looks for its outside key.
    private func note(
        _ record: JournalRecord, _ sources: inout any SourceSet, _ report: inout JournalReport
    ) throws {
        guard case .event(let event) = record else { return }
        // A loop may start again.
        if event.source != .start { try sources.add(event.source, event.sequence) }
        guard case .outside(let key) = event.source, let last = numbered.last?.sequence,
            last - min(last, event.sequence) < UInt64(JournalLimits.standard.outsideKeys)
        else { return }
        let found = try session.sequence(ofKey: key, loop: numbered.number, shard: contents.shard)
        guard found.map({ UInt64(bitPattern: $0) < event.sequence }) ?? true else { return }
        report.add(
            .table, loop, event.sequence, "The key of event \(event.sequence) of loop \(loop) is missing.")
    }
}
