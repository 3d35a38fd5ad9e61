package import MobiusJournal
package import MobiusJournalTables
package import MobiusWire

// What each database keeps in its own way: loops by name, records, outside keys.
extension PlainDatabase: JournalDatabase {
    package var shown: String { "in memory" }
    package var maximumLoop: Int64 { .max - 1 }
    package var knowsUsedBytes: Bool { false }

    package func firstRow(ofLoop number: Int64) -> Int64 { number }

    package func hasTable(_ name: String) -> Bool { true }

    package func read(_ statements: [SQLStatement]) -> [Rows] { statements.map { rows($0) } }

    private func query(_ sql: StaticString, _ values: SQLStatement.Value...) -> Rows { rows(SQLStatement(sql, values)) }

    // MARK: Loops

    package func find(_ loop: LoopID, shard: Int64) throws(JournalError) -> NumberedLoop? {
        let row = query(
            """
            SELECT l.id, l.first_sequence, l.first_part, l.checksum, i.loop FROM loops l
            LEFT JOIN idle_loops i ON i.shard = l.shard AND i.loop = l.id WHERE l.shard = $1 AND l.name = $2
            """, .number(shard), .text(loop.name))
        guard row.rows > 0 else { return nil }
        let (number, first) = (row.number(0, 0), try Loops.place(row, 0, 1, self))
        guard number >= 1, RowChecksum.loop(loop.name, first: first) == row.number(0, 3) else {
            throw Loops.broken(self)
        }
        var found = NumberedLoop(number: number, first: first, isIdle: !row.isNull(0, 4), nextRow: number)
        let last = query(
            """
            SELECT sequence, part, epoch, last_sequence, last_part, count, checksum, content FROM runs
            WHERE shard = $1 AND loop = $2 ORDER BY sequence DESC, part DESC LIMIT 1
            """, .number(shard), .number(number))
        guard last.rows > 0 else { return found }
        let batch = try batch(last, 0, number)
        guard batch.checksum(last.bytes(0, 7)) == last.number(0, 6) else { throw broken }
        found.last = batch.last
        return found
    }

    package func activeLoops(shard: Int64) throws(JournalError) -> [LoopID] {
        try IdleTable.active(
            query(
                """
                SELECT l.name, a.loop, a.checksum FROM active_loops a
                LEFT JOIN loops l ON l.shard = a.shard AND l.id = a.loop WHERE a.shard = $1 AND (l.name IS NULL
                    OR EXISTS (SELECT 1 FROM runs r WHERE r.shard = a.shard AND r.loop = a.loop)) ORDER BY a.loop
                """, .number(shard)), self)
    }

    package func loopPage(prefix: String, after: LoopID?, limit: Int, shard: Int64) -> Rows {
        query(
            """
            SELECT l.id, l.name, i.sequence, i.time, i.checksum FROM loops l
            LEFT JOIN idle_loops i ON i.shard = l.shard AND i.loop = l.id
            WHERE l.shard = $1 AND l.name >= $2 AND l.name > $3
                AND EXISTS (SELECT 1 FROM runs r WHERE r.shard = l.shard AND r.loop = l.id)
            ORDER BY l.name LIMIT $4
            """, .number(shard), .text(prefix), .text(after?.name ?? ""), .number(Int64(limit)))
    }

    package func loopsWithRecords(shard: Int64) -> Set<Int64> {
        let rows = query("SELECT DISTINCT loop FROM runs WHERE shard = $1", .number(shard))
        return Set((0..<rows.rows).map { rows.number($0, 0) })
    }

    package func leftovers(shard: Int64) -> [(loop: LoopID, number: Int64, end: RecordPlace)] {
        Loops.leftovers(
            query(
                """
                SELECT id, name, sequence, part FROM (
                    SELECT l.id, l.name, l.first_sequence, l.first_part, s.sequence, s.part, row_number() OVER (
                        PARTITION BY l.id ORDER BY s.sequence DESC, s.part DESC, s.id DESC) AS place
                    FROM active_loops a JOIN loops l ON l.shard = a.shard AND l.id = a.loop
                    JOIN snapshots s ON s.shard = l.shard AND s.loop = l.id WHERE a.shard = $1
                ) WHERE place = 2 AND (sequence, part) > (first_sequence, first_part)
                """, .number(shard)))
    }

    package func epochs(shard: Int64) -> [(epoch: Int64, build: String)] {
        let rows = query("SELECT epoch, build FROM epochs WHERE shard = $1 ORDER BY epoch", .number(shard))
        return (0..<rows.rows).map { (rows.number($0, 0), rows.text($0, 1) ?? "") }
    }

    // MARK: Records

    private var broken: JournalError { .damaged(shown, "a row of records is not what was written") }

    private func batch(_ rows: Rows, _ row: Int, _ loop: Int64) throws(JournalError) -> RecordBatch {
        let batch = RecordBatch(
            id: loop, epoch: rows.number(row, 2), sequence: rows.number(row, 0), part: rows.number(row, 1),
            lastSequence: rows.number(row, 3), lastPart: rows.number(row, 4), count: rows.number(row, 5))
        guard let batch else { throw broken }
        return batch
    }

    package func batch(around place: RecordPlace, loop: Int64, shard: Int64) throws(JournalError) -> RecordBatch? {
        let row = query(
            """
            SELECT sequence, part, epoch, last_sequence, last_part, count FROM runs
            WHERE shard = $1 AND loop = $2 AND (sequence, part) <= ($3, $4) ORDER BY sequence DESC, part DESC LIMIT 1
            """, .number(shard), .number(loop), .number(Int64(clamping: place.sequence)), .number(Int64(place.part)))
        return row.rows > 0 ? try batch(row, 0, loop) : try first(after: nil, loop: loop, shard: shard)
    }

    package func batch(after place: RecordPlace, loop: Int64, shard: Int64) throws(JournalError) -> RecordBatch? {
        try first(after: place, loop: loop, shard: shard)
    }

    private func first(after place: RecordPlace?, loop: Int64, shard: Int64) throws(JournalError) -> RecordBatch? {
        let (sequence, part) = place.map { (Int64(clamping: $0.sequence), Int64($0.part)) } ?? (-1, -1)
        let row = query(
            """
            SELECT sequence, part, epoch, last_sequence, last_part, count FROM runs
            WHERE shard = $1 AND loop = $2 AND (sequence, part) > ($3, $4) ORDER BY sequence, part LIMIT 1
            """, .number(shard), .number(loop), .number(sequence), .number(part))
        return row.rows > 0 ? try batch(row, 0, loop) : nil
    }

    package func visitBatches(
        around place: RecordPlace?, loop: Int64, shard: Int64, isReplay: Bool, _ visit: (StoredBatch) throws -> Bool
    ) throws {
        let first = try place.flatMap { try batch(around: $0, loop: loop, shard: shard)?.first } ?? .start
        let rows = query(
            """
            SELECT sequence, part, epoch, last_sequence, last_part, count, checksum, content FROM runs
            WHERE shard = $1 AND loop = $2 AND (sequence, part) >= ($3, $4) ORDER BY sequence, part
            """, .number(shard), .number(loop), .number(Int64(clamping: first.sequence)), .number(Int64(first.part)))
        for row in 0..<rows.rows {
            let stored = StoredBatch(
                try? batch(rows, row, loop), checksum: rows.number(row, 6), sequence: rows.number(row, 0),
                content: rows.bytes(row, 7))
            guard try withExtendedLifetime(rows, { try visit(stored) }) else { return }
        }
    }

    package func countRecords(loop: Int64, shard: Int64) -> Int {
        Int(
            query("SELECT sum(count) FROM runs WHERE shard = $1 AND loop = $2", .number(shard), .number(loop))
                .number(0, 0))
    }

    package func sequence(ofNewest count: Int, loop: Int64, shard: Int64) throws(JournalError) -> UInt64? {
        let rows = query(
            """
            SELECT sequence, part, epoch, last_sequence, last_part, count FROM runs
            WHERE shard = $1 AND loop = $2 ORDER BY sequence DESC, part DESC
            """, .number(shard), .number(loop))
        var missing = UInt64(count)
        for row in 0..<rows.rows {
            // The events of a batch have no gaps among their numbers.
            let batch = try batch(rows, row, loop)
            if batch.events >= missing { return batch.last.sequence - missing + 1 }
            missing -= batch.events
        }
        return nil
    }

    package func insert(_ batch: RecordBatch, _ content: UnsafeRawBufferPointer, _ commit: inout Commit) -> Int64 {
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
        return batch.id
    }

    package func deleteBatches(
        from begin: RecordPlace, before boundary: RecordPlace, loop: Int64, budget: inout Int, _ commit: inout Commit
    ) throws(JournalError) -> (first: RecordPlace, isDone: Bool) {
        let rows = query(
            """
            SELECT sequence, part, epoch, last_sequence, last_part, count, length(content) FROM runs
            WHERE shard = $1 AND loop = $2 AND (sequence, part) >= ($3, $4) ORDER BY sequence, part
            """, .number(commit.shard), .number(loop), .number(Int64(clamping: begin.sequence)),
            .number(Int64(begin.part)))
        var first: RecordBatch?
        for row in 0..<rows.rows {
            let batch = try batch(rows, row, loop)
            first = batch
            guard batch.last < boundary, budget > 0 else { break }
            budget -= min(budget, batch.count)
            commit.added -= rows.number(row, 6)
        }
        guard let first else { return (boundary, true) }
        commit.add(
            "DELETE FROM runs WHERE shard = $1 AND loop = $2 AND (sequence, part) < ($3, $4)",
            [.number(commit.shard), .number(loop), .bits(first.first.sequence), .number(Int64(first.first.part))])
        return (first.first, first.last >= boundary)
    }

    package func usedBytes(shard: Int64) -> Int64 {
        query(
            """
            SELECT (SELECT coalesce(sum(length(content)), 0) FROM runs WHERE shard = $1)
                + (SELECT coalesce(sum(length(model)), 0) FROM snapshots WHERE shard = $1)
            """, .number(shard)
        ).number(0, 0)
    }

    // MARK: Outside keys

    package func sequence(ofKey key: String, loop: Int64, shard: Int64) -> Int64? {
        let row = query(
            "SELECT sequence FROM outside_keys WHERE shard = $1 AND loop = $2 AND key = $3", .number(shard),
            .number(loop), .text(key))
        return row.rows > 0 ? row.number(0, 0) : nil
    }

    package func mark(ofKey key: String, loop: Int64, shard: Int64) -> SenderMark? {
        let row = query(
            "SELECT sequence, mark FROM outside_keys WHERE shard = $1 AND loop = $2 AND key = $3", .number(shard),
            .number(loop), .text(key))
        return row.rows > 0 ? SenderMark(row.array(0, 1), loop: loop, sequence: row.number(0, 0)) : nil
    }

    package func insert(key: String, loop: Int64, sequence: Int64, _ mark: SenderMark?, _ commit: inout Commit) {
        let bytes = Array(key.utf8)
        let sum = bytes.withUnsafeBytes { RowChecksum.outsideKey($0, loop: loop, sequence: sequence) }
        commit.add(
            """
            INSERT INTO outside_keys (shard, loop, key, sequence, checksum, mark) VALUES ($1, $2, $3, $4, $5, $6)
            ON CONFLICT (shard, loop, key) DO UPDATE
            SET sequence = excluded.sequence, checksum = excluded.checksum, mark = excluded.mark
            """,
            [
                .number(commit.shard), .number(loop), .utf8(bytes), .number(sequence), .number(sum),
                .bytes(mark?.bytes(loop: loop, sequence: sequence) ?? []),
            ])
    }

    package func newestKeys(_ limit: Int, loop: Int64, shard: Int64) throws(JournalError) -> [String] {
        let rows = query(
            """
            SELECT key, sequence, checksum FROM outside_keys WHERE shard = $1 AND loop = $2
            ORDER BY sequence DESC LIMIT $3
            """, .number(shard), .number(loop), .number(Int64(limit)))
        var keys: [String] = []
        for row in (0..<rows.rows).reversed() {
            let sum = RowChecksum.outsideKey(rows.bytes(row, 0), loop: loop, sequence: rows.number(row, 1))
            guard sum == rows.number(row, 2), let text = rows.text(row, 0) else {
                throw .damaged(shown, "an outside key is not what was written")
            }
            keys.append(text)
        }
        return keys
    }

    package func keyTrimmer(shard: Int64, limit: Int) -> any KeyTrimmer {
        PlainKeyTrimmer(self, shard: shard, limit: limit)
    }
}

/// Deletes the oldest outside keys of loops that have too many, with their replies, all at once.
private struct PlainKeyTrimmer: KeyTrimmer {
    private let database: PlainDatabase
    private let shard: Int64
    private let limit: Int
    private var loops: [Int64] = []

    init(_ database: PlainDatabase, shard: Int64, limit: Int) {
        (self.database, self.shard, self.limit) = (database, shard, limit)
    }

    var isIdle: Bool { loops.isEmpty }

    mutating func check(loop: Int64, last: UInt64) {
        if last >= UInt64(limit), !loops.contains(loop) { loops.append(loop) }
    }

    mutating func forget(_ loop: Int64) { loops.removeAll { $0 == loop } }

    mutating func step(_ budget: Int, _ commit: inout Commit) {
        guard let loop = loops.popLast() else { return }
        let oldest = database.rows(
            SQLStatement(
                """
                SELECT sequence FROM outside_keys WHERE shard = $1 AND loop = $2
                ORDER BY sequence DESC LIMIT 1 OFFSET $3
                """, [.number(shard), .number(loop), .number(Int64(limit - 1))]))
        guard oldest.rows > 0 else { return }
        let values: [SQLStatement.Value] = [.number(shard), .number(loop), .number(oldest.number(0, 0))]
        commit.add("DELETE FROM outside_keys WHERE shard = $1 AND loop = $2 AND sequence < $3", values)
        commit.add("DELETE FROM replies WHERE shard = $1 AND loop = $2 AND sequence < $3", values)
    }
}
