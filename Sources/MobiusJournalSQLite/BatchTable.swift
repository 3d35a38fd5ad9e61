import MobiusJournal
import MobiusWire

/// The rows of one loop's records, a batch each.
struct BatchTable {
    /// The loop's number.
    let loop: Int64

    // MARK: Writing, in the current transaction

    static func insert(_ batch: RecordBatch, _ content: UnsafeRawBufferPointer, _ database: Database) throws {
        let statement = try database.statement(
            "INSERT INTO runs (\(RecordBatch.columns), content) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)")
        statement.bind(batch.id, 1)
        statement.bind(batch.epoch, 2)
        statement.bind(Int64(bitPattern: batch.first.sequence), 3)
        statement.bind(Int64(batch.first.part), 4)
        statement.bind(Int64(bitPattern: batch.last.sequence), 5)
        statement.bind(Int64(batch.last.part), 6)
        statement.bind(Int64(batch.count), 7)
        statement.bind(batch.checksum(content), 8)
        statement.bind(content, 9)
        defer { statement.reset() }
        try statement.run()
    }

    /// Deletes batches from the first on whose records all stand before `boundary`, until the budget of records is used.
    ///
    /// - Returns: The batch that is the first now, and whether all batches before the boundary are deleted.
    func delete(before boundary: RecordPlace, budget left: inout Int, _ database: Database) throws -> (
        first: RecordBatch?, isDone: Bool
    ) {
        let ids = RecordBatch.ids(of: loop)
        var first: RecordBatch?
        try visitHeaders(database) { batch in
            first = batch
            guard batch.last < boundary, left > 0 else { return false }
            left -= min(left, batch.count)
            return true
        }
        guard let first else { return (nil, true) }
        try database.run("DELETE FROM runs WHERE id >= ? AND id < ?", [ids.lowerBound, first.id])
        return (first, first.last >= boundary)
    }

    // MARK: Reading

    /// The first batch; `nil` when there is none.
    func first(_ database: Database) throws -> RecordBatch? {
        try header("ORDER BY id", RecordBatch.ids(of: loop), database)
    }

    /// The last batch; its checksum is verified.
    func last(_ database: Database) throws -> RecordBatch? {
        try header("ORDER BY id DESC", RecordBatch.ids(of: loop), database) { batch, statement in
            batch.matchesChecksum(statement)
        }
    }

    /// The last batch that begins at or before `place`; the first batch when all begin after it.
    ///
    /// Batches are in order and without gaps, so this is a binary search. In a damaged journal its result is wrong,
    /// which the reader of the batch detects.
    func row(around place: RecordPlace, _ database: Database) throws -> RecordBatch? {
        try partition(database) { $0.first <= place }
    }

    /// The batch after another one; `nil` when that was the last.
    func row(after batch: RecordBatch, _ database: Database) throws -> RecordBatch? {
        guard batch.id < RecordBatch.ids(of: loop).upperBound else { return nil }
        return try header("ORDER BY id", batch.id + 1...RecordBatch.ids(of: loop).upperBound, database)
    }

    private func partition(_ database: Database, _ isEarly: (RecordBatch) -> Bool) throws -> RecordBatch? {
        let ids = RecordBatch.ids(of: loop)
        guard var low = try first(database), let last = try header("ORDER BY id DESC", ids, database) else {
            return nil
        }
        var high = last.id + 1
        while low.id + 1 < high {
            let middle = low.id + (high - low.id) / 2
            if let batch = try header("ORDER BY id", middle...last.id, database), isEarly(batch) {
                low = batch
            } else {
                high = middle
            }
        }
        return low
    }

    /// Visits the batches from the first on, without their content, until `visit` returns `false`.
    func visitHeaders(_ database: Database, _ visit: (RecordBatch) throws -> Bool) throws {
        try visitHeaders("ORDER BY id", database, visit)
    }

    /// The same, from the last batch back.
    func visitHeadersBackwards(_ database: Database, _ visit: (RecordBatch) throws -> Bool) throws {
        try visitHeaders("ORDER BY id DESC", database, visit)
    }

    private func visitHeaders(_ order: String, _ database: Database, _ visit: (RecordBatch) throws -> Bool) throws {
        let ids = RecordBatch.ids(of: loop)
        try database.visit(
            "SELECT \(RecordBatch.columns) FROM runs WHERE id >= ? AND id <= ? \(order)",
            [ids.lowerBound, ids.upperBound]
        ) { row in
            guard let batch = RecordBatch(row) else { throw corruptRow(database) }
            return try visit(batch)
        }
    }

    private func header(
        _ order: String, _ ids: ClosedRange<Int64>, _ database: Database,
        _ isSound: (RecordBatch, Statement) -> Bool = { _, _ in true }
    ) throws -> RecordBatch? {
        try database.first(
            "SELECT \(RecordBatch.columns), content FROM runs WHERE id >= ? AND id <= ? \(order) LIMIT 1",
            [ids.lowerBound, ids.upperBound]
        ) { row in
            guard let batch = RecordBatch(row), isSound(batch, row) else { throw corruptRow(database) }
            return batch
        }
    }

    private func corruptRow(_ database: Database) -> JournalError {
        .damaged(database.shown, "a row of records is not what was written")
    }
}
