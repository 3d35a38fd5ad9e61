#if PostgreSQL
    public import MobiusJournal
    import MobiusJournalTables
    import MobiusWire

    extension PostgreSQLInspector {
        /// Reads the whole journal and reports everything that is damaged or inconsistent, as the same verification of a file
        /// does.
        ///
        /// PostgreSQL's own structures are its own to check: `pg_amcheck`, and checksums of its pages. It keeps a hash of
        /// each source of the loop that it reads, 24 bytes, in memory, and continues after a finding.
        ///
        /// - Parameter progress: Called repeatedly with the number of records read and the total.
        /// - Throws: ``JournalError`` with code `notReadable` when the connection is lost. Damage is not thrown but reported.
        public func verify(
            _ progress: (_ done: Int, _ total: Int) -> Void = { _, _ in }
        ) throws(JournalError) -> JournalReport {
            if !isPinned { _ = try session.read("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY") }
            defer { if !isPinned { _ = try? session.read("COMMIT") } }
            var verification = Verification(session, shard: shard, isLocal: false) { HashedSources() }
            guard try hasTables(&verification.report) else { return verification.report }
            let total = Int(
                try session.read(
                    """
                    SELECT CAST(coalesce(sum(greatest(0, least(count, 1000000))), 0) AS bigint) FROM runs
                    WHERE shard = $1
                    """, [.number(shard)]
                ).number(0, 0))
            try verification.run(total: total, progress) { [session, shard] loops, report in
                try Self.checkSlices(of: loops, session, shard, &report)
                try Self.findOrphans(session, shard, &report)
            }
            return verification.report
        }

        /// Whether all tables are there: a missing one would end the transaction.
        private func hasTables(_ report: inout JournalReport) throws(JournalError) -> Bool {
            var hasAll = true
            for name in Schema.names {
                if try session.hasTable(name) { continue }
                report.add(.file, nil, nil, "The table \(name) is missing.")
                hasAll = false
            }
            return hasAll
        }

        /// Each slice is in one shard, and each loop in the shard that has its slice: otherwise a loop might live twice.
        private static func checkSlices(
            of loops: [LoopID], _ session: Session, _ shard: Int64, _ report: inout JournalReport
        ) throws(JournalError) {
            let rows = try session.read(
                "SELECT shard, slices FROM shards ORDER BY shard = $1 DESC, shard", [.number(shard)])
            var (own, known) = (SliceSet(), SliceSet())
            for row in 0..<rows.rows {
                guard let slices = SliceSet(bytes: rows.array(row, 1)) else {
                    throw JournalError.damaged(session.url.shown, "the slices of a shard are not what was written")
                }
                if row == 0 { own = slices }
                for slice in 0..<SliceSet.slices where slices.contains(slice) {
                    if row > 0, own.contains(slice) {
                        report.add(
                            .table, nil, nil, "The shards \(shard) and \(rows.number(row, 0)) both have slice \(slice)."
                        )
                    }
                    known.insert(slice)
                }
            }
            if known.count < SliceSet.slices {
                report.add(.table, nil, nil, "\(SliceSet.slices - known.count) slices are in no shard.")
            }
            for loop in loops where !own.contains(loop) {
                report.add(.table, loop, nil, "It is in shard \(shard), which does not have its slice.")
            }
        }

        private static func findOrphans(
            _ session: Session, _ shard: Int64, _ report: inout JournalReport
        ) throws(JournalError) {
            let rows = try session.read(
                """
                SELECT r.sequence FROM runs r WHERE r.shard = $1
                    AND NOT EXISTS (SELECT 1 FROM loops l WHERE l.shard = r.shard AND l.id = r.loop) LIMIT 20
                """, [.number(shard)])
            for row in 0..<rows.rows {
                let sequence = UInt64(bitPattern: rows.number(row, 0))
                report.add(.row, nil, sequence, "A row of records near event \(sequence) belongs to no loop.")
            }
        }
    }

    /// Hashes of the sources of a loop in memory.
    private struct HashedSources: SourceSet {
        private struct Source {
            let high: UInt64
            let low: UInt64
            let sequence: UInt64
            let isOutside: Bool
        }

        private var sources: [Source] = []

        mutating func add(_ source: SourceKey, _ sequence: UInt64) {
            let bytes = source.bytes
            var sum = RowChecksum()
            bytes.withUnsafeBytes { sum.add($0) }
            var isOutside = false
            if case .outside = source { isOutside = true }
            sources.append(
                Source(
                    high: UInt64(bitPattern: sum.value), low: FNV1a.hash(bytes), sequence: sequence,
                    isOutside: isOutside))
        }

        mutating func visitDoubled(_ visit: (_ sequence: UInt64, _ earlier: UInt64) throws -> Void) throws {
            sources.sort { ($0.high, $0.low, $0.sequence) < ($1.high, $1.low, $1.sequence) }
            for (first, second) in zip(sources, sources.dropFirst())
            where first.high == second.high && first.low == second.low {
                // An outside key may come again when it is not kept any more.
                let distance = second.sequence - first.sequence
                if first.isOutside, distance > UInt64(JournalLimits.standard.outsideKeys) { continue }
                try visit(second.sequence, first.sequence)
            }
        }
    }
#endif
