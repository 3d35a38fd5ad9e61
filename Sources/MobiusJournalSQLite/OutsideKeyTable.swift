import MobiusJournal
import MobiusWire

/// The outside keys that loops have applied, each with the last event that applied it.
struct OutsideKeyTable {
    private let statement: Statement

    /// Prepares the statement for inserts in the current transaction.
    init(_ database: Database) throws {
        statement = try database.statement(
            """
            INSERT INTO outside_keys (shard, loop, key, sequence, checksum, mark) VALUES (\(Database.shard), ?, ?, ?, ?, ?)
            ON CONFLICT DO UPDATE SET sequence = excluded.sequence, checksum = excluded.checksum, mark = excluded.mark
            """)
    }

    /// Inserts a key; a key that exists becomes the newest.
    func insert(_ key: String, loop: Int64, sequence: Int64, _ mark: SenderMark?) throws {
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
    static func newest(_ limit: Int, loop: Int64, _ database: Database, path: String) throws -> [String] {
        let keys = try database.rows(
            "SELECT key, sequence, checksum FROM outside_keys WHERE shard = ? AND loop = ? ORDER BY sequence DESC LIMIT ?",
            [Database.shard, loop, limit]
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
        try database.first(
            "SELECT sequence FROM outside_keys WHERE shard = ? AND loop = ? AND key = ?", [Database.shard, loop, key]
        ) { $0.number(0) }
    }
}
