#if PostgreSQL
    import MobiusJournal
    import MobiusJournalTables
    import MobiusWire

    /// The rows of one loop's records, a batch each.
    struct RunTable {
        let shard: Int64
        /// The loop's number.
        let loop: Int64
        /// Its rows, where a block has them: all that a replay reads, and the batch before.
        var prefetched: Rows?

        // 64 rows of at most 64 KiB and a record each.
        private static let page = 64

        // MARK: Writing

        static func insert(_ batch: RecordBatch, _ content: UnsafeRawBufferPointer, _ commit: inout Commit) {
            commit.added += Int64(content.count)
            commit.add(
                """
                INSERT INTO runs (shard, loop, sequence, part, epoch, last_sequence, last_part, count, checksum, content)
                VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
                """,
                [
                    .number(commit.shard), .number(batch.id), .bits(batch.first.sequence),
                    .number(Int64(batch.first.part)), .number(batch.epoch), .bits(batch.last.sequence),
                    .number(Int64(batch.last.part)), .number(Int64(batch.count)), .number(batch.checksum(content)),
                    .bytes(Array(content)),
                ])
        }

        /// Deletes batches from the first on whose records all stand before `boundary`, until `budget` records are
        /// deleted, which it counts down.
        ///
        /// - Parameter begin: The first batch: what the same commit has deleted already is still read.
        /// - Returns: The place of the first record then, and whether all batches before the boundary are deleted.
        func delete(
            from begin: RecordPlace, before boundary: RecordPlace, budget left: inout Int, _ session: Session,
            _ commit: inout Commit
        ) throws(JournalError) -> (first: RecordPlace, isDone: Bool) {
            let rows = try session.read(
                """
                SELECT sequence, part, epoch, last_sequence, last_part, count, length(content) FROM runs
                WHERE shard = $1 AND loop = $2 AND (sequence, part) >= ($3, $4) ORDER BY sequence, part LIMIT 257
                """, [.number(shard), .number(loop)] + Self.cursor(begin == .start ? nil : begin))
            var first: RecordBatch?
            for row in 0..<rows.rows {
                guard let batch = RecordBatch(rows, row, 0, loop: loop) else {
                    throw JournalError.damaged(session.url.shown, "a row of records is not what was written")
                }
                first = batch
                guard batch.last < boundary, left > 0 else { break }
                left -= min(left, batch.count)
                commit.added -= rows.number(row, 6)
            }
            guard let first else { return (boundary, true) }
            commit.add(
                "DELETE FROM runs WHERE shard = $1 AND loop = $2 AND (sequence, part) < ($3, $4)",
                [.number(shard), .number(loop), .bits(first.first.sequence), .number(Int64(first.first.part))])
            return (first.first, first.last >= boundary)
        }

        // MARK: Reading

        /// The place of the last batch that begins at or before `place`; that of the first one when all begin after it.
        func row(around place: RecordPlace, _ session: Session) throws(JournalError) -> RecordBatch? {
            if let prefetched {
                let index = (0..<prefetched.rows).last { !Self.follows(prefetched, $0, place) } ?? 0
                return index < prefetched.rows ? try batch(prefetched[index..<index + 1], session) : nil
            }
            let row = try session.read(
                """
                SELECT sequence, part, epoch, last_sequence, last_part, count FROM runs
                WHERE shard = $1 AND loop = $2 AND (sequence, part) <= ($3, $4)
                ORDER BY sequence DESC, part DESC LIMIT 1
                """, [.number(shard), .number(loop), .number(Self.clamped(place)), .number(Int64(place.part))])
            if row.rows > 0 { return try batch(row, session) }
            return try self.row(after: nil, session)
        }

        /// The first batch after a place; the first of all after `nil`.
        func row(after place: RecordPlace?, _ session: Session) throws(JournalError) -> RecordBatch? {
            let row = try session.read(
                """
                SELECT sequence, part, epoch, last_sequence, last_part, count FROM runs
                WHERE shard = $1 AND loop = $2 AND (sequence, part) > ($3, $4) ORDER BY sequence, part LIMIT 1
                """, [.number(shard), .number(loop)] + Self.cursor(place))
            return row.rows > 0 ? try batch(row, session) : nil
        }

        /// Visits the batches from the one at `first` on, with their content, until `visit` returns `false`.
        func visit(
            from first: RecordPlace?, _ session: Session, _ visit: (_ rows: Rows, _ row: Int) throws -> Bool
        ) throws {
            if let prefetched {
                for row in 0..<prefetched.rows where first.map({ !Self.precedes(prefetched, row, $0) }) ?? true {
                    guard try visit(prefetched, row) else { return }
                }
                return
            }
            var cursor = first
            var isFirst = true
            while true {
                let rows = try page(from: cursor, includes: isFirst, session)
                for row in 0..<rows.rows {
                    guard try visit(rows, row) else { return }
                }
                guard rows.rows == Self.page else { return }
                let last = rows.rows - 1
                cursor = RecordPlace(
                    sequence: UInt64(bitPattern: rows.number(last, 0)),
                    part: UInt32(truncatingIfNeeded: rows.number(last, 1)))
                isFirst = false
            }
        }

        /// The batches of each loop of a block, from a first one on.
        static func reading(
            _ loops: [Int64], from first: [(sequence: Int64, part: Int64)], shard: Int64
        ) -> SQLStatement {
            SQLStatement(
                """
                SELECT r.sequence, r.part, r.epoch, r.last_sequence, r.last_part, r.count, r.checksum, r.content, n.place
                FROM unnest($2, $3, $4) WITH ORDINALITY AS n(loop, sequence, part, place) CROSS JOIN LATERAL (
                    SELECT * FROM runs
                    WHERE shard = $1 AND loop = n.loop AND (sequence, part) >= (n.sequence, n.part)
                    ORDER BY sequence, part OFFSET 0
                ) r ORDER BY n.place, r.sequence, r.part
                """,
                [.number(shard), .numbers(loops), .numbers(first.map(\.sequence)), .numbers(first.map(\.part))])
        }

        private static func precedes(_ rows: Rows, _ row: Int, _ place: RecordPlace) -> Bool {
            (rows.number(row, 0), rows.number(row, 1)) < (clamped(place), Int64(place.part))
        }

        private static func follows(_ rows: Rows, _ row: Int, _ place: RecordPlace) -> Bool {
            (rows.number(row, 0), rows.number(row, 1)) > (clamped(place), Int64(place.part))
        }

        private func page(
            from cursor: RecordPlace?, includes: Bool, _ session: Session
        ) throws(JournalError) -> Rows {
            let values = [.number(shard), .number(loop)] + Self.cursor(cursor)
            if includes {
                return try session.read(
                    """
                    SELECT sequence, part, epoch, last_sequence, last_part, count, checksum, content FROM runs
                    WHERE shard = $1 AND loop = $2 AND (sequence, part) >= ($3, $4) ORDER BY sequence, part LIMIT 64
                    """, values)
            }
            return try session.read(
                """
                SELECT sequence, part, epoch, last_sequence, last_part, count, checksum, content FROM runs
                WHERE shard = $1 AND loop = $2 AND (sequence, part) > ($3, $4) ORDER BY sequence, part LIMIT 64
                """, values)
        }

        private func batch(_ row: Rows, _ session: Session) throws(JournalError) -> RecordBatch {
            guard let batch = RecordBatch(row, 0, 0, loop: loop) else {
                throw JournalError.damaged(session.url.shown, "a row of records is not what was written")
            }
            return batch
        }

        private static func cursor(_ place: RecordPlace?) -> [SQLStatement.Value] {
            guard let place else { return [.number(.min), .number(-1)] }
            return [.number(clamped(place)), .number(Int64(place.part))]
        }

        // Numbers of events are not negative, and rows are ordered by them.
        private static func clamped(_ place: RecordPlace) -> Int64 { Int64(clamping: place.sequence) }
    }
#endif
