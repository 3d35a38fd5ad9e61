public import Orders

/// Compares all ledgers with each other and with the orders: what would be wrong had anything been lost or done twice.
public struct Audit: Sendable {
    /// The orders, by the names of their loops.
    public var orders: [String: Saga]
    /// What was in stock at the beginning, by article.
    public var initialStock: [String: Int]
    /// The entries of the three ledgers.
    public var stock: [Entry], payments: [Entry], shipping: [Entry]
    /// What is in stock now, and what each customer owes.
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

    /// What is wrong, a sentence each; empty if all is well.
    public var complaints: [String] {
        // No ledger does what another one does, so an order's deeds can stand in one list.
        let entries = Dictionary(grouping: stock + payments + shipping, by: \.loop)
        return orders.sorted { $0.key < $1.key }.flatMap { loop, saga in
            complaints(about: saga, in: loop, entries[loop] ?? [])
        } + strangers + stockComplaints + paymentComplaints
    }

    // MARK: - One order

    /// An order is at exactly one end, and the ledgers have what that end means, once.
    private func complaints(about saga: Saga, in loop: String, _ entries: [Entry]) -> [String] {
        let isDelivered: Bool
        switch saga.stage {
        case .delivered: isDelivered = true
        case .closed: isDelivered = false
        default: return ["\(loop) has no end: it is \(saga.stage)."]
        }
        let pieces = isDelivered ? saga.order.request.quantity : 0
        let wanted = [
            ("pieces set aside", pieces, net(entries, .reserved, .released)),
            ("cents paid", isDelivered ? saga.order.amount : 0, net(entries, .charged, .refunded)),
            ("pieces shipped", pieces, net(entries, .shipped, nil)),
        ]
        let wrong = wanted.filter { $0.1 != $0.2 }.map { what, wanted, found in
            "\(loop), which is \(saga.stage), has \(found) \(what) instead of \(wanted)."
        }
        return wrong + repetitions(in: loop, entries)
    }

    /// Deeds that happen once for an order at most.
    private func repetitions(in loop: String, _ entries: [Entry]) -> [String] {
        let deeds: [Deed] = [.reserved, .released, .charged, .refunded, .shipped, .recalled]
        return deeds.compactMap { deed in
            let times = entries.count { $0.deed == deed }
            return times > 1 ? "\(loop) was \(deed.rawValue) \(times) times." : nil
        }
    }

    private func net(_ entries: [Entry], _ done: Deed, _ undone: Deed?) -> Int {
        entries.reduce(0) { sum, entry in
            entry.deed == done ? sum + entry.amount : entry.deed == undone ? sum - entry.amount : sum
        }
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
        initialStock.sorted { $0.key < $1.key }.compactMap { article, initial in
            let held = net(stock.filter { $0.name == article }, .reserved, .released)
            let left = stockBalances[article] ?? 0
            return left >= 0 && left + held == initial
                ? nil : "Of \(initial) pieces of \(article), \(left) are in stock and \(held) are set aside or shipped."
        }
    }

    /// What each customer owes is what was charged and not refunded.
    private var paymentComplaints: [String] {
        Dictionary(grouping: payments, by: \.name).sorted { $0.key < $1.key }.compactMap { customer, entries in
            let (owed, paid) = (paymentBalances[customer] ?? 0, net(entries, .charged, .refunded))
            return owed == paid ? nil : "\(customer) owes \(owed) cents, but was charged \(paid)."
        }
    }

}
