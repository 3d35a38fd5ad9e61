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
            var verification = Verification(session: session, shard: shard)
            try verification.run(progress)
            return verification.report
        }
    }

    /// The steps of ``PostgreSQLInspector/verify(_:)``: each reports what it throws, so that the next ones run.
    private struct Verification {
        let session: Session
        let shard: Int64
        var report = JournalReport()

        mutating func run(_ progress: (Int, Int) -> Void) throws(JournalError) {
            guard try hasTables() else { return }
            try check(.row) { [session, shard] _ in _ = try Epochs.all(shard: shard, session) }
            // Without the kinds no row can be decoded.
            var contents: Contents?
            try check(.row) { [session, shard] _ in contents = try Contents(shard: shard, session) }
            guard var contents else { return }
            var loops: [(loop: LoopID, number: Int64)] = []
            try check(.row) { [session] _ in loops = try contents.loops.all(session) }
            report.loops = loops.count
            try check(.table) { [session, shard] report in
                try Self.checkSlices(of: loops.map(\.loop), session, shard, &report)
            }
            try check(.row) { [session, shard] report in try Self.findOrphans(session, shard, &report) }
            let total = Int(
                try session.read(
                    "SELECT coalesce(sum(greatest(0, least(count, 1000000))), 0)::bigint FROM runs WHERE shard = $1",
                    [.number(shard)]
                ).number(0, 0))
            for (loop, number) in loops {
                try check(.row, loop) { [session, shard] report in
                    guard let numbered = try contents.loops.find(loop, session),
                        try !EndedLoopTable.isRemoving(loop: number, shard: shard, session)
                    else { return }
                    let verification = LoopVerification(
                        loop: loop, numbered: numbered, contents: contents, session: session)
                    try verification.run(&report) { progress($0, total) }
                }
                try check(.table, loop) { [session, shard] _ in
                    _ = try KeyTable.newest(.max, loop: number, shard: shard, session)
                    _ = try contents.deadLetters(
                        of: loop, after: nil, limit: .max, bytes: .max, total: .max, session)
                }
            }
            try check(.table) { [session] _ in _ = try contents.crashes(session) }
            try check(.table) { [session, shard] _ in _ = try EndedLoopTable.all(shard: shard, session) }
            try check(.table) { [session, shard] _ in try HistoryTable.check(shard: shard, session) }
            try check(.table) { [session, shard] _ in
                _ = try IdleTable.totals(shard: shard, session)
                _ = try IdleTable.active(shard: shard, session)
            }
            progress(total, total)
        }

        /// Runs one step; damage that it throws becomes a finding.
        private mutating func check(
            _ kind: JournalReport.Finding.Kind, _ loop: LoopID? = nil, _ step: (inout JournalReport) throws -> Void
        ) throws(JournalError) {
            do {
                try step(&report)
            } catch let error as JournalError {
                guard error.code == .damaged else { throw error }
                report.add(kind, loop, nil, error.description)
            } catch {
                throw JournalError(.notReadable, "The journal cannot be read.", underlying: error)
            }
        }

        /// Whether all tables are there: a missing one would end the transaction.
        private mutating func hasTables() throws(JournalError) -> Bool {
            var hasAll = true
            for name in Schema.names {
                let row = try session.read("SELECT to_regclass($1)::text", [.name(name)])
                guard row.isNull(0, 0) else { continue }
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
#endif
