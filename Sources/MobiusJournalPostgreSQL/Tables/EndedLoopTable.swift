#if PostgreSQL
    import MobiusJournal
    import MobiusWire

    /// The loops that have ended, by the times of their ends.
    enum EndedLoopTable {
        static func insert(_ end: EndedLoop, loop: Int64, _ commit: inout Commit) {
            commit.add(
                """
                INSERT INTO ended_loops (shard, loop, sequence, time, again, outstanding, checksum)
                VALUES ($1, $2, $3, $4, $5, $6, $7)
                ON CONFLICT (shard, loop) DO UPDATE SET sequence = excluded.sequence, time = excluded.time,
                    again = excluded.again, outstanding = excluded.outstanding, removing = 0,
                    checksum = excluded.checksum
                """,
                [
                    .number(commit.shard), .number(loop), .bits(end.sequence), .number(end.time.milliseconds),
                    .number(end.mayBeginAgain ? 1 : 0), .number(Int64(end.outstanding)),
                    .number(RowChecksum.end(end, loop: loop)),
                ])
        }

        static func delete(loop: Int64, _ commit: inout Commit) {
            commit.add(
                "DELETE FROM ended_loops WHERE shard = $1 AND loop = $2", [.number(commit.shard), .number(loop)])
        }

        /// The ends of all loops.
        static func all(shard: Int64, _ session: Session) throws(JournalError) -> [EndedLoop] {
            try ends(
                session.read(
                    """
                    SELECT e.loop, e.sequence, e.time, e.again, e.outstanding, e.checksum, l.name, e.removing
                    FROM ended_loops e
                    LEFT JOIN loops l ON l.shard = e.shard AND l.id = e.loop WHERE e.shard = $1 ORDER BY e.time, e.loop
                    """, [.number(shard)]), session)
        }

        /// The end of one loop.
        static func end(of loop: Int64, shard: Int64, _ session: Session) throws(JournalError) -> EndedLoop? {
            try ends(
                session.read(
                    """
                    SELECT e.loop, e.sequence, e.time, e.again, e.outstanding, e.checksum, l.name, e.removing
                    FROM ended_loops e
                    LEFT JOIN loops l ON l.shard = e.shard AND l.id = e.loop WHERE e.shard = $1 AND e.loop = $2
                    """, [.number(shard), .number(loop)]), session
            ).first
        }

        private static func ends(_ rows: QueryResult, _ session: Session) throws(JournalError) -> [EndedLoop] {
            var ends: [EndedLoop] = []
            for row in 0..<rows.rows {
                guard let loop = rows.text(row, 6).flatMap({ LoopID($0) }),
                    let outstanding = UInt32(exactly: rows.number(row, 4))
                else { throw broken(session) }
                var end = EndedLoop(
                    loop: loop, sequence: UInt64(bitPattern: rows.number(row, 1)),
                    time: WallTime(milliseconds: rows.number(row, 2)), mayBeginAgain: rows.number(row, 3) == 1,
                    outstanding: outstanding)
                guard RowChecksum.end(end, loop: rows.number(row, 0)) == rows.number(row, 5) else {
                    throw broken(session)
                }
                end.isRemoving = rows.number(row, 7) == 1
                ends.append(end)
            }
            return ends
        }

        private static func broken(_ session: Session) -> JournalError {
            .damaged(session.url.shown, "the row of an ended loop is not what was written")
        }

        // MARK: Removing

        /// Whether a part of the loop was deleted.
        static func isRemoving(loop: Int64, shard: Int64, _ session: Session) throws(JournalError) -> Bool {
            try session.read(
                "SELECT 1 FROM ended_loops WHERE shard = $1 AND loop = $2 AND removing = 1",
                [.number(shard), .number(loop)]
            ).rows > 0
        }

        /// Deletes up to about `rows` rows of a loop from one table after the other.
        ///
        /// - Returns: the indices of the statements that delete, and how many rows each may delete.
        static func remove(_ rows: Int, loop: Int64, _ commit: inout Commit) -> [(index: Int, limit: Int)] {
            let values: [Statement.Value] = [.number(commit.shard), .number(loop), .number(Int64(rows))]
            // Rows of records have up to 64 KiB: a few of them are as much work as many keys.
            let runs: [Statement.Value] = [.number(commit.shard), .number(loop), .number(Int64(max(1, rows / 16)))]
            commit.add(
                "UPDATE ended_loops SET removing = 1 WHERE shard = $1 AND loop = $2 AND removing = 0",
                [.number(commit.shard), .number(loop)])
            var limits = [(commit.next, max(1, rows / 16))]
            commit.addFreeing(
                """
                DELETE FROM runs WHERE ctid = ANY (ARRAY(
                    SELECT ctid FROM runs WHERE shard = $1 AND loop = $2 ORDER BY sequence, part LIMIT $3))
                RETURNING length(content)
                """, runs)
            limits.append((commit.next, rows))
            commit.addFreeing(
                """
                DELETE FROM snapshots WHERE ctid = ANY (ARRAY(
                    SELECT ctid FROM snapshots WHERE shard = $1 AND loop = $2 LIMIT $3))
                RETURNING length(model)
                """, values)
            for table in tables {
                limits.append((commit.next, rows))
                commit.add(table, values)
            }
            return limits
        }

        // A later loop may get this one's number, so nothing of it may stay.
        private static let tables: [StaticString] = [
            """
            DELETE FROM history WHERE ctid = ANY (ARRAY(
                SELECT ctid FROM history WHERE shard = $1 AND loop = $2 LIMIT $3))
            """,
            """
            DELETE FROM dead_letters WHERE ctid = ANY (ARRAY(
                SELECT ctid FROM dead_letters WHERE shard = $1 AND loop = $2 LIMIT $3))
            """,
            """
            DELETE FROM requeued WHERE ctid = ANY (ARRAY(
                SELECT ctid FROM requeued WHERE shard = $1 AND loop = $2 LIMIT $3))
            """,
            """
            DELETE FROM crashes WHERE ctid = ANY (ARRAY(
                SELECT ctid FROM crashes WHERE shard = $1 AND loop = $2 LIMIT $3))
            """,
            """
            DELETE FROM outside_keys WHERE ctid = ANY (ARRAY(
                SELECT ctid FROM outside_keys WHERE shard = $1 AND loop = $2 LIMIT $3))
            """,
            """
            DELETE FROM replies WHERE ctid = ANY (ARRAY(
                SELECT ctid FROM replies WHERE shard = $1 AND loop = $2 LIMIT $3))
            """,
        ]

        /// Deletes the end and the name, which go last.
        static func finish(loop: Int64, _ commit: inout Commit) {
            delete(loop: loop, &commit)
            IdleTable.remove(loop: loop, &commit)
            BegunLoopTable.delete(loop: loop, &commit)
            commit.add("DELETE FROM loops WHERE shard = $1 AND id = $2", [.number(commit.shard), .number(loop)])
        }
    }
#endif
