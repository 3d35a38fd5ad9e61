import GRDB
import GRDBSQLite

/// A prepared statement from GRDB's cache, bound and stepped through SQLite's C functions.
///
/// GRDB boxes each argument in a `DatabaseValue` and each blob in a `Data`, which is too slow for a journal that writes
/// hundreds of thousands of records per second. Opening, transactions, the statement cache and errors are still GRDB's.
struct RawStatement {
    private let database: Database
    private let handle: SQLiteStatement

    /// Takes the statement from GRDB's cache, which keeps it until the database closes; it may be used within the
    /// database access that `database` belongs to.
    init(_ database: Database, _ sql: String) throws {
        self.database = database
        self.handle = try database.cachedStatement(sql: sql).sqliteStatement
    }

    // MARK: Binding, from column 1. Bytes are not copied: they must stay valid until `run` or `reset`.

    func bind(_ number: Int64, _ index: CInt) {
        sqlite3_bind_int64(handle, index, number)
    }

    /// Binds bytes without copying them.
    func bind(_ bytes: UnsafeRawBufferPointer, _ index: CInt) {
        guard bytes.count > 0 else {
            // An empty array may have no address, which SQLite would take for NULL.
            sqlite3_bind_zeroblob(handle, index, 0)
            return
        }
        sqlite3_bind_blob64(handle, index, bytes.baseAddress, UInt64(bytes.count), nil)
    }

    /// Binds UTF-8 bytes as text without copying them.
    func bindText(_ bytes: UnsafeRawBufferPointer, _ index: CInt) {
        guard let address = bytes.baseAddress else {
            sqlite3_bind_text(handle, index, "", 0, nil)
            return
        }
        sqlite3_bind_text64(
            handle, index, address.assumingMemoryBound(to: CChar.self), UInt64(bytes.count), nil, UInt8(SQLITE_UTF8))
    }

    // MARK: Running

    /// Runs a statement without result rows and leaves it ready for the next binding.
    func run() throws {
        let code = sqlite3_step(handle)
        let failure = code == SQLITE_DONE ? nil : error()
        sqlite3_reset(handle)
        if let failure { throw failure }
    }

    /// Moves to the next result row; returns `false` at the end.
    func next() throws -> Bool {
        switch sqlite3_step(handle) {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        default: throw error()
        }
    }

    /// Ends the reading of rows and clears all bindings.
    func reset() {
        sqlite3_reset(handle)
        sqlite3_clear_bindings(handle)
    }

    private func error() -> DatabaseError {
        let code = sqlite3_extended_errcode(database.sqliteConnection)
        return DatabaseError(
            resultCode: ResultCode(rawValue: code), message: database.lastErrorMessage,
            sql: String(cString: sqlite3_sql(handle)))
    }

    // MARK: Columns of the current row, from 0. Any content can be read as any type: SQLite converts it.

    /// Whether the column is NULL.
    func isNull(_ column: CInt) -> Bool {
        sqlite3_column_type(handle, column) == SQLITE_NULL
    }

    func number(_ column: CInt) -> Int64 {
        sqlite3_column_int64(handle, column)
    }

    /// The bytes of a blob or text; valid until the next step.
    func bytes(_ column: CInt) -> UnsafeRawBufferPointer {
        // Read before the count: SQLite may otherwise convert the value in between.
        let address = sqlite3_column_blob(handle, column)
        return UnsafeRawBufferPointer(start: address, count: Int(sqlite3_column_bytes(handle, column)))
    }

    /// The column as text, or `nil` when it is not UTF-8.
    func text(_ column: CInt) -> String? {
        String(validating: bytes(column), as: UTF8.self)
    }
}
