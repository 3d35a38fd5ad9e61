import CLibSQLite
import MobiusJournal
import MobiusJournalTables
import MobiusWire

/// A third database under the tables of a journal, in the plainest SQL: what a dialect takes at least.
///
/// It is SQLite in memory, over the fewest calls of its C interface and without anything that `MobiusJournalSQLite` does for files.
/// It keeps each promise of `JournalStoreCompatibility`, slowly; it survives no process.
package final class PlainDatabase {
    private let handle: OpaquePointer?
    let identity = JournalID(high: 0, low: 1)
    var contents: Contents?
    static let shard: Int64 = 0

    /// An empty journal.
    package init() {
        var opened: OpaquePointer?
        precondition(sqlite3_open(":memory:", &opened) == SQLITE_OK, "SQLite has no memory.")
        handle = opened
        for table in Self.tables { _ = rows(SQLStatement("BEGIN"), text: table) }
    }

    deinit { sqlite3_close(handle) }

    private static let tables: [String] =
        TableDefinitions.all(.plain) + [
            "CREATE TABLE epochs (shard INTEGER, epoch INTEGER, build TEXT, PRIMARY KEY (shard, epoch))",
            """
            CREATE TABLE loops (
                shard INTEGER, id INTEGER, name TEXT, first_sequence INTEGER, first_part INTEGER, checksum INTEGER,
                PRIMARY KEY (shard, id), UNIQUE (shard, name))
            """,
            """
            CREATE TABLE runs (
                shard INTEGER, loop INTEGER, sequence INTEGER, part INTEGER, epoch INTEGER, last_sequence INTEGER,
                last_part INTEGER, count INTEGER, checksum INTEGER, content BLOB, PRIMARY KEY (shard, loop, sequence, part))
            """,
            """
            CREATE TABLE outside_keys (
                shard INTEGER, loop INTEGER, key TEXT, sequence INTEGER, checksum INTEGER, mark BLOB,
                PRIMARY KEY (shard, loop, key))
            """,
            "CREATE INDEX outside_keys_age ON outside_keys (shard, loop, sequence)",
        ]

    /// Runs a statement; `text` takes the place of its own.
    func rows(_ statement: SQLStatement, text: String? = nil) -> Rows {
        // The tables' statements number their parameters as PostgreSQL does.
        let sql = (text ?? "\(statement.sql)").replacing("$", with: "?")
        var compiled: OpaquePointer?
        precondition(
            sqlite3_prepare_v2(handle, sql, -1, &compiled, nil) == SQLITE_OK,
            "\(String(cString: sqlite3_errmsg(handle))): \(sql)")
        defer { sqlite3_finalize(compiled) }
        for (index, value) in statement.values.enumerated() { Self.bind(value, CInt(index + 1), compiled) }
        let found = PlainRows(columns: Int(sqlite3_column_count(compiled)))
        while sqlite3_step(compiled) == SQLITE_ROW { found.append(compiled) }
        precondition(
            sqlite3_errcode(handle) == SQLITE_OK || sqlite3_errcode(handle) == SQLITE_DONE,
            "\(String(cString: sqlite3_errmsg(handle))): \(sql)")
        found.changes = Int(sqlite3_changes(handle))
        return Rows(found)
    }

    private static func bind(_ value: SQLStatement.Value, _ index: CInt, _ statement: OpaquePointer?) {
        // SQLITE_TRANSIENT, which Swift does not import.
        let copying = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
        switch value {
        case .number(let number): sqlite3_bind_int64(statement, index, number)
        case .bytes(let bytes): sqlite3_bind_blob64(statement, index, bytes + [0], UInt64(bytes.count), copying)
        case .utf8(let bytes):
            let characters = bytes.map { CChar(bitPattern: $0) } + [0]
            sqlite3_bind_text64(statement, index, characters, UInt64(bytes.count), copying, UInt8(SQLITE_UTF8))
        case .name(let name): bind(.text(name), index, statement)
        case .numbers, .texts: preconditionFailure("There are no arrays.")
        }
    }
}

/// Copies of result rows.
private final class PlainRows: RowTable {
    private var values: [(number: Int64, bytes: [UInt8], isNull: Bool)] = []
    let columns: Int
    private(set) var rows = 0
    var changes = 0
    // Pointers into the arrays of `values` would not stay valid.
    private var copies: [UnsafeMutableRawBufferPointer] = []

    init(columns: Int) {
        self.columns = columns
    }

    deinit { for copy in copies { copy.deallocate() } }

    func append(_ statement: OpaquePointer?) {
        rows += 1
        for column in 0..<CInt(columns) {
            let count = Int(sqlite3_column_bytes(statement, column))
            let bytes = UnsafeRawBufferPointer(start: sqlite3_column_blob(statement, column), count: count)
            let isNumber = sqlite3_column_type(statement, column) == SQLITE_INTEGER
            values.append(
                (
                    isNumber ? sqlite3_column_int64(statement, column) : 0, isNumber ? [] : Array(bytes),
                    sqlite3_column_type(statement, column) == SQLITE_NULL
                ))
        }
    }

    func isNull(_ row: Int, _ column: Int) -> Bool { values[row * columns + column].isNull }

    func number(_ row: Int, _ column: Int) -> Int64 { values[row * columns + column].number }

    func bytes(_ row: Int, _ column: Int) -> UnsafeRawBufferPointer {
        let bytes = values[row * columns + column].bytes
        let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 1)
        copy.copyBytes(from: bytes)
        copies.append(copy)
        return UnsafeRawBufferPointer(copy)
    }
}

extension TableDefinitions.Dialect {
    fileprivate static let plain = Self(number: "INTEGER", bytes: "BLOB", text: "TEXT", clustered: "")
}
