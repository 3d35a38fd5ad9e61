import MobiusJournal
import MobiusJournalTables
import MobiusWire

/// The outside keys that loops have applied, each with the last event that applied it.
enum OutsideKeyTable {
    /// Inserts a key, in the current transaction; a key that exists becomes the newest.
    static func insert(
        _ key: String, loop: Int64, sequence: Int64, _ mark: SenderMark?, _ database: Database
    ) throws {
        let statement = try database.statement(insertion)
        defer { statement.reset() }
        var key = key
        let mark = mark?.bytes(loop: loop, sequence: sequence) ?? []
        try key.withUTF8 { bytes in
            let key = UnsafeRawBufferPointer(bytes)
            statement.bind(loop, 1)
            statement.bindText(key, 2)
            statement.bind(sequence, 3)
            statement.bind(RowChecksum.outsideKey(key, loop: loop, sequence: sequence), 4)
            try mark.withUnsafeBytes { mark in
                statement.bind(mark, 5)
                try statement.run()
            }
        }
    }

    private static let insertion: StaticString = """
        INSERT INTO outside_keys (shard, loop, key, sequence, checksum, mark) VALUES (0, $1, $2, $3, $4, $5)
        ON CONFLICT DO UPDATE SET sequence = excluded.sequence, checksum = excluded.checksum, mark = excluded.mark
        """

    /// The mark of a key's sender; `nil` without one.
    static func mark(of key: String, loop: Int64, _ database: Database) throws -> SenderMark? {
        try database.first(
            "SELECT sequence, mark FROM outside_keys WHERE shard = ? AND loop = ? AND key = ?",
            [Database.shard, loop, key]
        ) {
            SenderMark($0.bytes(1), loop: loop, sequence: $0.number(0))
        }
    }

    /// The newest keys of a loop, oldest first.
    ///
    /// It reads only the loop's keys, so its cost depends on their number, not on the size of the journal.
    static func newest(_ limit: Int, loop: Int64, _ database: Database) throws -> [String] {
        let keys = try database.rows(
            "SELECT key, sequence, checksum FROM outside_keys WHERE shard = ? AND loop = ? ORDER BY sequence DESC LIMIT ?",
            [Database.shard, loop, limit]
        ) { row in
            guard RowChecksum.outsideKey(row.bytes(0), loop: loop, sequence: row.number(1)) == row.number(2),
                let key = row.text(0)
            else { throw JournalError.damaged(database.shown, "an outside key is not what was written") }
            return key
        }
        return keys.reversed()
    }

    /// The last event that applied a key.
    static func sequence(of key: String, loop: Int64, _ database: Database) throws -> Int64? {
        try database.first(
            "SELECT sequence FROM outside_keys WHERE shard = ? AND loop = ? AND key = ?", [Database.shard, loop, key]
        ) { $0.number(0) }
    }
}
