import MobiusJournal
import MobiusJournalTables
import MobiusWire

/// A loop's number in the journal, and the places of its first and last record.
struct NumberedLoop {
    /// The loop's number, from 1.
    let number: Int64
    /// The first record that compaction has kept; the place of the start if it has deleted none.
    var first = RecordPlace.start
    /// The last record; `nil` before the start.
    var last: RecordPlace?
    /// The id of the next batch.
    var nextRow: Int64
    /// Whether a start need not recover it.
    var isIdle = false

    /// A loop without records.
    init(number: Int64, first: RecordPlace = .start) {
        self.number = number
        self.first = first
        nextRow = RecordBatch.ids(of: number).lowerBound
    }
}

/// Maps loops to their numbers; caches the active loops that this process has used.
struct LoopInterner {
    let path: String
    /// The number of idle loops, and what the file says of it.
    var totals = IdleTotals()
    var savedTotals = IdleTotals()
    private var loops: [LoopID: NumberedLoop] = [:]
    /// The idle loop that was found last: what reads one loop asks for it several times.
    private var lastIdle: (loop: LoopID, numbered: NumberedLoop)?
    private var isVerified = false

    init(path: String) {
        self.path = path
    }

    /// Finds a loop; `nil` when the journal has no loop of that name.
    ///
    /// The checksum of its last batch is verified; a missing batch before it is found when the loop is read.
    mutating func find(_ loop: LoopID, _ database: Database) throws -> NumberedLoop? {
        if let known = loops[loop] { return known }
        if let lastIdle, lastIdle.loop == loop { return lastIdle.numbered }
        guard var found = try row(of: loop, database) else { return nil }
        if let batch = try BatchTable(path: path, loop: found.number).last(database) {
            found.last = batch.last
            found.nextRow = batch.id + 1
        }
        found.isIdle = try IdleTable.isIdle(found.number, database)
        if found.isIdle { lastIdle = (loop, found) } else { loops[loop] = found }
        return found
    }

    /// Whether a loop is stored and active, and this process has used it.
    func hasTouched(_ loop: LoopID) -> Bool { loops[loop] != nil }

    /// Finds a loop, or inserts it with the next number; its first record will be at `first`.
    mutating func findOrAdd(_ loop: LoopID, first: RecordPlace, _ database: Database) throws -> NumberedLoop {
        if let found = try find(loop, database) { return found }
        try database.run(
            "INSERT INTO loops (shard, name, first_sequence, first_part, checksum) VALUES (?, ?, ?, 0, ?)",
            [Database.shard, loop.name, first.sequence, RowChecksum.loop(loop.name, first: first)])
        let added = NumberedLoop(number: database.lastRow, first: first)
        guard added.number <= RecordBatch.maximumLoop else {
            throw JournalError(.notWritable, "The journal \(path) has no room for more loops: begin another one.")
        }
        try database.perform { IdleTable.activate(added.number, &$0) }
        update(loop, added)
        return added
    }

    /// Removes a loop from the cache: it is idle, or no longer in the journal.
    mutating func forget(_ loop: LoopID) {
        loops[loop] = nil
        lastIdle = nil
    }

    /// Stores where the loop's records end now.
    mutating func update(_ loop: LoopID, _ numbered: NumberedLoop) {
        loops[loop] = numbered
        lastIdle = nil
    }

    /// Every loop and its number, in the order in which they were added; also loops without records.
    func all(_ database: Database) throws -> [(loop: LoopID, number: Int64)] {
        try database.rows("SELECT id, name, first_sequence, first_part, checksum FROM loops NOT INDEXED ORDER BY id") {
            try current($0)
        }
    }

    /// The loop of the current row, whose columns are id, name, first place and checksum.
    func current(_ statement: Statement) throws -> (loop: LoopID, number: Int64) {
        guard let name = statement.text(1), let loop = LoopID(name), isNumber(statement.number(0)),
            RowChecksum.loop(name, first: try place(statement, 2)) == statement.number(4)
        else { throw brokenName }
        return (loop, statement.number(0))
    }

    /// Stores the first record that compaction has kept, in the current transaction.
    mutating func setFirst(_ first: RecordPlace, of loop: LoopID, _ database: Database) throws {
        guard let numbered = try find(loop, database), numbered.first != first else { return }
        try database.run(
            "UPDATE loops SET first_sequence = ?, first_part = ?, checksum = ? WHERE id = ?",
            [first.sequence, first.part, RowChecksum.loop(loop.name, first: first), numbered.number])
        loops[loop]?.first = first
        lastIdle = nil
    }

    private mutating func row(of loop: LoopID, _ database: Database) throws -> NumberedLoop? {
        let found: (row: NumberedLoop, sum: Int64)? = try database.first(
            "SELECT id, first_sequence, first_part, checksum FROM loops WHERE shard = ? AND name = ?",
            [Database.shard, loop.name]
        ) { row in
            guard isNumber(row.number(0)) else { throw brokenName }
            return (NumberedLoop(number: row.number(0), first: try place(row, 1)), row.number(3))
        }
        guard let found else {
            // Before the loop is treated as new: a row with a broken name might be this loop's.
            if !isVerified { _ = try all(database) }
            isVerified = true
            return nil
        }
        guard found.sum == RowChecksum.loop(loop.name, first: found.row.first) else { throw brokenName }
        return found.row
    }

    private func place(_ statement: Statement, _ column: CInt) throws(JournalError) -> RecordPlace {
        guard let sequence = UInt64(exactly: statement.number(column)),
            let part = UInt32(exactly: statement.number(column + 1))
        else { throw JournalError.damaged(path, "a record has an impossible place") }
        return RecordPlace(sequence: sequence, part: part)
    }

    /// Whether `number` fits into the ids of batches; no checksum covers it.
    private func isNumber(_ number: Int64) -> Bool { number >= 1 && number <= RecordBatch.maximumLoop }

    private var brokenName: JournalError { .damaged(path, "the row of a loop is not what was written") }
}
