#if PostgreSQL
    import MobiusJournal
    import MobiusJournalTables
    import MobiusWire

    /// Verifies the records of one loop, and continues after a finding.
    struct LoopVerification {
        let loop: LoopID
        let numbered: NumberedLoop
        let contents: Contents
        let session: Session

        /// The hash of a source and the event that has it.
        private struct Source {
            let high: UInt64
            let low: UInt64
            let sequence: UInt64
            let isOutside: Bool
        }

        func run(_ report: inout JournalReport, _ progress: (Int) -> Void) throws {
            let snapshots = try readSnapshots(&report)
            let began = try BegunLoopTable.sequence(loop: numbered.number, shard: contents.shard, session)
            var records = RecordVerification(
                loop: loop, first: numbered.first, began: began, snapshots: snapshots, &report)
            let reader = contents.reader(of: loop, numbered, session)
            var sources: [Source] = []
            var keys: [(key: String, sequence: UInt64)] = []
            try reader.table.visit(from: nil, session) { rows, row in
                do {
                    let batch = try reader.batch(rows, row)
                    _ = try reader.decode(batch, rows, row) { place, record in
                        records.take(record, at: place, &report)
                        note(record, &sources, &keys)
                        report.records += 1
                        if report.records % 65_536 == 0 { progress(report.records) }
                        return true
                    }
                } catch let error as JournalError where error.code == .damaged {
                    let batch = RecordBatch(rows, row, 0, loop: numbered.number)
                    report.add(
                        .row, loop, batch?.first.sequence ?? UInt64(bitPattern: rows.number(row, 0)), error.message)
                    records.skip(to: batch?.last)
                }
                return true
            }
            try findMissing(keys, &report)
            findDoubled(&sources, &report)
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

        private func note(
            _ record: JournalRecord, _ sources: inout [Source], _ keys: inout [(key: String, sequence: UInt64)]
        ) {
            // A loop may start again.
            guard case .event(let event) = record, event.source != .start else { return }
            let bytes = event.source.bytes
            var sum = RowChecksum()
            bytes.withUnsafeBytes { sum.add($0) }
            var isOutside = false
            if case .outside(let key) = event.source {
                isOutside = true
                if let last = numbered.last?.sequence, last - min(last, event.sequence) < Self.keptKeys {
                    keys.append((key, event.sequence))
                }
            }
            sources.append(
                Source(
                    high: UInt64(bitPattern: sum.value), low: FNV1a.hash(bytes), sequence: event.sequence,
                    isOutside: isOutside))
        }

        private static let keptKeys = UInt64(JournalLimits.standard.outsideKeys)

        private func findMissing(
            _ keys: [(key: String, sequence: UInt64)], _ report: inout JournalReport
        ) throws(JournalError) {
            for (key, sequence) in keys {
                let found = try KeyTable.sequence(of: key, loop: numbered.number, shard: contents.shard, session)
                guard found.map({ UInt64(bitPattern: $0) < sequence }) ?? true else { continue }
                report.add(.table, loop, sequence, "The key of event \(sequence) of loop \(loop) is missing.")
            }
        }

        private func findDoubled(_ sources: inout [Source], _ report: inout JournalReport) {
            sources.sort { ($0.high, $0.low, $0.sequence) < ($1.high, $1.low, $1.sequence) }
            for (first, second) in zip(sources, sources.dropFirst())
            where first.high == second.high && first.low == second.low {
                // An outside key may come again when it is not kept any more.
                if first.isOutside, second.sequence - first.sequence > Self.keptKeys { continue }
                report.add(
                    .duplicateSource, loop, second.sequence,
                    "Event \(second.sequence) of loop \(loop) has the same source as event \(first.sequence).")
            }
        }
    }
#endif
