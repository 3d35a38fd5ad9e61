import MobiusJournal
import MobiusWire

/// The outside keys that loops have applied, each with the last event that applied it.
struct OutsideKeyTable {
    private let statement: Statement

    /// Prepares the statement for inserts in the current transaction.
    init(_ database: Database) throws {
        statement = try database.statement(
            """
            INSERT INTO outside_keys (loop, key, sequence, checksum, mark) VALUES (?, ?, ?, ?, ?)
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

    /// Adds the column of marks to a journal of an earlier build of the same format, which leaves it alone.
    static func prepare(_ database: Database) throws {
        guard try !hasMarks(database) else { return }
        try database.execute("ALTER TABLE outside_keys ADD COLUMN mark BLOB;")
    }

    /// Whether the table has the column of marks; an inspector may read a journal that no process of this build has opened.
    static func hasMarks(_ database: Database) throws -> Bool {
        try database.number("SELECT count(*) FROM pragma_table_info('outside_keys') WHERE name = 'mark'") > 0
    }

    /// The rows of a table without the column, as those of one that has it.
    static let selectWithoutMarks =
        "SELECT loop, key, sequence, checksum, x'' FROM outside_keys ORDER BY loop, sequence, key"

    /// The mark of a key's sender; `nil` without one.
    static func mark(of key: String, loop: Int64, _ database: Database) throws -> SenderMark? {
        guard try hasMarks(database) else { return nil }
        return try database.first("SELECT sequence, mark FROM outside_keys WHERE loop = ? AND key = ?", [loop, key]) {
            SenderMark($0.bytes(1), loop: loop, sequence: $0.number(0))
        }
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
