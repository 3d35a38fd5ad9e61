import GRDB
import MobiusJournal

/// The events that a replay leaves out.
enum SkippedTable {
    /// Adds one in the current transaction.
    static func insert(_ sequence: UInt64, loop: Int64, _ database: Database) throws {
        let statement = try RawStatement(
            database, "INSERT OR REPLACE INTO skipped (loop, sequence, checksum) VALUES (?, ?, ?)")
        defer { statement.reset() }
        statement.bind(loop, 1)
        statement.bind(Int64(bitPattern: sequence), 2)
        statement.bind(checksum(sequence, loop: loop), 3)
        try statement.run()
    }

    /// Those of one loop.
    static func all(loop: Int64, _ database: Database, path: String) throws -> Set<UInt64> {
        let statement = try RawStatement(database, "SELECT sequence, checksum FROM skipped WHERE loop = ?")
        defer { statement.reset() }
        statement.bind(loop, 1)
        var skipped: Set<UInt64> = []
        while try statement.next() {
            let sequence = UInt64(bitPattern: statement.number(0))
            guard checksum(sequence, loop: loop) == statement.number(1) else {
                throw JournalError.damaged(path, "a skipped event is not what was written")
            }
            skipped.insert(sequence)
        }
        return skipped
    }

    private static func checksum(_ sequence: UInt64, loop: Int64) -> Int64 {
        var sum = RowChecksum()
        sum.add(loop)
        sum.add(sequence)
        return sum.value
    }
}
