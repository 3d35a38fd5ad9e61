import MobiusJournal
import MobiusWire

/// The outside keys that loops have applied, each with the last event that applied it.
struct OutsideKeyTable {
    private let statement: Statement

    /// Prepares the statement for inserts in the current transaction.
    init(_ database: Database) throws {
        statement = try database.statement(
            """
            INSERT INTO outside_keys (loop, key, sequence, checksum) VALUES (?, ?, ?, ?)
            ON CONFLICT DO UPDATE SET sequence = excluded.sequence, checksum = excluded.checksum
            """)
    }

    /// Inserts a key; a key that exists becomes the newest.
    func insert(_ key: UnsafeRawBufferPointer, loop: Int64, sequence: Int64) throws {
        statement.bind(loop, 1)
        statement.bindText(key, 2)
        statement.bind(sequence, 3)
        statement.bind(RowChecksum.outsideKey(key, loop: loop, sequence: sequence), 4)
        try statement.run()
    }

    /// The same for a key as text.
    func insert(_ key: String, loop: Int64, sequence: Int64) throws {
        var key = key
        try key.withUTF8 { try insert(UnsafeRawBufferPointer($0), loop: loop, sequence: sequence) }
    }

    /// The newest keys of a loop, oldest first.
    ///
    /// It reads only the loop's keys, so its cost depends on their number, not on the size of the journal.
    static func newest(_ limit: Int, loop: Int64, _ database: Database, path: String) throws -> [String] {
        let keys = try database.rows(
            "SELECT key, sequence, checksum FROM outside_keys WHERE loop = ? ORDER BY sequence DESC LIMIT ?",
            [loop, limit]
        ) { row in
            guard RowChecksum.outsideKey(row.bytes(0), loop: loop, sequence: row.number(1)) == row.number(2),
                let key = row.text(0)
            else { throw JournalError.damaged(path, "an outside key is not what was written") }
            return key
        }
        return keys.reversed()
    }

    /// The last event that applied a key.
    static func sequence(of key: String, loop: Int64, _ database: Database) throws -> Int64? {
        try database.first("SELECT sequence FROM outside_keys WHERE loop = ? AND key = ?", [loop, key]) { $0.number(0) }
    }
}
