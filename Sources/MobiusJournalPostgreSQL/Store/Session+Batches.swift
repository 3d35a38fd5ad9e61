#if PostgreSQL
    import MobiusJournal
    import MobiusJournalTables
    import MobiusWire

    // What PostgreSQL keeps in its own way.
    extension Session {
        var maximumLoop: Int64 { .max - 1 }

        func firstRow(ofLoop number: Int64) -> Int64 { number }

        func find(_ loop: LoopID, shard: Int64) throws(JournalError) -> NumberedLoop? {
            let row = try row(of: loop, shard: shard)
            guard row.rows > 0 else { return nil }
            let (number, first) = (row.number(0, 0), try Loops.place(row, 0, 1, self))
            guard number >= 1, RowChecksum.loop(loop.name, first: first) == row.number(0, 3) else {
                throw Loops.broken(self)
            }
            var found = NumberedLoop(number: number, first: first, isIdle: !row.isNull(0, 12), nextRow: number)
            if !row.isNull(0, 4) {
                guard let batch = RecordBatch(row, 0, 4, loop: number), batch.matchesChecksum(row, 0, 4) else {
                    throw JournalError.damaged(shown, "a row of records is not what was written")
                }
                found.last = batch.last
            }
            return found
        }

        private func row(of loop: LoopID, shard: Int64) throws(JournalError) -> Rows {
            if let rows = try prefetch.rows(of: loop, shard: shard, self) { return rows.loop }
            return try read(
                """
                SELECT l.id, l.first_sequence, l.first_part, l.checksum, r.sequence, r.part, r.epoch, r.last_sequence,
                    r.last_part, r.count, r.checksum, r.content, i.loop
                FROM loops l LEFT JOIN idle_loops i ON i.shard = l.shard AND i.loop = l.id LEFT JOIN LATERAL (
                    SELECT * FROM runs WHERE shard = l.shard AND loop = l.id ORDER BY sequence DESC, part DESC LIMIT 1
                ) r ON true WHERE l.shard = $1 AND l.name = $2
                """, [.number(shard), .text(loop.name)])
        }

        func activeLoops(shard: Int64) throws(JournalError) -> [LoopID] {
            try IdleTable.active(
                read(
                    """
                    SELECT l.name, a.loop, a.checksum FROM active_loops a
                    LEFT JOIN loops l ON l.shard = a.shard AND l.id = a.loop
                    WHERE a.shard = $1 AND (l.name IS NULL
                        OR EXISTS (SELECT 1 FROM runs r WHERE r.shard = a.shard AND r.loop = a.loop)) ORDER BY a.loop
                    """, [.number(shard)]), self)
        }

        func loopPage(prefix: String, after: LoopID?, limit: Int, shard: Int64) throws(JournalError) -> Rows {
            try read(
                """
                SELECT l.id, l.name, i.sequence, i.time, i.checksum FROM loops l
                LEFT JOIN idle_loops i ON i.shard = l.shard AND i.loop = l.id
                WHERE l.shard = $1 AND l.name >= $2 AND l.name > $3
                    AND EXISTS (SELECT 1 FROM runs r WHERE r.shard = l.shard AND r.loop = l.id)
                ORDER BY l.name LIMIT $4
                """, [.number(shard), .text(prefix), .text(after?.name ?? ""), .number(Int64(limit))])
        }

        func loopsWithRecords(shard: Int64) throws(JournalError) -> Set<Int64> {
            let begun = try read(
                """
                SELECT l.id FROM loops l WHERE l.shard = $1
                    AND EXISTS (SELECT 1 FROM runs r WHERE r.shard = l.shard AND r.loop = l.id)
                """, [.number(shard)])
            return Set((0..<begun.rows).map { begun.number($0, 0) })
        }

        func epochs(shard: Int64) throws(JournalError) -> [(epoch: Int64, build: String)] {
            try Epochs.all(shard: shard, self)
        }

        func batch(around place: RecordPlace, loop: Int64, shard: Int64) throws(JournalError) -> RecordBatch? {
            try RunTable(shard: shard, loop: loop).row(around: place, self)
        }

        func batch(after place: RecordPlace, loop: Int64, shard: Int64) throws(JournalError) -> RecordBatch? {
            try RunTable(shard: shard, loop: loop).row(after: place, self)
        }

        func visitBatches(
            around place: RecordPlace?, loop: Int64, shard: Int64, isReplay: Bool,
            _ visit: (StoredBatch) throws -> Bool
        ) throws {
            let table = RunTable(shard: shard, loop: loop, prefetched: isReplay ? prefetch[loop]?.runs : nil)
            let first = try place.flatMap { try table.row(around: $0, self)?.first }
            try table.visit(from: first, self) { rows, row in
                try withExtendedLifetime(rows) {
                    try visit(
                        StoredBatch(
                            RecordBatch(rows, row, 0, loop: loop), checksum: rows.number(row, 6),
                            sequence: rows.number(row, 0), content: rows.bytes(row, 7)))
                }
            }
        }

        func countRecords(loop: Int64, shard: Int64) throws(JournalError) -> Int {
            Int(
                try read(
                    "SELECT coalesce(sum(count), 0)::bigint FROM runs WHERE shard = $1 AND loop = $2",
                    [.number(shard), .number(loop)]
                ).number(0, 0))
        }

        func sequence(ofNewest count: Int, loop: Int64, shard: Int64) throws(JournalError) -> UInt64? {
            // The events of a batch have no gaps among their numbers.
            let row = try read(
                """
                SELECT (last_sequence - ($3 - before) + 1)::bigint FROM (
                    SELECT last_sequence, sequence, events,
                        sum(events) OVER (ORDER BY sequence DESC, part DESC) - events AS before
                    FROM (SELECT *, last_sequence - sequence + CASE part WHEN 0 THEN 1 ELSE 0 END AS events
                        FROM runs WHERE shard = $1 AND loop = $2) batches
                ) sums WHERE before < $3 AND before + events >= $3 LIMIT 1
                """, [.number(shard), .number(loop), .number(Int64(count))])
            return row.rows > 0 ? UInt64(bitPattern: row.number(0, 0)) : nil
        }

        func sequence(ofKey key: String, loop: Int64, shard: Int64) throws(JournalError) -> Int64? {
            try KeyTable.sequence(of: key, loop: loop, shard: shard, self)
        }

        func mark(ofKey key: String, loop: Int64, shard: Int64) throws(JournalError) -> SenderMark? {
            try KeyTable.mark(of: key, loop: loop, shard: shard, self)
        }

        func insert(
            _ batch: RecordBatch, _ content: UnsafeRawBufferPointer, _ commit: inout Commit
        ) throws(JournalError) -> Int64 {
            RunTable.insert(batch, content, &commit)
            return batch.id
        }

        func insert(
            key: String, loop: Int64, sequence: Int64, _ mark: SenderMark?, _ commit: inout Commit
        ) throws(JournalError) {
            KeyTable.insert(key, loop: loop, sequence: sequence, mark, &commit)
        }

        func deleteBatches(
            from begin: RecordPlace, before boundary: RecordPlace, loop: Int64, budget: inout Int,
            _ commit: inout Commit
        ) throws(JournalError) -> (first: RecordPlace, isDone: Bool) {
            try RunTable(shard: commit.shard, loop: loop).delete(
                from: begin, before: boundary, budget: &budget, self, &commit)
        }

        func leftovers(shard: Int64) throws(JournalError) -> [(loop: LoopID, number: Int64, end: RecordPlace)] {
            let rows = try read(
                """
                SELECT l.id, l.name, s.sequence, s.part FROM active_loops a
                JOIN loops l ON l.shard = a.shard AND l.id = a.loop CROSS JOIN LATERAL (
                    SELECT sequence, part FROM snapshots WHERE shard = l.shard AND loop = l.id
                    ORDER BY sequence DESC, part DESC, id DESC LIMIT 1 OFFSET 1
                ) s WHERE a.shard = $1 AND (s.sequence, s.part) > (l.first_sequence, l.first_part)
                """, [.number(shard)])
            return Loops.leftovers(rows)
        }

        /// The bytes of all records and models: without reading them, because large values are stored beside their rows.
        func usedBytes(shard: Int64) throws(JournalError) -> Int64 {
            try read(
                """
                SELECT (SELECT coalesce(sum(length(content)), 0)::bigint FROM runs WHERE shard = $1)
                    + (SELECT coalesce(sum(length(model)), 0)::bigint FROM snapshots WHERE shard = $1)
                """, [.number(shard)]
            ).number(0, 0)
        }

        var knowsUsedBytes: Bool { false }

        func keyTrimmer(shard: Int64, limit: Int) -> any KeyTrimmer {
            SortedKeyTrimmer(self, shard: shard, limit: limit)
        }

        func newestKeys(_ limit: Int, loop: Int64, shard: Int64) throws(JournalError) -> [String] {
            try KeyTable.newest(limit, loop: loop, shard: shard, self)
        }
    }
#endif
