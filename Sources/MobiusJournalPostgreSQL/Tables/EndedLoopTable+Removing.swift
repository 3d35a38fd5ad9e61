#if PostgreSQL
    import MobiusJournal
    import MobiusJournalTables
    import MobiusWire

    extension EndedLoopTable {
        /// Deletes up to about `rows` rows of a loop from one table after the other.
        ///
        /// - Returns: the indices of the statements that delete, and how many rows each may delete.
        static func remove(_ rows: Int, loop: Int64, _ commit: inout Commit) -> [(index: Int, limit: Int)] {
            let values: [SQLStatement.Value] = [.number(commit.shard), .number(loop), .number(Int64(rows))]
            // Rows of records have up to 64 KiB: a few of them are as much work as many keys.
            let runs: [SQLStatement.Value] = [.number(commit.shard), .number(loop), .number(Int64(max(1, rows / 16)))]
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
    }
#endif
