import GRDB
import MobiusJournal
import MobiusWire

/// The loops that have begun again after an end, and with which event.
///
/// It tells what an earlier life of a loop had asked for, after the records of the beginning are compacted away. Journals of
/// earlier programs get the table when they are opened; a reader that cannot write treats a missing table as an empty one.
enum BegunLoopTable {
    static let definition = """
        CREATE TABLE IF NOT EXISTS begun_loops (
            loop INTEGER PRIMARY KEY, sequence INTEGER NOT NULL, checksum INTEGER NOT NULL);
        """

    static func insert(_ sequence: UInt64, loop: Int64, _ database: Database) throws {
        let statement = try RawStatement(
            database, "INSERT OR REPLACE INTO begun_loops (loop, sequence, checksum) VALUES (?, ?, ?)")
        defer { statement.reset() }
        statement.bind(loop, 1)
        statement.bind(Int64(bitPattern: sequence), 2)
        statement.bind(checksum(sequence, loop: loop), 3)
        try statement.run()
    }

    static func delete(loop: Int64, _ database: Database) throws {
        try database.cachedStatement(sql: "DELETE FROM begun_loops WHERE loop = ?").execute(arguments: [loop])
    }

    /// The event with which the loop began last; 0 for a loop that has never ended.
    static func sequence(loop: Int64, _ database: Database, path: String) throws -> UInt64 {
        guard try exists(database) else { return 0 }
        let statement = try RawStatement(database, "SELECT sequence, checksum FROM begun_loops WHERE loop = ?")
        defer { statement.reset() }
        statement.bind(loop, 1)
        guard try statement.next() else { return 0 }
        let sequence = UInt64(bitPattern: statement.number(0))
        guard checksum(sequence, loop: loop) == statement.number(1) else {
            throw JournalError.damaged(path, "the row of a loop that began again is not what was written")
        }
        return sequence
    }

    private static func exists(_ database: Database) throws -> Bool {
        try JournalConnection.number(
            database, "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name = 'begun_loops'") > 0
    }

    private static func checksum(_ sequence: UInt64, loop: Int64) -> Int64 {
        var sum = RowChecksum()
        sum.add(loop)
        sum.add(sequence)
        return sum.value
    }
}
