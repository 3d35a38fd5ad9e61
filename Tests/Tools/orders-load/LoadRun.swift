import Orders

/// Customers who place orders all at once, each of them until its end.
struct LoadRun: Sendable {
    /// The orders, those of even numbers over the second shop if there is one.
    let orders: ClosedRange<Int>
    /// How many customers are in the shops at once.
    let concurrency: Int
    let shops: [any Shop]

    /// What one customer has seen.
    struct Visit: Sendable {
        var order: PlannedOrder
        /// From the order to its answer, and to its end.
        var answered: Duration
        var ended: Duration?
        /// How it ended; `nil` if the shop refused it.
        var saga: Saga?
        /// What was not as it has to be.
        var complaints: [String] = []
    }

    /// Runs all customers.
    ///
    /// - Throws: The first error that ends one of them; the others are given up.
    func run() async throws -> [Visit] {
        try await concurrently(orders, atOnce: concurrency) { number in
            try await visit(PlannedOrder(number: number), in: shops[number % shops.count])
        }
    }

    private func visit(_ order: PlannedOrder, in shop: any Shop) async throws -> Visit {
        let clock = ContinuousClock()
        let start = clock.now
        let placed = Order.Event.placed(order.request)
        let reply = try await shop.send(placed, to: order.loop, key: "place")
        var visit = Visit(order: order, answered: clock.now - start)
        guard let price = order.price else {
            if case .applied = reply {
                visit.complaints.append("\(order.loop) was not refused, but the shop sells no unicorns.")
            }
            return visit
        }
        if reply != .applied(Receipt(amount: price)) {
            visit.complaints.append("\(order.loop) costs \(price) cents, but was answered: \(reply).")
        }
        var mustBeCancelled = false
        switch order.habit {
        case .forgetful:
            let again = try await shop.send(placed, to: order.loop, key: "place")
            if again != reply { visit.complaints.append("\(order.loop) was answered \(reply), then \(again).") }
        case .fickle:
            mustBeCancelled = try await shop.send(.cancelled, to: order.loop, key: "cancel") == .applied(nil)
        case .patient, .mistaken: break
        }
        let saga = try await shop.end(of: order.loop)
        visit.saga = saga
        visit.ended = clock.now - start
        if mustBeCancelled, saga.stage != .closed(.cancelled) {
            visit.complaints.append("\(order.loop) was cancelled, but is \(saga.stage).")
        }
        return visit
    }
}
