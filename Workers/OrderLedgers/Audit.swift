public import Orders

/// Compares all ledgers with each other and with the orders: what would be wrong had anything been lost or done twice.
public struct Audit: Sendable {
    /// The orders, by the names of their loops.
    public var orders: [String: Saga]
    /// The stock at the beginning, by article.
    public var initialStock: [String: Int]
    /// The entries of the three ledgers.
    public var stock: [Entry], payments: [Entry], shipping: [Entry]
    /// The stock now, and the debt of each customer.
    public var stockBalances: [String: Int], paymentBalances: [String: Int]

    /// Reads the ledgers, which must not change meanwhile.
    public init(
        orders: [String: Saga], initialStock: [String: Int], stock: LedgerFile, payments: LedgerFile,
        shipping: LedgerFile
    ) async throws {
        self.orders = orders
        self.initialStock = initialStock
        self.stock = try await stock.entries()
        self.payments = try await payments.entries()
        self.shipping = try await shipping.entries()
        stockBalances = try await stock.balances()
        paymentBalances = try await payments.balances()
    }

    /// The complaints, a sentence each; empty if all is well.
    public var complaints: [String] {
        let (stock, payments, shipping) = (
            Dictionary(grouping: stock, by: \.loop), Dictionary(grouping: payments, by: \.loop),
            Dictionary(grouping: shipping, by: \.loop)
        )
        return orders.sorted { $0.key < $1.key }.flatMap { loop, saga in
            let entries = OrderEntries(
                stock: stock[loop] ?? [], payments: payments[loop] ?? [], shipping: shipping[loop] ?? [])
            return complaints(about: saga, in: loop, entries)
        } + strangers + stockComplaints + paymentComplaints
    }

    // MARK: - Each ledger

    /// Entries of orders that nobody knows.
    private var strangers: [String] {
        let known = Set(orders.keys)
        let loops = Set((stock + payments + shipping).map(\.loop))
        return loops.subtracting(known).sorted().map { "The ledgers have entries of \($0), which is no order." }
    }

    /// Nothing leaves or enters the house but parcels: stock, reserved and shipped goods are as many as at the beginning.
    private var stockComplaints: [String] {
        let entries = Dictionary(grouping: stock, by: \.name)
        let articles = Set(initialStock.keys).union(stockBalances.keys).union(entries.keys)
        return articles.sorted().compactMap { article in
            let (initial, left) = (initialStock[article] ?? 0, stockBalances[article] ?? 0)
            let held = Self.net(entries[article] ?? [], .reserved, .released)
            return left >= 0 && left + held == initial
                ? nil : "Of \(initial) pieces of \(article), \(left) are in stock and \(held) are set aside or shipped."
        }
    }

    /// Complaints about customers whose debt is not what was charged and not refunded; one without entries owes
    /// nothing.
    private var paymentComplaints: [String] {
        let entries = Dictionary(grouping: payments, by: \.name)
        return Set(entries.keys).union(paymentBalances.keys).sorted().compactMap { customer in
            let (owed, paid) = (
                paymentBalances[customer] ?? 0, Self.net(entries[customer] ?? [], .charged, .refunded)
            )
            return owed == paid ? nil : "\(customer) owes \(owed) cents, but was charged \(paid)."
        }
    }

    /// The amounts of what was done, without what was undone.
    static func net(_ entries: [Entry], _ done: Deed, _ undone: Deed?) -> Int {
        entries.reduce(0) { sum, entry in
            entry.deed == done ? sum + entry.amount : entry.deed == undone ? sum - entry.amount : sum
        }
    }
}
