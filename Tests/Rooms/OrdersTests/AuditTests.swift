import FleetTestSupport
import GRDB
import OrderLedgers
import Orders
import TestTraits
import Testing

/// The audit finds what was done twice, wrongly or not at all: each of these ledgers was sound before it was changed by hand.
@Suite(.patient) struct AuditTests {
    private let folder: TestFolder
    private let shop: LedgerShop
    private let orders: [String: Saga]

    /// Order 1 is delivered to Ada, order 2 was cancelled by Grace after she had paid, and 3 was never in stock.
    init() async throws {
        folder = try TestFolder()
        shop = try LedgerShop(folder)
        let (ada, grace, many) = (
            LedgerShop.order(), LedgerShop.order("Grace", quantity: 1), LedgerShop.order("Alan", quantity: 9)
        )
        for (step, sequence) in [(Step.reserve, 1), (.charge, 2), (.ship, 3)] as [(Step, UInt64)] {
            try await shop.perform(step, ada, in: 1, sequence: sequence)
        }
        for (step, sequence) in [(Step.reserve, 1), (.charge, 2), (.release, 3), (.refund, 4)] as [(Step, UInt64)] {
            try await shop.perform(step, grace, in: 2, sequence: sequence)
        }
        try await shop.perform(.reserve, many, in: 3, sequence: 1)
        orders = [
            "order/1": Saga(ada, .delivered(Parcel(number: 1, day: "2027-01-15"))),
            "order/2": Saga(grace, .closed(.cancelled)), "order/3": Saga(many, .closed(.outOfStock)),
        ]
    }

    @Test func soundLedgersHaveNoComplaints() async throws {
        #expect(try await complaints() == [])
    }

    /// What is done to one ledger, and the one complaint about it.
    struct Change: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let ledger: String
        let sql: String
        let complaint: String

        init(_ name: String, _ ledger: String, _ sql: String, _ complaint: String) {
            (testDescription, self.ledger, self.sql, self.complaint) = (name, ledger, sql, complaint)
        }
    }

    private static let changes = [
        Change(
            "a debt without entries", "payments", "INSERT INTO balances VALUES ('Eve', 7)",
            "Eve owes 7 cents, but was charged 0."),
        Change(
            "goods that nobody had", "stock", "INSERT INTO balances VALUES ('gold', 7)",
            "Of 0 pieces of gold, 7 are in stock and 0 are set aside or shipped."),
        Change(
            "another customer is charged", "payments",
            """
            UPDATE entries SET name = 'Eve' WHERE loop = 'order/1';
            UPDATE balances SET name = 'Eve' WHERE name = 'Ada'
            """,
            "order/1 was charged under Eve instead of Ada."),
        Change(
            "another article is shipped", "shipping", "UPDATE entries SET name = 'cup' WHERE deed = 'shipped'",
            "order/1 was shipped under cup instead of tea."),
        Change(
            "another article is refused", "stock", "UPDATE entries SET name = 'cup' WHERE loop = 'order/3'",
            "order/3 was refused under cup instead of tea."),
        Change(
            "a release of what was sold", "stock", insertion("order/1", "released", "tea"),
            "order/1, which is \(delivered), was released, which nothing asked for."),
        Change(
            "a refund of what was sold", "payments", insertion("order/1", "refunded", "Ada"),
            "order/1, which is \(delivered), was refunded, which nothing asked for."),
        Change(
            "a recall of what was sold", "shipping", insertion("order/1", "recalled", "tea"),
            "order/1, which is \(delivered), was recalled, which nothing asked for."),
        Change(
            "a recall of what was never to be shipped", "shipping", insertion("order/2", "recalled", "tea"),
            "order/2, which is \(Stage.closed(.cancelled)), was recalled, which nothing asked for."),
        Change(
            "a release of what was never in stock", "stock", insertion("order/3", "released", "tea"),
            "order/3, which is \(Stage.closed(.outOfStock)), was released, which nothing asked for."),
        Change(
            "a release that is repeated under a new key", "stock", insertion("order/2", "released", "tea"),
            "order/2 was released 2 times."),
        Change(
            "neither reserved nor released", "stock", "DELETE FROM entries WHERE loop = 'order/2'",
            "order/2, which is \(Stage.closed(.cancelled)), was never released."),
        Change(
            "a recall in the ledger of the stock", "stock", insertion("order/2", "recalled", "tea"),
            "order/2 was recalled in the ledger of stock."),
        Change(
            "an order of nobody", "shipping", insertion("order/9", "shipped", "tea"),
            "The ledgers have entries of order/9, which is no order."),
        Change(
            "goods that have vanished", "stock", "UPDATE balances SET amount = 2",
            "Of 5 pieces of tea, 2 are in stock and 2 are set aside or shipped."),
    ]

    @Test(arguments: changes) func aChangeIsFound(_ change: Change) async throws {
        try await DatabaseQueue(path: folder.file(change.ledger)).write { [change] connection in
            try connection.execute(sql: change.sql)
        }
        let found = try await complaints()
        #expect(found.contains(change.complaint), "\(found)")
    }

    private static let delivered = Stage.delivered(Parcel(number: 1, day: "2027-01-15"))

    private static func insertion(_ loop: String, _ deed: String, _ name: String) -> String {
        """
        INSERT INTO entries (key, loop, deed, name, amount, answer)
        VALUES ('\(loop)/8/0', '\(loop)', '\(deed)', '\(name)', 0, '{"\(deed == "shipped" ? "reserved" : deed)":{}}')
        """
    }

    private func complaints() async throws -> [String] {
        try await Audit(
            orders: orders, initialStock: ["tea": 5], stock: shop.stock, payments: shop.payments,
            shipping: shop.shipping
        ).complaints
    }
}
