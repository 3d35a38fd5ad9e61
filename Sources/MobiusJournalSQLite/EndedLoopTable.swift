import GRDB
import MobiusJournal
import MobiusWire

/// The loops that have ended, by the times of their ends.
///
/// A row says what the note on the loop's end says, so that a start need not read the loop. Journals of earlier programs
/// get the table when they are opened; a reader that cannot write treats a missing table as an empty one.
enum EndedLoopTable {
    static let definition = """
        CREATE TABLE IF NOT EXISTS ended_loops (
            loop INTEGER PRIMARY KEY, sequence INTEGER NOT NULL, time INTEGER NOT NULL, again INTEGER NOT NULL,
            outstanding INTEGER NOT NULL, removing INTEGER NOT NULL DEFAULT 0, checksum INTEGER NOT NULL);
        CREATE INDEX IF NOT EXISTS ended_loops_order ON ended_loops (time, loop);
        """

    /// Whether the journal has the table.
    static func exists(_ database: Database) throws -> Bool {
        try JournalConnection.number(
            database, "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name = 'ended_loops'") > 0
    }

    static func insert(_ end: EndedLoop, loop: Int64, _ database: Database) throws {
        let statement = try RawStatement(
            database,
            "INSERT OR REPLACE INTO ended_loops (loop, sequence, time, again, outstanding, checksum) VALUES (?, ?, ?, ?, ?, ?)"
        )
        defer { statement.reset() }
        statement.bind(loop, 1)
        statement.bind(Int64(bitPattern: end.sequence), 2)
        statement.bind(end.time.milliseconds, 3)
        statement.bind(end.mayBeginAgain ? 1 : 0, 4)
        statement.bind(Int64(end.outstanding), 5)
        statement.bind(RowChecksum.end(end, loop: loop), 6)
        try statement.run()
    }

    static func delete(loop: Int64, _ database: Database) throws {
        try database.cachedStatement(sql: "DELETE FROM ended_loops WHERE loop = ?").execute(arguments: [loop])
    }

    /// The ends of all loops, or of one.
    static func all(_ database: Database, of one: Int64? = nil, path: String) throws -> [EndedLoop] {
        guard try exists(database) else { return [] }
        let statement = try RawStatement(
            database,
            """
            SELECT loop, sequence, time, again, outstanding, ended_loops.checksum, name FROM ended_loops
            JOIN loops ON loops.id = loop \(one == nil ? "" : "WHERE loop = ?") ORDER BY time, loop
            """)
        defer { statement.reset() }
        if let one { statement.bind(one, 1) }
        var ends: [EndedLoop] = []
        while try statement.next() {
            guard let loop = statement.text(6).flatMap({ LoopID($0) }),
                let outstanding = UInt32(exactly: statement.number(4))
            else { throw JournalError.damaged(path, "the row of an ended loop is not what was written") }
            let end = EndedLoop(
                loop: loop, sequence: UInt64(bitPattern: statement.number(1)),
                time: WallTime(milliseconds: statement.number(2)), mayBeginAgain: statement.number(3) == 1,
                outstanding: outstanding)
            guard RowChecksum.end(end, loop: statement.number(0)) == statement.number(5) else {
                throw JournalError.damaged(path, "the row of an ended loop is not what was written")
            }
            ends.append(end)
        }
        return ends
    }

    // MARK: Removing

    /// Whether a part of the loop was deleted.
    static func isRemoving(loop: Int64, _ database: Database) throws -> Bool {
        guard try exists(database) else { return false }
        let statement = try RawStatement(database, "SELECT removing FROM ended_loops WHERE loop = ?")
        defer { statement.reset() }
        statement.bind(loop, 1)
        return try statement.next() && statement.number(0) == 1
    }

    /// Deletes up to about `rows` rows of a loop; the name and the end go last.
    ///
    /// - Returns: whether nothing is left.
    static func remove(_ rows: Int, loop: Int64, _ database: Database) throws -> Bool {
        try database.cachedStatement(sql: "UPDATE ended_loops SET removing = 1 WHERE loop = ?").execute(
            arguments: [loop])
        var left = rows
        let ids = RecordBatch.ids(of: loop)
        // Rows of records have up to 64 KiB: a few of them are as much work as many keys.
        try database.cachedStatement(
            sql: "DELETE FROM runs WHERE id IN (SELECT id FROM runs WHERE id BETWEEN ? AND ? ORDER BY id LIMIT ?)"
        ).execute(arguments: [ids.lowerBound, ids.upperBound, max(1, left / 16)])
        left -= database.changesCount * 16
        for table in ["snapshots", "history", "dead_letters", "revived_letters", "crashes"] where left > 0 {
            try database.cachedStatement(
                sql: "DELETE FROM \(table) WHERE id IN (SELECT id FROM \(table) WHERE loop = ? LIMIT ?)"
            ).execute(arguments: [loop, left])
            left -= database.changesCount
        }
        // A later loop may get this one's number, so nothing of it may stay.
        for (table, column) in [("outside_keys", "key"), ("replies", "sequence")] {
            guard left > 0 else { return false }
            try database.cachedStatement(
                sql: """
                    DELETE FROM \(table) WHERE loop = ?1 AND \(column) IN
                        (SELECT \(column) FROM \(table) WHERE loop = ?1 LIMIT ?2)
                    """
            ).execute(arguments: [loop, left])
            left -= database.changesCount
        }
        guard left > 0 else { return false }
        try delete(loop: loop, database)
        try IdleTable.remove(loop: loop, database)
        try BegunLoopTable.delete(loop: loop, database)
        try database.cachedStatement(sql: "DELETE FROM loops WHERE id = ?").execute(arguments: [loop])
        return true
    }
}
