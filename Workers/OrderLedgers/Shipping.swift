public import MobiusCore
import MobiusWorker
public import Orders

/// The carrier: takes parcels, except to some cities, and keeps back those that have not left.
public struct Shipping: Sendable {
    private let ledger: LedgerFile
    private let unserved: Set<String>
    private let pauses: Pauses
    private let today: @Sendable () -> String

    /// Keeps its books in this ledger.
    ///
    /// - Parameters:
    ///   - ledger: The ledger.
    ///   - unserved: Cities that get no parcels.
    ///   - pauses: The time that its work takes.
    ///   - today: The day, such as `2027-01-15`.
    public init(
        _ ledger: LedgerFile, unserved: Set<String>, pauses: Pauses = .none, today: @escaping @Sendable () -> String
    ) {
        self.ledger = ledger
        self.unserved = unserved
        self.pauses = pauses
        self.today = today
    }

    /// The handlers of the pool `shipping`.
    public var handlers: EffectRouter<Order.Effect, Order.Event> {
        EffectRouter()
            .routeCase(Order.Effect.ship).toWork { order, context in
                try await pauses.around { try await ship(order, context) }
            }
            .routeCase(Order.Effect.recall).toWork { order, context in
                try await pauses.around { try await recall(order, context) }
            }
    }

    private func ship(_ order: Purchase, _ context: EffectContext) async throws -> Order.Event {
        let (loop, request) = (context.id.loop.name, order.request)
        return try await ledger.once(context.idempotencyKey) { [unserved, today] book in
            let isCalledOff = try book.amount(of: .recalled, for: loop) != nil
            guard !isCalledOff, !unserved.contains(request.city) else {
                let reason = isCalledOff ? "The order was given up." : "No parcels go to \(request.city)."
                return Entry(loop: loop, .refused, name: request.article, answer: .undeliverable(reason))
            }
            let parcel = Parcel(number: try book.nextNumber(), day: today())
            return Entry(
                loop: loop, .shipped, name: request.article, amount: request.quantity, answer: .shipped(parcel))
        }
    }

    private func recall(_ order: Purchase, _ context: EffectContext) async throws -> Order.Event {
        let (loop, article) = (context.id.loop.name, order.request.article)
        return try await ledger.once(context.idempotencyKey) { book in
            if let shipped = try book.answer(of: .shipped, for: loop) {
                return Entry(loop: loop, .refused, name: article, answer: shipped)
            }
            return Entry(loop: loop, .recalled, name: article, answer: .recalled)
        }
    }
}
