public import Bank
import Foundation
import GRDB

/// What one bank worker really did, in an SQLite file of its own: a row for each idempotency key.
///
/// Asking again adds to the row's count and books nothing. It survives SIGKILL; that is all it has to survive.
public final class Ledger: Sendable {
    private let database: DatabaseQueue

    /// Opens the ledger, or begins one.
    public init(path: String) throws {
        var configuration = Configuration()
        configuration.busyMode = .timeout(10)
        configuration.prepareDatabase { connection in
            try connection.execute(sql: "PRAGMA synchronous = OFF")
        }
        database = try DatabaseQueue(path: path, configuration: configuration)
        try database.writeWithoutTransaction { connection in
            try connection.execute(sql: "PRAGMA journal_mode = WAL")
            try connection.execute(
                sql: """
                    CREATE TABLE IF NOT EXISTS entries (
                        key TEXT PRIMARY KEY, deed TEXT NOT NULL, asked INTEGER NOT NULL)
                    """)
        }
    }

    /// Enters a deed under its key, or counts that it was asked for again.
    ///
    /// - Parameter halfway: Runs when the row is written and the transaction is open.
    public func enter(_ deed: Bank.LedgerEntry.Deed, key: String, halfway: () -> Void = {}) throws {
        let text = String(decoding: try JSONEncoder().encode(deed), as: UTF8.self)
        try database.write { connection in
            try connection.execute(
                sql: """
                    INSERT INTO entries (key, deed, asked) VALUES (?, ?, 1)
                    ON CONFLICT (key) DO UPDATE SET asked = asked + 1
                    """,
                arguments: [key, text])
            halfway()
        }
    }

    /// A row of a ledger.
    public struct Row: Sendable {
        /// What was done.
        public var entry: Bank.LedgerEntry
        /// How often it was asked for.
        public var asked: Int
    }

    /// Everything in it, as of a worker of this name.
    public func rows(worker: String) throws -> [Row] {
        try database.read { connection in
            try GRDB.Row.fetchAll(connection, sql: "SELECT key, deed, asked FROM entries ORDER BY key").map { row in
                let deed = try JSONDecoder().decode(
                    Bank.LedgerEntry.Deed.self, from: Data((row["deed"] as String).utf8))
                return Row(
                    entry: Bank.LedgerEntry(key: row["key"], worker: worker, deed: deed), asked: row["asked"])
            }
        }
    }
}
