public import MobiusCore
import MobiusWorker
public import Orders

/// The warehouse: sets goods aside, and puts them back.
public struct Stock: Sendable {
    private let ledger: LedgerFile
    private let pauses: Pauses

    /// Keeps its books in this ledger.
    public init(_ ledger: LedgerFile, pauses: Pauses = .none) {
        self.ledger = ledger
        self.pauses = pauses
    }

    /// The handlers of the pool `stock`.
    public var handlers: EffectRouter<Order.Effect, Order.Event> {
        EffectRouter()
            .routeCase(Order.Effect.reserve).toWork { order, context in
                try await pauses.around { try await reserve(order, context) }
            }
            .routeCase(Order.Effect.release).toWork { order, context in
                try await pauses.around { try await release(order, context) }
            }
    }

    private func reserve(_ order: Purchase, _ context: EffectContext) async throws -> Order.Event {
        let (loop, article, pieces) = (context.id.loop.name, order.request.article, order.request.quantity)
        return try await ledger.once(context.idempotencyKey) { book in
            let isCalledOff = try book.amount(of: .released, for: loop) != nil
            guard try !isCalledOff && book.balance(of: article) >= pieces else {
                return Entry(loop: loop, .refused, name: article, answer: .outOfStock)
            }
            try book.add(-pieces, to: article)
            return Entry(loop: loop, .reserved, name: article, amount: pieces, answer: .reserved)
        }
    }

    private func release(_ order: Purchase, _ context: EffectContext) async throws -> Order.Event {
        let (loop, article) = (context.id.loop.name, order.request.article)
        return try await ledger.once(context.idempotencyKey) { book in
            let held = try (book.amount(of: .reserved, for: loop) ?? 0) - (book.amount(of: .released, for: loop) ?? 0)
            try book.add(held, to: article)
            return Entry(loop: loop, .released, name: article, amount: held, answer: .released)
        }
    }
}
