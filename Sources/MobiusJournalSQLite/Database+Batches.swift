import MobiusJournal
import MobiusJournalTables
import MobiusWire

// What SQLite keeps in its own way.
extension Database {
    var maximumLoop: Int64 { RecordBatch.maximumLoop }

    func firstRow(ofLoop number: Int64) -> Int64 { RecordBatch.ids(of: number).lowerBound }

    func find(_ loop: LoopID, shard: Int64) throws(JournalError) -> NumberedLoop? {
        let row = try read(
            """
            SELECT l.id, l.first_sequence, l.first_part, l.checksum, i.loop FROM loops l
            LEFT JOIN idle_loops i ON i.shard = l.shard AND i.loop = l.id WHERE l.shard = $1 AND l.name = $2
            """, [.number(shard), .text(loop.name)])
        guard row.rows > 0 else {
            // Before the loop is treated as new: a row with a broken name might be this loop's.
            if !hasCheckedNames { _ = try Loops(shard: shard).all(self) }
            hasCheckedNames = true
            return nil
        }
        let (number, first) = (row.number(0, 0), try Loops.place(row, 0, 1, self))
        guard (1...maximumLoop).contains(number), RowChecksum.loop(loop.name, first: first) == row.number(0, 3) else {
            throw Loops.broken(self)
        }
        let batch = try JournalError.translating(shown) { try batches(of: number).last(self) }
        return NumberedLoop(
            number: number, first: first, last: batch?.last, isIdle: !row.isNull(0, 4),
            nextRow: batch.map { $0.id + 1 } ?? firstRow(ofLoop: number))
    }

    /// The name of the loop with this number; `nil` when there is none.
    func name(ofLoop number: Int64) throws(JournalError) -> LoopID? {
        let row = try read(
            "SELECT name FROM loops WHERE shard = $1 AND id = $2", [.number(Self.shard), .number(number)])
        return row.rows > 0 ? row.text(0, 0).flatMap { LoopID($0) } : nil
    }

    func activeLoops(shard: Int64) throws(JournalError) -> [LoopID] {
        try IdleTable.active(
            read(
                """
                SELECT l.name, a.loop, a.checksum FROM active_loops a
                LEFT JOIN loops l ON l.shard = a.shard AND l.id = a.loop
                WHERE a.shard = $1 AND (l.name IS NULL
                    OR EXISTS (SELECT 1 FROM runs WHERE id BETWEEN a.loop << $2 AND ((a.loop + 1) << $2) - 1))
                ORDER BY a.loop
                """, [.number(shard), .number(RecordBatch.bits)]), self)
    }

    func loopPage(
        prefix: String, after: LoopID?, limit: Int, shard: Int64
    ) throws(JournalError) -> Rows {
        // One bound, because SQLite would begin at the first of two.
        let isBehind = after.map { !$0.name.utf8.lexicographicallyPrecedes(prefix.utf8) } ?? false
        return try read(
            isBehind
                ? """
                SELECT l.id, l.name, i.sequence, i.time, i.checksum FROM loops l
                LEFT JOIN idle_loops i ON i.shard = l.shard AND i.loop = l.id
                WHERE l.shard = $1 AND l.name > $2
                    AND EXISTS (SELECT 1 FROM runs WHERE id BETWEEN l.id << $4 AND ((l.id + 1) << $4) - 1)
                ORDER BY l.name LIMIT $3
                """
                : """
                SELECT l.id, l.name, i.sequence, i.time, i.checksum FROM loops l
                LEFT JOIN idle_loops i ON i.shard = l.shard AND i.loop = l.id
                WHERE l.shard = $1 AND l.name >= $2
                    AND EXISTS (SELECT 1 FROM runs WHERE id BETWEEN l.id << $4 AND ((l.id + 1) << $4) - 1)
                ORDER BY l.name LIMIT $3
                """,
            [
                .number(shard), .text(isBehind ? after?.name ?? prefix : prefix), .number(Int64(limit)),
                .number(RecordBatch.bits),
            ])
    }

    func loopsWithRecords(shard: Int64) throws(JournalError) -> Set<Int64> {
        let numbers = try read(
            """
            SELECT id FROM loops l WHERE shard = $1
                AND EXISTS (SELECT 1 FROM runs WHERE id BETWEEN l.id << $2 AND ((l.id + 1) << $2) - 1)
            """, [.number(shard), .number(RecordBatch.bits)])
        return Set((0..<numbers.rows).map { numbers.number($0, 0) })
    }

    func epochs(shard: Int64) throws(JournalError) -> [(epoch: Int64, build: String)] {
        try JournalError.translating(shown) {
            try Epochs.all(self).map { (Int64(bitPattern: $0.number), $0.build) }
        }
    }

    func batch(around place: RecordPlace, loop: Int64, shard: Int64) throws(JournalError) -> RecordBatch? {
        try JournalError.translating(shown) { try batches(of: loop).row(around: place, self) }
    }

    func batch(after place: RecordPlace, loop: Int64, shard: Int64) throws(JournalError) -> RecordBatch? {
        try JournalError.translating(shown) {
            let table = batches(of: loop)
            guard let found = try table.row(around: place, self), found.first <= place else {
                return try table.first(self)
            }
            return try table.row(after: found, self)
        }
    }

    func visitBatches(
        around place: RecordPlace?, loop: Int64, shard: Int64, isReplay: Bool, _ visit: (StoredBatch) throws -> Bool
    ) throws {
        let ids = RecordBatch.ids(of: loop)
        let first = try place.flatMap { try batches(of: loop).row(around: $0, self)?.id }
        try self.visit(
            "SELECT \(RecordBatch.columns), content FROM runs WHERE id >= ? AND id <= ? ORDER BY id",
            [first ?? ids.lowerBound, ids.upperBound]
        ) { row in
            try visit(
                StoredBatch(RecordBatch(row), checksum: row.number(7), sequence: row.number(2), content: row.bytes(8)))
        }
    }

    func countRecords(loop: Int64, shard: Int64) throws(JournalError) -> Int {
        let ids = RecordBatch.ids(of: loop)
        return Int(
            try read(
                "SELECT coalesce(sum(count), 0) FROM runs WHERE id >= $1 AND id <= $2",
                [.number(ids.lowerBound), .number(ids.upperBound)]
            ).number(0, 0))
    }

    func sequence(ofNewest count: Int, loop: Int64, shard: Int64) throws(JournalError) -> UInt64? {
        var (left, found): (UInt64, UInt64?) = (UInt64(count), nil)
        try JournalError.translating(shown) {
            try batches(of: loop).visitHeadersBackwards(self) { batch in
                let events = batch.events
                if left <= events { found = batch.last.sequence - left + 1 }
                left -= min(left, events)
                return found == nil
            }
        }
        return found
    }

    func insert(
        _ batch: RecordBatch, _ content: UnsafeRawBufferPointer, _ commit: inout Commit
    ) throws(JournalError) -> Int64 {
        try JournalError.translating(shown) { try BatchTable.insert(batch, content, self) }
        return batch.id + 1
    }

    func insert(
        key: String, loop: Int64, sequence: Int64, _ mark: SenderMark?, _ commit: inout Commit
    ) throws(JournalError) {
        try JournalError.translating(shown) {
            try OutsideKeyTable.insert(key, loop: loop, sequence: sequence, mark, self)
        }
    }

    func sequence(ofKey key: String, loop: Int64, shard: Int64) throws(JournalError) -> Int64? {
        try JournalError.translating(shown) { try OutsideKeyTable.sequence(of: key, loop: loop, self) }
    }

    func mark(ofKey key: String, loop: Int64, shard: Int64) throws(JournalError) -> SenderMark? {
        try JournalError.translating(shown) { try OutsideKeyTable.mark(of: key, loop: loop, self) }
    }

    func deleteBatches(
        from begin: RecordPlace, before boundary: RecordPlace, loop: Int64, budget: inout Int,
        _ commit: inout Commit
    ) throws(JournalError) -> (first: RecordPlace, isDone: Bool) {
        try JournalError.translating(shown) {
            let (first, isDone) = try batches(of: loop).delete(before: boundary, budget: &budget, self)
            return (first?.first ?? boundary, isDone)
        }
    }

    func leftovers(shard: Int64) throws(JournalError) -> [(loop: LoopID, number: Int64, end: RecordPlace)] {
        let rows = try read(
            """
            SELECT l.id, l.name, s.sequence, s.part FROM active_loops a
            JOIN loops l ON l.shard = a.shard AND l.id = a.loop
            JOIN snapshots s ON s.shard = l.shard AND s.loop = l.id AND s.id = (
                SELECT id FROM snapshots WHERE shard = l.shard AND loop = l.id
                ORDER BY sequence DESC, part DESC, id DESC LIMIT 1 OFFSET 1)
            WHERE a.shard = $1 AND (s.sequence, s.part) > (l.first_sequence, l.first_part)
            """, [.number(shard)])
        return Loops.leftovers(rows)
    }

    /// The bytes of the file that are in use; SQLite knows them without reading.
    func usedBytes(shard: Int64) throws(JournalError) -> Int64 {
        try JournalError.translating(shown) {
            let pages = try number("PRAGMA page_count") - number("PRAGMA freelist_count")
            return try pages * number("PRAGMA page_size")
        }
    }

    var knowsUsedBytes: Bool { true }

    func keyTrimmer(shard: Int64, limit: Int) -> any KeyTrimmer { ScanningKeyTrimmer(self, limit: limit) }

    func newestKeys(_ limit: Int, loop: Int64, shard: Int64) throws(JournalError) -> [String] {
        try JournalError.translating(shown) { try OutsideKeyTable.newest(limit, loop: loop, self) }
    }

    private func batches(of loop: Int64) -> BatchTable { BatchTable(loop: loop) }
}
