import GRDB

/// A transaction with prepared statements.
///
/// GRDB's own parses its SQL at each beginning and end, for observers, which a journal does not have.
enum Transaction {
    /// Runs `body` and commits; when either throws, the transaction is rolled back.
    static func run(_ database: Database, _ body: (Database) throws -> Void) throws {
        try RawStatement(database, "BEGIN IMMEDIATE").run()
        do {
            try body(database)
            try RawStatement(database, "COMMIT").run()
        } catch {
            // After some errors, such as a full disk, SQLite has already rolled back.
            if database.isInsideTransaction { try? RawStatement(database, "ROLLBACK").run() }
            throw error
        }
    }
}
