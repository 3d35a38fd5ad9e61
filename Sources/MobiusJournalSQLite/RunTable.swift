import GRDB
import MobiusJournal
import MobiusWire

/// The rows of one loop's records.
struct RunTable {
    let path: String
    /// The loop's number.
    let loop: Int64

    // MARK: Writing, in the current transaction

    /// Inserts a row.
    static func insert(_ run: Run, _ content: UnsafeRawBufferPointer, _ database: Database) throws {
        let statement = try RawStatement(
            database, "INSERT INTO runs (\(Run.columns), content) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)")
        statement.bind(run.id, 1)
        statement.bind(run.epoch, 2)
        statement.bind(Int64(bitPattern: run.first.sequence), 3)
        statement.bind(Int64(run.first.part), 4)
        statement.bind(Int64(bitPattern: run.last.sequence), 5)
        statement.bind(Int64(run.last.part), 6)
        statement.bind(Int64(run.count), 7)
        statement.bind(run.checksum(content), 8)
        statement.bind(content, 9)
        defer { statement.reset() }
        try statement.run()
    }

    /// Deletes rows from the first on whose records all stand before `boundary`, until they held `budget` records.
    ///
    /// - Returns: The row that is the first now, and whether those before the boundary are gone.
    func delete(before boundary: RecordPlace, budget: Int, _ database: Database) throws -> (first: Run?, isDone: Bool) {
        let ids = Run.ids(of: loop)
        var (left, first): (Int, Run?) = (budget, nil)
        try visitHeaders(database) { run in
            first = run
            guard run.last < boundary, left > 0 else { return false }
            left -= run.count
            return true
        }
        guard let first else { return (nil, true) }
        let statement = try RawStatement(database, "DELETE FROM runs WHERE id >= ? AND id < ?")
        defer { statement.reset() }
        statement.bind(ids.lowerBound, 1)
        statement.bind(first.id, 2)
        try statement.run()
        return (first, first.last >= boundary)
    }

    // MARK: Reading

    /// The first row; `nil` where there is none.
    func first(_ database: Database) throws -> Run? {
        try header("ORDER BY id", Run.ids(of: loop), database)
    }

    /// The last row, made sure of with its content.
    func last(_ database: Database) throws -> Run? {
        try header("ORDER BY id DESC", Run.ids(of: loop), database) { run, statement in
            run.matchesChecksum(statement)
        }
    }

    /// The last row that begins at or before `place`; the first row when all begin behind it.
    ///
    /// Rows are in order and without gaps, so it halves them: what it finds in a damaged journal is wrong, as its reader will see.
    func row(around place: RecordPlace, _ database: Database) throws -> Run? {
        try partition(database) { $0.first <= place }
    }

    /// The last row that an epoch up to this one wrote; the first row when none did.
    func row(ofEpochUpTo epoch: Int64, _ database: Database) throws -> Run? {
        try partition(database) { $0.epoch <= epoch }
    }

    /// The row behind another one; `nil` when that was the last.
    func row(after run: Run, _ database: Database) throws -> Run? {
        guard run.id < Run.ids(of: loop).upperBound else { return nil }
        return try header("ORDER BY id", run.id + 1...Run.ids(of: loop).upperBound, database)
    }

    private func partition(_ database: Database, _ isEarly: (Run) -> Bool) throws -> Run? {
        let ids = Run.ids(of: loop)
        guard var low = try first(database), let last = try header("ORDER BY id DESC", ids, database) else {
            return nil
        }
        var high = last.id + 1
        while low.id + 1 < high {
            let middle = low.id + (high - low.id) / 2
            if let run = try header("ORDER BY id", middle...last.id, database), isEarly(run) {
                low = run
            } else {
                high = middle
            }
        }
        return low
    }

    /// Visits the rows from the first on, without their content, until it answers `false`.
    func visitHeaders(_ database: Database, _ visit: (Run) throws -> Bool) throws {
        try visitHeaders("ORDER BY id", database, visit)
    }

    /// The same from the last one back.
    func visitHeadersBackwards(_ database: Database, _ visit: (Run) throws -> Bool) throws {
        try visitHeaders("ORDER BY id DESC", database, visit)
    }

    private func visitHeaders(_ order: String, _ database: Database, _ visit: (Run) throws -> Bool) throws {
        let statement = try RawStatement(
            database, "SELECT \(Run.columns) FROM runs WHERE id >= ? AND id <= ? \(order)")
        defer { statement.reset() }
        statement.bind(Run.ids(of: loop).lowerBound, 1)
        statement.bind(Run.ids(of: loop).upperBound, 2)
        while try statement.next() {
            guard let run = Run(statement) else { throw impossible }
            guard try visit(run) else { return }
        }
    }

    /// How many records there are.
    func count(_ database: Database) throws -> Int {
        let statement = try RawStatement(database, "SELECT ifnull(sum(count), 0) FROM runs WHERE id >= ? AND id <= ?")
        defer { statement.reset() }
        statement.bind(Run.ids(of: loop).lowerBound, 1)
        statement.bind(Run.ids(of: loop).upperBound, 2)
        return try statement.next() ? Int(statement.number(0)) : 0
    }

    private func header(
        _ order: String, _ ids: ClosedRange<Int64>, _ database: Database,
        _ isSound: (Run, RawStatement) -> Bool = { _, _ in true }
    ) throws -> Run? {
        let statement = try RawStatement(
            database, "SELECT \(Run.columns), content FROM runs WHERE id >= ? AND id <= ? \(order) LIMIT 1")
        defer { statement.reset() }
        statement.bind(ids.lowerBound, 1)
        statement.bind(ids.upperBound, 2)
        guard try statement.next() else { return nil }
        guard let run = Run(statement), isSound(run, statement) else { throw impossible }
        return run
    }

    private var impossible: JournalError { .damaged(path, "a row of records is not what was written") }
}
