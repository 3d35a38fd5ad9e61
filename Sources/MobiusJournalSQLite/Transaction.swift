import GRDB

/// A transaction of prepared statements: GRDB's own parses its SQL at each beginning and end, for its observers, of which a
/// journal has none.
enum Transaction {
    /// Runs `body` and commits; when either throws, nothing of it is kept.
    static func run(_ database: Database, _ body: (Database) throws -> Void) throws {
        try RawStatement(database, "BEGIN IMMEDIATE").run()
        do {
            try body(database)
            try RawStatement(database, "COMMIT").run()
        } catch {
            // SQLite itself has rolled back after some errors, a full disk among them.
            if database.isInsideTransaction { try? RawStatement(database, "ROLLBACK").run() }
            throw error
        }
    }
}
