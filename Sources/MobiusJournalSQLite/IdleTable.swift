import MobiusJournal
import MobiusWire

/// Which loops a start must recover, and the last events of the others.
///
/// `active_loops` has a row for each loop that began, or was written since it was idle: so a commit costs more only when
/// it begins or wakes a loop. Rows of `idle_loops` are left behind when their loop wakes: they count only without one in
/// `active_loops`. Earlier programs of format 3 know none of these tables; `idle_totals` has the last epoch whose program
/// did, and if another one wrote since, all loops are active.
enum IdleTable {
    static let definition = """
        CREATE TABLE IF NOT EXISTS active_loops (loop INTEGER PRIMARY KEY, checksum INTEGER NOT NULL);
        CREATE TABLE IF NOT EXISTS idle_loops (
            loop INTEGER PRIMARY KEY, sequence INTEGER NOT NULL, time INTEGER NOT NULL, checksum INTEGER NOT NULL);
        CREATE TABLE IF NOT EXISTS idle_totals (
            id INTEGER PRIMARY KEY CHECK (id = 1), epoch INTEGER NOT NULL, loops INTEGER NOT NULL,
            events INTEGER NOT NULL, checksum INTEGER NOT NULL);
        """

    /// Stands for an unknown time.
    private static let unknownTime = Int64.min

    // MARK: The beginning of an epoch

    /// Makes the tables of a journal without them, and makes all loops active if `epoch` does not follow one of a program
    /// that keeps the tables; in the current transaction.
    static func prepare(_ database: Database, epoch: UInt64, path: String) throws {
        try database.execute(definition)
        var totals = IdleTotals()
        if let last = try self.totals(database, path: path), last.epoch == epoch - 1 {
            totals = last.totals
        } else {
            try database.run("DELETE FROM active_loops")
            for (_, number) in try LoopInterner(path: path).all(database) { try activate(number, database) }
        }
        try save(totals, epoch: epoch, database)
    }

    // MARK: Writing, in the current transaction

    /// Notes that a loop must be recovered.
    static func activate(_ loop: Int64, _ database: Database) throws {
        try database.run("INSERT OR REPLACE INTO active_loops (loop, checksum) VALUES (?, ?)", [loop, checksum(loop)])
    }

    /// Notes that a loop need not be recovered.
    static func park(_ idle: IdleLoop, loop: Int64, _ database: Database) throws {
        try database.run("DELETE FROM active_loops WHERE loop = ?", [loop])
        let (sequence, time) = (Int64(bitPattern: idle.sequence), idle.time?.milliseconds ?? unknownTime)
        try database.run(
            "INSERT OR REPLACE INTO idle_loops (loop, sequence, time, checksum) VALUES (?, ?, ?, ?)",
            [loop, sequence, time, checksum(loop, sequence, time)])
    }

    /// The loop is no longer in the journal.
    static func remove(loop: Int64, _ database: Database) throws {
        for table in ["active_loops", "idle_loops"] {
            try database.run("DELETE FROM \(table) WHERE loop = ?", [loop])
        }
    }

    /// Stores the totals.
    static func save(_ totals: IdleTotals, epoch: UInt64, _ database: Database) throws {
        let numbers = [epoch, totals.loops, totals.events].map(Int64.init(bitPattern:))
        try database.run(
            "INSERT OR REPLACE INTO idle_totals (id, epoch, loops, events, checksum) VALUES (1, ?, ?, ?, ?)",
            numbers + [checksum(numbers[0], numbers[1], numbers[2])])
    }

    // MARK: Reading

    /// The totals, and the last epoch that kept them.
    static func totals(_ database: Database, path: String) throws -> (epoch: UInt64, totals: IdleTotals)? {
        try database.first("SELECT epoch, loops, events, checksum FROM idle_totals") { row in
            let (epoch, loops, events) = (row.number(0), row.number(1), row.number(2))
            guard row.number(3) == checksum(epoch, loops, events) else { throw damaged(path) }
            let totals = IdleTotals(loops: UInt64(bitPattern: loops), events: UInt64(bitPattern: events))
            return (UInt64(bitPattern: epoch), totals)
        }
    }

    /// Whether the program of the last epoch kept the tables: else all loops are active.
    static func isValid(_ database: Database, path: String) throws -> Bool {
        guard try database.hasTable("idle_totals"), let last = try totals(database, path: path) else { return false }
        return try last.epoch == Epochs.all(database, path: path).last?.number
    }

    /// The numbers of the loops that must be recovered, in the order in which they were added.
    static func active(_ database: Database, path: String) throws -> [Int64] {
        try database.rows("SELECT loop, checksum FROM active_loops ORDER BY loop") { row in
            guard row.number(1) == checksum(row.number(0)) else { throw damaged(path) }
            return row.number(0)
        }
    }

    /// Whether a loop must be recovered.
    static func isActive(_ loop: Int64, _ database: Database) throws -> Bool {
        try database.number("SELECT 1 FROM active_loops WHERE loop = ?", [loop]) == 1
    }

    /// The loops behind `after` whose names begin with `prefix`, by name.
    static func page(
        prefix: String, after: LoopID?, limit: Int, _ database: Database, path: String
    ) throws -> [StoredLoop] {
        // One bound, because SQLite would begin at the first of two.
        let isBehind = after.map { !$0.name.utf8.lexicographicallyPrecedes(prefix.utf8) } ?? false
        var found: [StoredLoop] = []
        try database.visit(
            """
            SELECT l.id, l.name, a.loop, i.sequence, i.time, i.checksum FROM loops l
            LEFT JOIN active_loops a ON a.loop = l.id LEFT JOIN idle_loops i ON i.loop = l.id
            WHERE l.name \(isBehind ? ">" : ">=") ?1 ORDER BY l.name LIMIT ?2
            """, [isBehind ? after?.name ?? prefix : prefix, limit]
        ) { row in
            guard row.bytes(1).starts(with: prefix.utf8) else { return false }
            if let loop = try loop(row, path: path) { found.append(loop) }
            return true
        }
        return found
    }

    /// The loop of the current row; `nil` for one that is neither active nor idle.
    private static func loop(_ statement: Statement, path: String) throws -> StoredLoop? {
        guard let loop = statement.text(1).flatMap({ LoopID($0) }) else { throw damaged(path) }
        guard statement.isNull(2) else { return StoredLoop(loop: loop) }
        guard !statement.isNull(3) else { return nil }
        let (sequence, time) = (statement.number(3), statement.number(4))
        guard checksum(statement.number(0), sequence, time) == statement.number(5) else { throw damaged(path) }
        let idle = IdleLoop(
            loop: loop, sequence: UInt64(bitPattern: sequence),
            time: time == unknownTime ? nil : WallTime(milliseconds: time))
        return StoredLoop(loop: loop, idle: idle)
    }

    private static func damaged(_ path: String) -> JournalError {
        .damaged(path, "the row of an idle or active loop is not what was written")
    }

    private static func checksum(_ numbers: Int64...) -> Int64 {
        var sum = RowChecksum()
        for number in numbers { sum.add(number) }
        return sum.value
    }
}
