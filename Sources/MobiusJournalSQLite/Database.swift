import CLibSQLite

/// A connection to an SQLite file.
///
/// One thread at a time may use it; threads that share it do so within ``access(_:)``. Statements are compiled once and kept
/// until it is closed. What SQLite refuses is thrown as ``DatabaseError``.
final class Database {
    /// For SQLite's C functions; `nil` after ``close()``.
    private(set) var connection: OpaquePointer?
    /// The journal's file in messages for operators, as they wrote it.
    let shown: String
    private var statements: [String: Statement] = [:]
    // By the addresses of their texts.
    private var fixed: [UnsafePointer<UInt8>: Statement] = [:]
    /// Whether the names of all loops were verified: see `find`.
    var hasCheckedNames = false
    // Recursive, so that a second access of the same thread traps instead of waiting for the first.
    private let mutex = sqlite3_mutex_alloc(SQLITE_MUTEX_RECURSIVE)
    private var isAccessed = false

    /// Opens or creates a file and reads its schema, so that a file that is no database is refused here.
    ///
    /// - Parameters:
    ///   - path: An empty one stands for a temporary database, which is in memory while it is small.
    ///   - shown: The path as the operator wrote it.
    ///   - busyMilliseconds: The time that statements wait for locks of other connections.
    init(
        _ path: String, shown: String, _ flags: CInt = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE,
        busyMilliseconds: CInt = 0
    ) throws {
        self.shown = shown
        // Without SQLite's own mutex, which each of its functions would lock.
        guard sqlite3_open_v2(path, &connection, flags | SQLITE_OPEN_NOMUTEX, nil) == SQLITE_OK else {
            throw DatabaseError(of: connection)
        }
        sqlite3_busy_timeout(connection, busyMilliseconds)
        _ = try number("SELECT * FROM sqlite_master LIMIT 1")
    }

    deinit {
        close()
        sqlite3_mutex_free(mutex)
    }

    /// Closes the connection once no other thread has access; a second call does nothing.
    func close() {
        exclusively {
            for statement in statements.values { sqlite3_finalize(statement.handle) }
            (statements, fixed) = ([:], [:])
            sqlite3_close_v2(connection)
            connection = nil
        }
    }

    /// Runs `body` once no other thread has access.
    ///
    /// It blocks until then. Accesses are not nested, and none follows ``close()``: both are programmer errors.
    func access<T>(_ body: (Database) throws -> T) rethrows -> T {
        try exclusively {
            precondition(connection != nil, "This database is closed.")
            return try body(self)
        }
    }

    private func exclusively<T>(_ body: () throws -> T) rethrows -> T {
        sqlite3_mutex_enter(mutex)
        defer { sqlite3_mutex_leave(mutex) }
        precondition(!isAccessed, "Accesses to a database cannot be nested.")
        isAccessed = true
        defer { isAccessed = false }
        return try body()
    }

    // MARK: Statements

    /// A statement with values bound from its first parameter on; the caller resets it.
    ///
    /// There is one for each SQL text, so it has one user at a time.
    func statement(_ sql: String, _ values: [any StatementValue] = []) throws -> Statement {
        let statement: Statement
        if let known = statements[sql] {
            statement = known
        } else {
            guard let compiled = try Statement(connection, sql, SQLITE_PREPARE_PERSISTENT) else {
                preconditionFailure("A statement is not empty.")
            }
            statements[sql] = compiled
            statement = compiled
        }
        for (index, value) in values.enumerated() { value.bind(to: statement, CInt(index + 1)) }
        return statement
    }

    /// The statement of a fixed text, whose parameters are `$1`, `$2` and so on.
    func statement(_ sql: StaticString) throws -> Statement {
        if let known = fixed[sql.utf8Start] { return known }
        // SQLite would number `$1` by where it stands first, and `?1` by its number.
        let known = try statement(sql.description.replacing("$", with: "?"))
        fixed[sql.utf8Start] = known
        return known
    }

    /// Runs a statement without result rows.
    func run(_ sql: String, _ values: [any StatementValue] = []) throws {
        let statement = try statement(sql, values)
        defer { statement.reset() }
        try statement.run()
    }

    /// Runs the statements of a script and ignores their result rows.
    func execute(_ script: String) throws {
        try script.withCString { script in
            var rest: UnsafePointer<CChar>? = script
            while let text = rest, text.pointee != 0 {
                guard let statement = try Statement(connection, text, rest: &rest) else { continue }
                defer { sqlite3_finalize(statement.handle) }
                while try statement.next() {}
            }
        }
    }

    /// Visits result rows until `visit` returns `false`.
    func visit(_ sql: String, _ values: [any StatementValue] = [], _ visit: (Statement) throws -> Bool) throws {
        let statement = try statement(sql, values)
        defer { statement.reset() }
        while try statement.next() {
            guard try visit(statement) else { return }
        }
    }

    /// The values of `row` for each result row.
    func rows<T>(_ sql: String, _ values: [any StatementValue] = [], _ row: (Statement) throws -> T) throws -> [T] {
        var rows: [T] = []
        try visit(sql, values) { statement in
            rows.append(try row(statement))
            return true
        }
        return rows
    }

    /// The value of `row` for the first result row; `nil` without one.
    func first<T>(_ sql: String, _ values: [any StatementValue] = [], _ row: (Statement) throws -> T?) throws -> T? {
        let statement = try statement(sql, values)
        defer { statement.reset() }
        return try statement.next() ? try row(statement) : nil
    }

    /// The first column of the first result row; 0 without one.
    func number(_ sql: String, _ values: [any StatementValue] = []) throws -> Int64 {
        try first(sql, values) { $0.number(0) } ?? 0
    }

    /// The first column of the first result row as text; `nil` without one, or when it is not UTF-8.
    func text(_ sql: String) throws -> String? { try first(sql) { $0.text(0) } }

    /// The number of rows that the last statement has inserted, changed or deleted.
    var changes: Int { Int(sqlite3_changes(connection)) }

    // MARK: Transactions

    /// Runs `body` and commits; when either throws, the transaction is rolled back.
    func transaction(_ body: () throws -> Void) throws {
        try run("BEGIN IMMEDIATE")
        do {
            try body()
            try run("COMMIT")
        } catch {
            rollback()
            throw error
        }
    }

    /// Rolls a transaction back, unless SQLite has done so itself, as after some errors such as a full disk.
    func rollback() {
        if sqlite3_get_autocommit(connection) == 0 { try? run("ROLLBACK") }
    }

    /// Copies all pages to another database, and calls `progress` after each step.
    func copy(to target: Database, _ progress: (_ done: Int, _ total: Int) -> Void) throws {
        guard let copy = sqlite3_backup_init(target.connection, "main", connection, "main") else {
            throw DatabaseError(of: target.connection)
        }
        var code = SQLITE_OK
        while code == SQLITE_OK {
            code = sqlite3_backup_step(copy, 1_024)
            let total = Int(sqlite3_backup_pagecount(copy))
            if code == SQLITE_OK || code == SQLITE_DONE { progress(total - Int(sqlite3_backup_remaining(copy)), total) }
        }
        let end = sqlite3_backup_finish(copy)
        if code == SQLITE_DONE { code = end }
        guard code == SQLITE_OK else { throw DatabaseError(code, String(cString: sqlite3_errstr(code))) }
    }
}
