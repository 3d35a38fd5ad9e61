public import MobiusCore
import MobiusWorker
public import Orders

/// The bank: charges customers up to their credit, and returns payments.
public struct Payments: Sendable {
    private let ledger: LedgerFile
    private let credit: Int
    private let pauses: Pauses

    /// Keeps its books in this ledger.
    ///
    /// - Parameters:
    ///   - ledger: The ledger.
    ///   - credit: The most that one customer may owe, in cents.
    ///   - pauses: The time that its work takes.
    public init(_ ledger: LedgerFile, credit: Int, pauses: Pauses = .none) {
        self.ledger = ledger
        self.credit = credit
        self.pauses = pauses
    }

    /// The handlers of the pool `payments`.
    public var handlers: EffectRouter<Order.Effect, Order.Event> {
        EffectRouter()
            .routeCase(Order.Effect.charge).toWork { order, context in
                try await pauses.around { try await charge(order, context) }
            }
            .routeCase(Order.Effect.refund).toWork { order, context in
                try await pauses.around { try await refund(order, context) }
            }
    }

    // example: steps
    private func charge(_ order: Purchase, _ context: EffectContext) async throws -> Order.Event {
        let (loop, customer, amount) = (context.id.loop.name, order.request.customer, order.amount)
        return try await ledger.once(context.idempotencyKey) { [credit] book in
            guard try book.amount(of: .refunded, for: loop) == nil else {
                return Entry(loop: loop, .refused, name: customer, answer: .declined("The order was given up."))
            }
            guard try book.balance(of: customer) + amount <= credit else {
                return Entry(loop: loop, .refused, name: customer, answer: .declined("The credit is exhausted."))
            }
            try book.add(amount, to: customer)
            return Entry(loop: loop, .charged, name: customer, amount: amount, answer: .charged)
        }
    }

    private func refund(_ order: Purchase, _ context: EffectContext) async throws -> Order.Event {
        let (loop, customer) = (context.id.loop.name, order.request.customer)
        return try await ledger.once(context.idempotencyKey) { book in
            let paid = try (book.amount(of: .charged, for: loop) ?? 0) - (book.amount(of: .refunded, for: loop) ?? 0)
            try book.add(-paid, to: customer)
            return Entry(loop: loop, .refunded, name: customer, amount: paid, answer: .refunded)
        }
    }
    // end
}
