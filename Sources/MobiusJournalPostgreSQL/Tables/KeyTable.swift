#if PostgreSQL
    import MobiusJournal
    import MobiusJournalTables
    import MobiusWire

    /// The outside keys that loops have applied, each with the last event that applied it and what its sender was told.
    enum KeyTable {
        /// Inserts a key; a key that exists becomes the newest.
        static func insert(
            _ key: String, loop: Int64, sequence: Int64, _ mark: SenderMark?, _ commit: inout Commit
        ) {
            let bytes = Array(key.utf8)
            let mark = mark?.bytes(loop: loop, sequence: sequence) ?? []
            let sum = bytes.withUnsafeBytes { RowChecksum.outsideKey($0, loop: loop, sequence: sequence) }
            commit.add(
                """
                INSERT INTO outside_keys (shard, loop, key, sequence, checksum, mark) VALUES ($1, $2, $3, $4, $5, $6)
                ON CONFLICT (shard, loop, key_lookup(key)) DO UPDATE
                SET sequence = excluded.sequence, checksum = excluded.checksum, mark = excluded.mark
                """,
                [
                    .number(commit.shard), .number(loop), .utf8(bytes), .number(sequence), .number(sum),
                    .bytes(mark),
                ])
        }

        /// The mark of a key's sender; `nil` without one.
        static func mark(
            of key: String, loop: Int64, shard: Int64, _ session: Session
        ) throws(JournalError) -> SenderMark? {
            let row = try session.read(
                """
                SELECT sequence, mark FROM outside_keys
                WHERE shard = $1 AND loop = $2 AND key_lookup(key) = key_lookup($3)
                """, [.number(shard), .number(loop), .text(key)])
            guard row.rows > 0 else { return nil }
            return SenderMark(row.array(0, 1), loop: loop, sequence: row.number(0, 0))
        }

        /// The newest keys of a loop, oldest first.
        static func newest(
            _ limit: Int, loop: Int64, shard: Int64, _ session: Session
        ) throws(JournalError) -> [String] {
            var keys: [String] = []
            var cursor = Int64.max
            func add(_ rows: Rows) throws(JournalError) {
                for row in 0..<rows.rows {
                    cursor = rows.number(row, 1)
                    let sum = withExtendedLifetime(rows) {
                        RowChecksum.outsideKey(rows.bytes(row, 0), loop: loop, sequence: cursor)
                    }
                    guard sum == rows.number(row, 2), let text = rows.text(row, 0) else {
                        throw JournalError.damaged(session.url.shown, "an outside key is not what was written")
                    }
                    keys.append(text)
                }
            }
            if let all = session.prefetch[loop]?.keys {
                try add(all[0..<min(all.rows, limit)])
                return keys.reversed()
            }
            while keys.count < limit {
                let wanted = min(limit - keys.count, 10_000)
                let rows = try session.read(
                    """
                    SELECT key, sequence, checksum FROM outside_keys
                    WHERE shard = $1 AND loop = $2 AND sequence < $3 ORDER BY sequence DESC LIMIT $4
                    """, [.number(shard), .number(loop), .number(cursor), .number(Int64(wanted))])
                try add(rows)
                guard rows.rows == wanted else { break }
            }
            return keys.reversed()
        }

        /// All keys of the loops of a block.
        static func reading(_ loops: [Int64], shard: Int64) -> SQLStatement {
            SQLStatement(
                """
                SELECT k.key, k.sequence, k.checksum, n.place FROM unnest($2) WITH ORDINALITY AS n(loop, place)
                CROSS JOIN LATERAL (
                    SELECT key, sequence, checksum FROM outside_keys WHERE shard = $1 AND loop = n.loop
                    ORDER BY sequence DESC OFFSET 0
                ) k ORDER BY n.place, k.sequence DESC
                """, [.number(shard), .numbers(loops)])
        }

        /// The last event that applied a key.
        static func sequence(
            of key: String, loop: Int64, shard: Int64, _ session: Session
        ) throws(JournalError) -> Int64? {
            let row = try session.read(
                """
                SELECT sequence FROM outside_keys
                WHERE shard = $1 AND loop = $2 AND key_lookup(key) = key_lookup($3)
                """, [.number(shard), .number(loop), .text(key)])
            return row.rows > 0 ? row.number(0, 0) : nil
        }
    }
#endif
