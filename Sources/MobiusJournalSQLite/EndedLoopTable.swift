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

    static func insert(_ end: EndedLoop, loop: Int64, _ database: Database) throws {
        try database.run(
            "INSERT OR REPLACE INTO ended_loops (loop, sequence, time, again, outstanding, checksum) VALUES (?, ?, ?, ?, ?, ?)",
            [
                loop, end.sequence, end.time.milliseconds, end.mayBeginAgain ? 1 : 0, end.outstanding,
                RowChecksum.end(end, loop: loop),
            ])
    }

    static func delete(loop: Int64, _ database: Database) throws {
        try database.run("DELETE FROM ended_loops WHERE loop = ?", [loop])
    }

    /// The ends of all loops, or of one.
    static func all(_ database: Database, of one: Int64? = nil, path: String) throws -> [EndedLoop] {
        guard try database.hasTable("ended_loops") else { return [] }
        return try database.rows(
            """
            SELECT loop, sequence, time, again, outstanding, ended_loops.checksum, name, removing FROM ended_loops
            JOIN loops ON loops.id = loop \(one == nil ? "" : "WHERE loop = ?") ORDER BY time, loop
            """, one.map { [$0] } ?? []
        ) { row in
            guard let loop = row.text(6).flatMap({ LoopID($0) }), let outstanding = UInt32(exactly: row.number(4))
            else { throw JournalError.damaged(path, "the row of an ended loop is not what was written") }
            var end = EndedLoop(
                loop: loop, sequence: UInt64(bitPattern: row.number(1)), time: WallTime(milliseconds: row.number(2)),
                mayBeginAgain: row.number(3) == 1, outstanding: outstanding)
            guard RowChecksum.end(end, loop: row.number(0)) == row.number(5) else {
                throw JournalError.damaged(path, "the row of an ended loop is not what was written")
            }
            end.isRemoving = row.number(7) == 1
            return end
        }
    }

    // MARK: Removing

    /// Whether a part of the loop was deleted.
    static func isRemoving(loop: Int64, _ database: Database) throws -> Bool {
        guard try database.hasTable("ended_loops") else { return false }
        return try database.number("SELECT removing FROM ended_loops WHERE loop = ?", [loop]) == 1
    }

    /// Deletes up to about `rows` rows of a loop; the name and the end go last.
    ///
    /// - Returns: whether nothing is left.
    static func remove(_ rows: Int, loop: Int64, _ database: Database, path: String) throws -> Bool {
        try database.run("UPDATE ended_loops SET removing = 1 WHERE loop = ?", [loop])
        var left = rows
        let ids = RecordBatch.ids(of: loop)
        // Rows of records have up to 64 KiB: a few of them are as much work as many keys.
        try database.run(
            "DELETE FROM runs WHERE id IN (SELECT id FROM runs WHERE id BETWEEN ? AND ? ORDER BY id LIMIT ?)",
            [ids.lowerBound, ids.upperBound, max(1, left / 16)])
        left -= database.changes * 16
        for table in ["snapshots", "history", "dead_letters", "revived_letters", "crashes"] where left > 0 {
            try database.run(
                "DELETE FROM \(table) WHERE id IN (SELECT id FROM \(table) WHERE loop = ? LIMIT ?)", [loop, left])
            left -= database.changes
        }
        // A later loop may get this one's number, so nothing of it may stay.
        for (table, column) in [("outside_keys", "key"), ("replies", "sequence")] {
            guard left > 0 else { return false }
            try database.run(
                """
                DELETE FROM \(table) WHERE loop = ?1 AND \(column) IN
                    (SELECT \(column) FROM \(table) WHERE loop = ?1 LIMIT ?2)
                """, [loop, left])
            left -= database.changes
        }
        guard left > 0 else { return false }
        for end in try all(database, of: loop, path: path) {
            try BegunLoopTable.raiseNewLoops(to: end.sequence + 1, database, path: path)
        }
        try delete(loop: loop, database)
        try IdleTable.remove(loop: loop, database)
        try BegunLoopTable.delete(loop: loop, database)
        try database.run("DELETE FROM loops WHERE id = ?", [loop])
        return true
    }
}
