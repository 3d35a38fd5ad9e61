import MobiusJournal
import MobiusWire

/// The loops that have begun with an event after 0, and with which one: because they had ended, or others were removed.
///
/// The row of loop 0, which is none, has the number with which the next new loop begins.
///
/// It tells what an earlier life of a loop had asked for, after the records of the beginning are compacted away. Journals of
/// earlier programs get the table when they are opened; a reader that cannot write treats a missing table as an empty one.
enum BegunLoopTable {
    static let definition = """
        CREATE TABLE IF NOT EXISTS begun_loops (
            loop INTEGER PRIMARY KEY, sequence INTEGER NOT NULL, checksum INTEGER NOT NULL);
        """

    static func insert(_ sequence: UInt64, loop: Int64, _ database: Database) throws {
        try database.run(
            "INSERT OR REPLACE INTO begun_loops (loop, sequence, checksum) VALUES (?, ?, ?)",
            [loop, sequence, checksum(sequence, loop: loop)])
    }

    static func delete(loop: Int64, _ database: Database) throws {
        try database.run("DELETE FROM begun_loops WHERE loop = ?", [loop])
    }

    /// The number of a new loop's first event.
    static func newLoops(_ database: Database, path: String) throws -> UInt64 {
        try sequence(loop: 0, database, path: path)
    }

    /// Lets new loops begin with this number at least.
    static func raiseNewLoops(to number: UInt64, _ database: Database, path: String) throws {
        guard try newLoops(database, path: path) < number else { return }
        try insert(number, loop: 0, database)
    }

    /// The event with which the loop began last; 0 for the usual one.
    static func sequence(loop: Int64, _ database: Database, path: String) throws -> UInt64 {
        guard try database.hasTable("begun_loops") else { return 0 }
        let found = try database.first("SELECT sequence, checksum FROM begun_loops WHERE loop = ?", [loop]) { row in
            let sequence = UInt64(bitPattern: row.number(0))
            guard checksum(sequence, loop: loop) == row.number(1) else {
                throw JournalError.damaged(path, "the row of a loop that began again is not what was written")
            }
            return sequence
        }
        return found ?? 0
    }

    private static func checksum(_ sequence: UInt64, loop: Int64) -> Int64 {
        var sum = RowChecksum()
        sum.add(loop)
        sum.add(sequence)
        return sum.value
    }
}
