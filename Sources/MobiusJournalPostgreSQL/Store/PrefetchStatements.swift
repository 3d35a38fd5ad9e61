#if PostgreSQL
    import MobiusJournal
    import MobiusJournalTables
    import MobiusWire

    // What a block reads of many loops.
    extension Loops {
        /// The rows of the loops of a block.
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
    }

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
