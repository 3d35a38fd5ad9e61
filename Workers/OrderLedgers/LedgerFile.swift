import Foundation
import GRDB
public import Orders

/// The ledger of one pool of workers: an SQLite file that all its processes on this host share.
///
/// Entries are only ever added, each under the idempotency key of the effect that asked for it. Asking again under the
/// same key changes nothing and gives the answer that was given before. What is answered is on disk.
public final class LedgerFile: Sendable {
    private let database: any DatabaseWriter

    /// Opens the ledger, or begins one.
    ///
    /// - Parameter path: The file; `nil` keeps the ledger in memory, for tests.
    public init(path: String?) throws {
        var configuration = Configuration()
        // Other processes of the pool write, too.
        configuration.busyMode = .timeout(30)
        configuration.prepareDatabase { connection in
            try connection.execute(sql: "PRAGMA synchronous = FULL")
        }
        guard let path else {
            database = try DatabaseQueue(configuration: configuration)
            try database.write(Self.prepare)
            return
        }
        let queue = try DatabaseQueue(path: path, configuration: configuration)
        database = queue
        try queue.writeWithoutTransaction { connection in
            try connection.execute(sql: "PRAGMA journal_mode = WAL")
        }
        try queue.write(Self.prepare)
    }

    /// The ledger of a worker process, which cannot work without it: an error stops the process with a sentence.
    ///
    /// - Parameters:
    ///   - path: The file.
    ///   - balances: The balances with which accounts begin; one that exists keeps its balance.
    public static func opened(_ path: String, balances: [String: Int] = [:]) -> LedgerFile {
        do {
            let file = try LedgerFile(path: path)
            try file.begin(balances)
            return file
        } catch {
            fatalError("The ledger \(path) cannot be opened: \(error). Name a writable file with --ledger.")
        }
    }

    private static func prepare(_ connection: Database) throws {
        try connection.execute(
            sql: """
                CREATE TABLE IF NOT EXISTS entries (
                    number INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, loop TEXT NOT NULL, deed TEXT NOT NULL,
                    name TEXT NOT NULL, amount INTEGER NOT NULL, answer TEXT NOT NULL);
                CREATE INDEX IF NOT EXISTS entriesByLoop ON entries (loop);
                CREATE TABLE IF NOT EXISTS balances (name TEXT PRIMARY KEY, amount INTEGER NOT NULL);
                """)
    }

    // example: once
    /// Makes an entry, unless there is one under this key; returns its answer in either case.
    ///
    /// - Parameters:
    ///   - key: The idempotency key of the effect.
    ///   - decide: Makes the entry; it may read the ledger and change balances, in the same transaction.
    public func once(
        _ key: String, _ decide: @escaping @Sendable (Book) throws -> Entry
    ) async throws -> Order.Event {
        try await database.write { connection in
            if let known = try String.fetchOne(
                connection, sql: "SELECT answer FROM entries WHERE key = ?", arguments: [key])
            {
                return try JSONDecoder().decode(Order.Event.self, from: Data(known.utf8))
            }
            let entry = try decide(Book(connection))
            let answer = String(decoding: try JSONEncoder().encode(entry.answer), as: UTF8.self)
            try connection.execute(
                sql: "INSERT INTO entries (key, loop, deed, name, amount, answer) VALUES (?, ?, ?, ?, ?, ?)",
                arguments: [key, entry.loop, entry.deed.rawValue, entry.name, entry.amount, answer])
            return entry.answer
        }
    }
    // end

    /// Sets what accounts begin with; one that exists already keeps its balance.
    public func begin(_ balances: [String: Int]) throws {
        try database.write { connection in
            for (name, amount) in balances {
                try connection.execute(
                    sql: "INSERT OR IGNORE INTO balances (name, amount) VALUES (?, ?)", arguments: [name, amount])
            }
        }
    }

    /// All entries, in the order in which they were made.
    public func entries() async throws -> [Entry] {
        try await database.read { connection in
            try Row.fetchAll(connection, sql: "SELECT * FROM entries ORDER BY number").map { row in
                let answer: String = row["answer"]
                guard let deed = Deed(rawValue: row["deed"]) else { throw CocoaError(.coderReadCorrupt) }
                return Entry(
                    loop: row["loop"], deed, name: row["name"], amount: row["amount"],
                    answer: try JSONDecoder().decode(Order.Event.self, from: Data(answer.utf8)))
            }
        }
    }

    /// The current balances.
    public func balances() async throws -> [String: Int] {
        try await database.read { connection in
            let rows = try Row.fetchAll(connection, sql: "SELECT name, amount FROM balances")
            return Dictionary(uniqueKeysWithValues: rows.map { ($0["name"], $0["amount"]) })
        }
    }
}
