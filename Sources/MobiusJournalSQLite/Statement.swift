import CLibSQLite

/// A compiled statement of a ``Database``, and the result row that was read last.
///
/// It is valid until its database is closed.
struct Statement {
    let handle: OpaquePointer

    /// Compiles the first statement of an SQL text; `nil` when the text has none.
    ///
    /// - Parameter rest: Is set to the text behind the statement.
    init?(
        _ connection: OpaquePointer?, _ sql: UnsafePointer<CChar>, _ flags: CInt = 0,
        rest: UnsafeMutablePointer<UnsafePointer<CChar>?>? = nil
    ) throws(DatabaseError) {
        var handle: OpaquePointer?
        guard sqlite3_prepare_v3(connection, sql, -1, UInt32(flags), &handle, rest) == SQLITE_OK else {
            throw DatabaseError(of: connection, sql: String(cString: sql))
        }
        guard let handle else { return nil }
        self.handle = handle
    }

    // MARK: Binding, from parameter 1

    func bind(_ number: Int64, _ index: CInt) {
        sqlite3_bind_int64(handle, index, number)
    }

    /// Binds a blob; unless it is copied, its bytes must stay valid until ``reset()``.
    func bind(_ bytes: UnsafeRawBufferPointer, _ index: CInt, isCopied: Bool = false) {
        guard let address = bytes.baseAddress, !bytes.isEmpty else {
            // An empty array may have no address, which SQLite would take for NULL.
            sqlite3_bind_zeroblob(handle, index, 0)
            return
        }
        sqlite3_bind_blob64(handle, index, address, UInt64(bytes.count), isCopied ? Self.copying : nil)
    }

    /// The same for UTF-8 as text, which may contain NUL characters.
    func bindText(_ bytes: UnsafeRawBufferPointer, _ index: CInt, isCopied: Bool = false) {
        guard let address = bytes.baseAddress else {
            sqlite3_bind_text(handle, index, "", 0, nil)
            return
        }
        sqlite3_bind_text64(
            handle, index, address.assumingMemoryBound(to: CChar.self), UInt64(bytes.count),
            isCopied ? Self.copying : nil, UInt8(SQLITE_UTF8))
    }

    // SQLITE_TRANSIENT, which Swift does not import.
    private static var copying: sqlite3_destructor_type { unsafeBitCast(-1, to: sqlite3_destructor_type.self) }

    // MARK: Running

    /// Runs a statement without result rows and leaves it ready for the next binding.
    func run() throws(DatabaseError) {
        let code = sqlite3_step(handle)
        let failure = code == SQLITE_DONE ? nil : error
        sqlite3_reset(handle)
        if let failure { throw failure }
    }

    /// Moves to the next result row; returns `false` at the end.
    func next() throws(DatabaseError) -> Bool {
        switch sqlite3_step(handle) {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        default: throw error
        }
    }

    /// Ends the reading of rows and clears all bindings.
    func reset() {
        sqlite3_reset(handle)
        sqlite3_clear_bindings(handle)
    }

    private var error: DatabaseError {
        DatabaseError(of: sqlite3_db_handle(handle), sql: String(cString: sqlite3_sql(handle)))
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

/// A value that can be bound to a statement, which copies texts and blobs.
protocol StatementValue {
    func bind(to statement: Statement, _ index: CInt)
}

extension StatementValue where Self: FixedWidthInteger {
    // SQLite's integers are signed: an unsigned one is stored as that of the same bits.
    func bind(to statement: Statement, _ index: CInt) { statement.bind(Int64(truncatingIfNeeded: self), index) }
}

extension Int: StatementValue {}
extension Int64: StatementValue {}
extension UInt32: StatementValue {}
extension UInt64: StatementValue {}

extension String: StatementValue {
    func bind(to statement: Statement, _ index: CInt) {
        var text = self
        text.withUTF8 { statement.bindText(UnsafeRawBufferPointer($0), index, isCopied: true) }
    }
}

/// The bytes of a text that need not be valid UTF-8.
struct TextBytes: StatementValue {
    let bytes: [UInt8]

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    func bind(to statement: Statement, _ index: CInt) {
        bytes.withUnsafeBytes { statement.bindText($0, index, isCopied: true) }
    }
}

// A blob.
extension [UInt8]: StatementValue {
    func bind(to statement: Statement, _ index: CInt) {
        withUnsafeBytes { statement.bind($0, index, isCopied: true) }
    }
}
