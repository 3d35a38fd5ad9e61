#if PostgreSQL
    import MobiusJournal
    import MobiusJournalTables
    import MobiusWire

    /// A loop's number in the journal, and the places of its first and last record.
    struct NumberedLoop {
        /// The loop's number, from 1.
        let number: Int64
        /// The first record that compaction has kept; the place of the start if it has deleted none.
        var first = RecordPlace.start
        /// The last record; `nil` before the start.
        var last: RecordPlace?
        /// Whether a start need not recover it.
        var isIdle = false
    }

    /// The loops of a shard; caches those that this process has used.
    struct Loops {
        private let shard: Int64
        private var known: [LoopID: NumberedLoop] = [:]
        // The greatest number, once a loop was added.
        private var greatest: Int64?
        // Once they were read.
        private var totals: IdleTotals?
        private var hasNewTotals = false

        init(shard: Int64) {
            self.shard = shard
        }

        /// Finds a loop; `nil` when the journal has no loop of that name.
        ///
        /// The checksum of its last batch is verified; a missing batch before it is found when the loop is read.
        mutating func find(_ loop: LoopID, _ session: Session) throws(JournalError) -> NumberedLoop? {
            if let found = known[loop] { return found }
            let row = try row(of: loop, session)
            // One with a broken name is found where that is read: of active loops by a start, of all by a verification. To read the
            // names of millions of idle loops for each new one would take a take-over seconds.
            guard row.rows > 0 else { return nil }
            let first = try Self.place(row, 0, 1, session)
            guard row.number(0, 0) >= 1, RowChecksum.loop(loop.name, first: first) == row.number(0, 3) else {
                throw Self.broken(session)
            }
            var found = NumberedLoop(number: row.number(0, 0), first: first)
            if !row.isNull(0, 4) {
                guard let batch = RecordBatch(row, 0, 4, loop: found.number), batch.matchesChecksum(row, 0, 4) else {
                    throw JournalError.damaged(session.url.shown, "a row of records is not what was written")
                }
                found.last = batch.last
            }
            found.isIdle = !row.isNull(0, 12)
            // Idle loops take no memory.
            if !found.isIdle { known[loop] = found }
            return found
        }

        private func row(of loop: LoopID, _ session: Session) throws(JournalError) -> Rows {
            if let rows = try session.prefetch.rows(of: loop, shard: shard, session) { return rows.loop }
            return try session.read(
                """
                SELECT l.id, l.first_sequence, l.first_part, l.checksum, r.sequence, r.part, r.epoch, r.last_sequence,
                    r.last_part, r.count, r.checksum, r.content, i.loop
                FROM loops l LEFT JOIN idle_loops i ON i.shard = l.shard AND i.loop = l.id LEFT JOIN LATERAL (
                    SELECT * FROM runs WHERE shard = l.shard AND loop = l.id ORDER BY sequence DESC, part DESC LIMIT 1
                ) r ON true WHERE l.shard = $1 AND l.name = $2
                """, [.number(shard), .text(loop.name)])
        }

        /// The same for a block.
        static func reading(_ loops: [Int64], shard: Int64) -> SQLStatement {
            SQLStatement(
                """
                SELECT l.id, l.first_sequence, l.first_part, l.checksum, r.sequence, r.part, r.epoch, r.last_sequence,
                    r.last_part, r.count, r.checksum, r.content, i.loop, n.place
                FROM unnest($2) WITH ORDINALITY AS n(loop, place) JOIN loops l ON l.shard = $1 AND l.id = n.loop
                LEFT JOIN idle_loops i ON i.shard = l.shard AND i.loop = l.id LEFT JOIN LATERAL (
                    SELECT * FROM runs WHERE shard = l.shard AND loop = l.id ORDER BY sequence DESC, part DESC LIMIT 1
                ) r ON true ORDER BY n.place
                """, [.number(shard), .numbers(loops)])
        }

        /// Makes an idle loop active, in the commit that has its next record.
        mutating func wake(
            _ loop: LoopID, _ numbered: inout NumberedLoop, _ session: Session, _ commit: inout Commit
        ) throws(JournalError) {
            guard numbered.isIdle else { return }
            numbered.isIdle = false
            try changeTotals(session) { $0.remove(sequence: numbered.last?.sequence ?? 0) }
            IdleTable.wake(loop: numbered.number, &commit)
            IdleTable.activate(numbered.number, &commit)
            known[loop] = numbered
        }

        /// Makes a loop idle.
        mutating func park(_ idle: IdleLoop, _ session: Session, _ commit: inout Commit) throws(JournalError) {
            let numbered = try find(idle.loop, session)
            idle.requirePlace(numbered?.last)
            guard let numbered else { return }
            if !numbered.isIdle { try changeTotals(session) { $0.add(sequence: idle.sequence) } }
            IdleTable.park(idle, loop: numbered.number, &commit)
            known[idle.loop] = nil
        }

        private mutating func changeTotals(
            _ session: Session, _ change: (inout IdleTotals) -> Void
        ) throws(JournalError) {
            var changed = try idleTotals(session)
            change(&changed)
            totals = changed
            hasNewTotals = true
        }

        /// Stores the totals if they have changed.
        mutating func saveTotals(_ commit: inout Commit) {
            guard hasNewTotals, let totals else { return }
            IdleTable.save(totals, &commit)
            hasNewTotals = false
        }

        /// The number of idle loops, and of their events.
        mutating func idleTotals(_ session: Session) throws(JournalError) -> IdleTotals {
            if let totals { return totals }
            let stored = try IdleTable.totals(shard: shard, session)
            totals = stored
            return stored
        }

        /// Finds a loop, or takes the next number for it; its first record will be at `first`.
        mutating func findOrAdd(
            _ loop: LoopID, first: RecordPlace, _ session: Session, _ commit: inout Commit
        ) throws(JournalError) -> NumberedLoop {
            if let found = try find(loop, session) { return found }
            let number = try nextNumber(session)
            commit.add(
                """
                INSERT INTO loops (shard, id, name, first_sequence, first_part, checksum) VALUES ($1, $2, $3, $5, 0, $4)
                """,
                [
                    .number(shard), .number(number), .text(loop.name),
                    .number(RowChecksum.loop(loop.name, first: first)), .bits(first.sequence),
                ])
            IdleTable.activate(number, &commit)
            let added = NumberedLoop(number: number, first: first)
            known[loop] = added
            return added
        }

        /// The number behind all that the shard has; one that was given and removed since may be given again: nothing of it is left.
        private mutating func nextNumber(_ session: Session) throws(JournalError) -> Int64 {
            var last = greatest ?? 0
            if greatest == nil {
                last = try session.read("SELECT max(id) FROM loops WHERE shard = $1", [.number(shard)]).number(0, 0)
            }
            guard (0..<Int64.max).contains(last) else { throw Self.broken(session) }
            greatest = last + 1
            return last + 1
        }

        /// Stores where the loop's records end now.
        mutating func update(_ loop: LoopID, last: RecordPlace?) {
            known[loop]?.last = last
        }

        /// The loop is no longer in the journal.
        mutating func forget(_ loop: LoopID, _ session: Session) throws(JournalError) {
            if let numbered = try find(loop, session), numbered.isIdle {
                try changeTotals(session) { $0.remove(sequence: numbered.last?.sequence ?? 0) }
            }
            known[loop] = nil
        }

        /// Every loop and its number, in the order in which they were added; also loops without records.
        func all(_ session: Session) throws(JournalError) -> [(loop: LoopID, number: Int64)] {
            var found: [(LoopID, Int64)] = []
            var cursor: Int64 = 0
            while true {
                let page = try session.read(
                    """
                    SELECT id, name, first_sequence, first_part, checksum FROM loops WHERE shard = $1 AND id > $2
                    ORDER BY id LIMIT 10000
                    """, [.number(shard), .number(cursor)])
                for row in 0..<page.rows {
                    guard let name = page.text(row, 1), let loop = LoopID(name), page.number(row, 0) >= 1,
                        RowChecksum.loop(name, first: try Self.place(page, row, 2, session)) == page.number(row, 4)
                    else { throw Self.broken(session) }
                    cursor = page.number(row, 0)
                    found.append((loop, cursor))
                }
                guard page.rows == 10_000 else { return found }
            }
        }

        /// Stores the first record that compaction has kept.
        mutating func setFirst(
            _ first: RecordPlace, of loop: LoopID, _ numbered: NumberedLoop, _ commit: inout Commit
        ) {
            guard numbered.first != first else { return }
            commit.add(
                "UPDATE loops SET first_sequence = $3, first_part = $4, checksum = $5 WHERE shard = $1 AND id = $2",
                [
                    .number(shard), .number(numbered.number), .bits(first.sequence), .number(Int64(first.part)),
                    .number(RowChecksum.loop(loop.name, first: first)),
                ])
            known[loop]?.first = first
        }

        private static func place(
            _ row: Rows, _ index: Int, _ column: Int, _ session: Session
        ) throws(JournalError) -> RecordPlace {
            guard let sequence = UInt64(exactly: row.number(index, column)),
                let part = UInt32(exactly: row.number(index, column + 1))
            else { throw JournalError.damaged(session.url.shown, "a record has an impossible place") }
            return RecordPlace(sequence: sequence, part: part)
        }

        private static func broken(_ session: Session) -> JournalError {
            .damaged(session.url.shown, "the row of a loop is not what was written")
        }
    }
#endif
