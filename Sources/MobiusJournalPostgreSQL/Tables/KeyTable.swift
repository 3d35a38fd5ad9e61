#if PostgreSQL
    import MobiusJournal
    import MobiusWire

    /// The outside keys that loops have applied, each with the last event that applied it and what its sender was told.
    enum KeyTable {
        /// Inserts a key; a key that exists becomes the newest.
        static func insert(
            _ key: String, loop: Int64, sequence: UInt64, _ mark: SenderMark?, _ commit: inout Commit
        ) {
            let (bytes, sequence) = (Array(key.utf8), Int64(bitPattern: sequence))
            let mark = mark?.bytes(loop: loop, sequence: sequence) ?? []
            let sum = bytes.withUnsafeBytes { RowChecksum.outsideKey($0, loop: loop, sequence: sequence) }
            commit.add(
                """
                INSERT INTO outside_keys (shard, loop, key, sequence, checksum, mark) VALUES ($1, $2, $3, $4, $5, $6)
                ON CONFLICT (shard, loop, key_lookup(key)) DO UPDATE
                SET sequence = excluded.sequence, checksum = excluded.checksum, mark = excluded.mark
                """,
                [
                    .number(commit.shard), .number(loop), .bytes(bytes), .number(sequence), .number(sum),
                    .bytes(mark),
                ])
        }

        /// Adds the column of marks to a journal of an earlier build of the same format, which leaves it alone.
        static func prepare(_ session: Session) throws(JournalError) {
            let found = try session.read(
                """
                SELECT count(*) FROM pg_attribute
                WHERE attrelid = 'outside_keys'::regclass AND attname = 'mark' AND NOT attisdropped
                """, [])
            guard found.number(0, 0) == 0 else { return }
            do throws(PipelineError) {
                // What holds the table is the commit of a coordinator.
                _ = try session.connection.execute([
                    "BEGIN", "SET LOCAL lock_timeout TO '10s'",
                    "ALTER TABLE outside_keys ADD COLUMN IF NOT EXISTS mark bytea", "COMMIT",
                ])
            } catch {
                throw JournalError(
                    .notWritable,
                    "The journal \(session.url.shown) lacks the column outside_keys.mark, which this build keeps: let the owner of "
                        + "its tables run `mobius journal init URL`, or start again.",
                    underlying: error)
            }
        }

        /// The mark of a key's sender; `nil` without one.
        static func mark(
            of key: String, loop: Int64, shard: Int64, _ session: Session
        ) throws(JournalError) -> SenderMark? {
            // An inspector may read a journal that no process of this build has opened, without the column.
            let row = try session.read(
                """
                SELECT sequence, (to_jsonb(k) ->> 'mark')::bytea FROM outside_keys k
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
            func add(_ rows: QueryResult) throws(JournalError) {
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
        static func reading(_ loops: [Int64], shard: Int64) -> Statement {
            Statement(
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

        // MARK: Replies

        /// Stores what the sender of an event was told; kind 0 is a refusal, whose content is its reason.
        static func insert(
            _ reply: SenderReply, at sequence: UInt64, loop: Int64, kinds: inout Kinds, _ commit: inout Commit
        ) {
            let (kind, content): (Int64, [UInt8]) =
                switch reply {
                case .answer(let payload): (Int64(kinds.number(payload.kind, &commit)), payload.bytes)
                case .refusal(let reason): (0, Array(reason.utf8))
                }
            let sequence = Int64(bitPattern: sequence)
            let sum = content.withUnsafeBytes { RowChecksum.reply($0, kind: kind, loop: loop, sequence: sequence) }
            commit.add(
                """
                INSERT INTO replies (shard, loop, sequence, kind, content, checksum) VALUES ($1, $2, $3, $4, $5, $6)
                ON CONFLICT (shard, loop, sequence)
                DO UPDATE SET kind = excluded.kind, content = excluded.content, checksum = excluded.checksum
                """,
                [
                    .number(commit.shard), .number(loop), .number(sequence), .number(kind), .bytes(content),
                    .number(sum),
                ])
        }

        /// What the sender of an event was told; `nil` for nothing.
        static func reply(
            at sequence: Int64, loop: Int64, shard: Int64, kinds: Kinds, _ session: Session
        ) throws(JournalError) -> SenderReply? {
            let row = try session.read(
                "SELECT kind, content, checksum FROM replies WHERE shard = $1 AND loop = $2 AND sequence = $3",
                [.number(shard), .number(loop), .number(sequence)])
            guard row.rows > 0 else { return nil }
            let (kind, content) = (row.number(0, 0), row.array(0, 1))
            let sum = content.withUnsafeBytes { RowChecksum.reply($0, kind: kind, loop: loop, sequence: sequence) }
            guard sum == row.number(0, 2) else {
                throw JournalError.damaged(
                    session.url.shown, "what the sender of an event was told is not what was written")
            }
            guard kind != 0 else { return .refusal(String(decoding: content, as: UTF8.self)) }
            return .answer(Payload(kind: try kinds.kind(kind), bytes: content))
        }
    }
#endif
