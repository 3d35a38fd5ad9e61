import Foundation
import GRDB
public import Orders

/// The kinds of deeds for an order.
public enum Deed: String, Sendable {
    /// Goods were taken out of stock and set aside.
    case reserved
    /// They were put back; with the amount 0, there were none and never will be.
    case released
    /// The customer was charged.
    case charged
    /// The payment was returned; with the amount 0, there was none and never will be.
    case refunded
    /// The parcel left; the amount is the number of its pieces.
    case shipped
    /// The parcel has not left and never will.
    case recalled
    /// Nothing: it was refused.
    case refused
}

/// A line of a ledger.
public struct Entry: Sendable, Equatable {
    /// The loop of the order that it belongs to.
    public var loop: String
    /// The deed.
    public var deed: Deed
    /// The account: an article, or a customer.
    public var name: String
    /// Pieces or cents.
    public var amount: Int
    /// The answer of the worker, which it gives again when it is asked again.
    public var answer: Order.Event

    /// Makes a line.
    public init(loop: String, _ deed: Deed, name: String, amount: Int = 0, answer: Order.Event) {
        self.loop = loop
        self.deed = deed
        self.name = name
        self.amount = amount
        self.answer = answer
    }
}

/// A ledger within a transaction.
public struct Book {
    private let connection: Database

    init(_ connection: Database) {
        self.connection = connection
    }

    /// Returns the sum of one order's entries for this deed; `nil` if there is none.
    func amount(of deed: Deed, for loop: String) throws -> Int? {
        try Int.fetchOne(
            connection, sql: "SELECT SUM(amount) FROM entries WHERE loop = ? AND deed = ?",
            arguments: [loop, deed.rawValue])
    }

    /// The answer that was given with this deed for an order; `nil` if there was none.
    func answer(of deed: Deed, for loop: String) throws -> Order.Event? {
        let text = try String.fetchOne(
            connection, sql: "SELECT answer FROM entries WHERE loop = ? AND deed = ?",
            arguments: [loop, deed.rawValue])
        return try text.map { try JSONDecoder().decode(Order.Event.self, from: Data($0.utf8)) }
    }

    /// The number that the next entry gets.
    func nextNumber() throws -> Int {
        try Int.fetchOne(connection, sql: "SELECT IFNULL(MAX(number), 0) + 1 FROM entries") ?? 1
    }

    /// The balance of an account; 0 for one that does not exist.
    func balance(of name: String) throws -> Int {
        try Int.fetchOne(connection, sql: "SELECT amount FROM balances WHERE name = ?", arguments: [name]) ?? 0
    }

    /// Changes a balance.
    func add(_ amount: Int, to name: String) throws {
        try connection.execute(
            sql: """
                INSERT INTO balances (name, amount) VALUES (?, ?)
                ON CONFLICT (name) DO UPDATE SET amount = amount + excluded.amount
                """, arguments: [name, amount])
    }
}
