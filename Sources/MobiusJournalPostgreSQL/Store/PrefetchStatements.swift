#if PostgreSQL
    import MobiusJournal
    import MobiusJournalTables
    import MobiusWire

    // What a block reads of many loops.
    extension BegunLoopTable {
        /// The rows of the loops of a block.
        static func reading(_ loops: [Int64], shard: Int64) -> SQLStatement {
            SQLStatement(
                """
                SELECT b.sequence, b.checksum, n.place FROM unnest($2) WITH ORDINALITY AS n(loop, place)
                JOIN begun_loops b ON b.shard = $1 AND b.loop = n.loop ORDER BY n.place
                """, [.number(shard), .numbers(loops)])
        }
    }

    extension SnapshotTable {
        /// The newest two of each loop of a block, the newest first.
        static func reading(_ loops: [Int64], shard: Int64) -> SQLStatement {
            SQLStatement(
                """
                SELECT s.sequence, s.part, s.kind, s.model, s.hash, s.pending, s.checksum, n.place
                FROM unnest($2) WITH ORDINALITY AS n(loop, place) CROSS JOIN LATERAL (
                    SELECT * FROM snapshots WHERE shard = $1 AND loop = n.loop
                    ORDER BY sequence DESC, part DESC, id DESC LIMIT 2
                ) s ORDER BY n.place, s.sequence DESC, s.part DESC, s.id DESC
                """, [.number(shard), .numbers(loops)])
        }
    }
#endif
