import Foundation
import GRDB

/// The three ledgers of the Orders example and nothing else: an entry and a balance in a transaction of each, for so many orders.
///
///     order-floor ORDERS
///
/// The ledgers are written side by side, as three workers do, each transaction on disk before the next. Prints orders per second.
@main struct OrderFloor {
    static func main() throws {
        guard let orders = CommandLine.arguments.dropFirst().first.flatMap({ Int($0) }), orders > 0 else {
            fatalError("usage: order-floor ORDERS")
        }
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(at: folder) }
        let ledgers = try ["stock", "payments", "shipping"].map { try ledger(folder.appending(path: $0).path) }
        let clock = ContinuousClock()
        let start = clock.now
        DispatchQueue.concurrentPerform(iterations: ledgers.count) { index in
            for order in 1...orders {
                do { try enter(order, in: ledgers[index]) } catch { fatalError("\(error)") }
            }
        }
        print(Double(orders) / ((clock.now - start) / .seconds(1)))
    }

    private static func ledger(_ path: String) throws -> DatabaseQueue {
        var configuration = Configuration()
        configuration.prepareDatabase { try $0.execute(sql: "PRAGMA synchronous = FULL") }
        let queue = try DatabaseQueue(path: path, configuration: configuration)
        try queue.writeWithoutTransaction { try $0.execute(sql: "PRAGMA journal_mode = WAL") }
        try queue.write { connection in
            try connection.execute(
                sql: """
                    CREATE TABLE entries (
                        number INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, loop TEXT NOT NULL, deed TEXT NOT NULL,
                        name TEXT NOT NULL, amount INTEGER NOT NULL, answer TEXT NOT NULL);
                    CREATE INDEX entriesByLoop ON entries (loop);
                    CREATE TABLE balances (name TEXT PRIMARY KEY, amount INTEGER NOT NULL);
                    """)
        }
        return queue
    }

    private static func enter(_ order: Int, in ledger: DatabaseQueue) throws {
        try ledger.write { connection in
            try connection.execute(
                sql: "INSERT INTO entries (key, loop, deed, name, amount, answer) VALUES (?, ?, ?, ?, ?, ?)",
                arguments: ["order/\(order)/1/1@1", "order/\(order)", "charged", "customer", 900, "{\"charged\":{}}"])
            try connection.execute(
                sql: """
                    INSERT INTO balances (name, amount) VALUES (?, ?)
                    ON CONFLICT (name) DO UPDATE SET amount = amount + excluded.amount
                    """, arguments: ["customer-\(order % 1000)", 900])
        }
    }
}
