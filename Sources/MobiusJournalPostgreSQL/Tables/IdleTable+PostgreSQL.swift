#if PostgreSQL
    import MobiusJournal
    import MobiusJournalTables
    import MobiusWire

    extension IdleTable {
        /// The loops that must be recovered, in the order in which they were added.
        static func active(shard: Int64, _ session: Session) throws(JournalError) -> [LoopID] {
            let rows = try session.read(
                """
                SELECT l.name, a.loop, a.checksum FROM active_loops a LEFT JOIN loops l ON l.shard = a.shard AND l.id = a.loop
                WHERE a.shard = $1 AND (l.name IS NULL
                    OR EXISTS (SELECT 1 FROM runs r WHERE r.shard = a.shard AND r.loop = a.loop)) ORDER BY a.loop
                """, [.number(shard)])
            return try active(rows, session)
        }

        /// The loops behind `after` whose names begin with `prefix`, by name.
        static func page(
            prefix: String, after: LoopID?, limit: Int, shard: Int64, _ session: Session
        ) throws(JournalError) -> [StoredLoop] {
            let rows = try session.read(
                """
                SELECT l.id, l.name, i.sequence, i.time, i.checksum FROM loops l
                LEFT JOIN idle_loops i ON i.shard = l.shard AND i.loop = l.id
                WHERE l.shard = $1 AND l.name >= $2 AND l.name > $3
                    AND EXISTS (SELECT 1 FROM runs r WHERE r.shard = l.shard AND r.loop = l.id)
                ORDER BY l.name LIMIT $4
                """,
                [.number(shard), .text(prefix), .text(after?.name ?? ""), .number(Int64(limit))])
            var found: [StoredLoop] = []
            for row in 0..<rows.rows {
                let stored = try stored(rows, row, session)
                guard stored.loop.name.utf8.starts(with: prefix.utf8) else { break }
                found.append(stored)
            }
            return found
        }
    }

    extension HistoryTable {
        /// The bytes of all records and models: without reading them, because large values are stored beside their rows.
        static func usedBytes(shard: Int64, _ session: Session) throws(JournalError) -> Int64 {
            try session.read(
                """
                SELECT (SELECT coalesce(sum(length(content)), 0)::bigint FROM runs WHERE shard = $1)
                    + (SELECT coalesce(sum(length(model)), 0)::bigint FROM snapshots WHERE shard = $1)
                """, [.number(shard)]
            ).number(0, 0)
        }
    }
#endif
