import MobiusCoordinator
import MobiusCore
import Orders

/// Orders and statistics in one program, as they were once, as far as an order that goes well needs it.
enum FormerOrders: LoopProgram {
    enum Model: Codable, Sendable {
        case empty
        case order(Saga)
        case statistics(Statistics)
    }

    enum Event: Codable, Sendable {
        case placed(Request)
        case reserved
        case charged
        case shipped(Parcel)
        case failed(Step, String)
        case finished(Outcome)
        case retired
    }

    enum Effect: Codable, Sendable {
        case reserve(Purchase)
        case charge(Purchase)
        case ship(Purchase)
        case limitPayment
        case withdraw
        case retireLater
        case answer(Receipt)
        case report(Outcome)
    }

    static func initiate() -> First<Model, Effect> { First(model: .empty) }

    static func update(_ model: Model, _ event: Event) -> Next<Model, Effect> {
        switch (model, event) {
        case (.empty, .placed(let request)): begin(Purchase(request, amount: 450 * request.quantity))
        case (.order(let saga), _): next(saga, event)
        case (.statistics(let statistics), .finished(let outcome)): count(outcome, statistics)
        case (_, .finished(let outcome)): count(outcome, Statistics())
        default: .noChange
        }
    }

    private static func begin(_ order: Purchase) -> Next<Model, Effect> {
        .next(
            .order(Saga(order, .reserving)), effects: [.answer(Receipt(amount: order.amount)), .reserve(order)])
    }

    private static func next(_ saga: Saga, _ event: Event) -> Next<Model, Effect> {
        let order = saga.order
        return switch (event, saga.stage) {
        case (.reserved, .reserving):
            .next(.order(Saga(order, .charging)), effects: [.charge(order), .limitPayment])
        case (.charged, .charging): .next(.order(Saga(order, .shipping)), effects: [.withdraw, .ship(order)])
        case (.shipped(let parcel), .shipping):
            .next(
                .order(Saga(order, .delivered(parcel))),
                effects: [.report(.sold(day: parcel.day, amount: order.amount)), .retireLater])
        case (.failed(let step, let reason), _): .next(.order(Saga(order, .closed(.failed(step, reason)))))
        default: .noChange
        }
    }

    private static func count(_ outcome: Outcome, _ statistics: Statistics) -> Next<Model, Effect> {
        .next(.statistics(Statistics.update(statistics, .finished(outcome)).model ?? statistics))
    }

    static let routes = EffectRouter<Effect, Event>()
        .routeCase(Effect.reserve).toWorkers("stock") { _, failure in .failed(.reserve, "\(failure)") }
        .routeCase(Effect.charge).toWorkers("payments") { _, failure in .failed(.charge, "\(failure)") }
        .routeCase(Effect.ship).toWorkers("shipping") { _, failure in .failed(.ship, "\(failure)") }
        .routeCase(Effect.limitPayment).toTimer(.after(.seconds(3600))) { .failed(.charge, "late") }
        .routeCase(Effect.withdraw).cancels { _, underWay in if case .limitPayment = underWay { true } else { false } }
        .routeCase(Effect.retireLater).toTimer(.after(.seconds(3600))) { .retired }
        .routeCase(Effect.answer).toSender { $0 }
        .routeCase(Effect.report).toLoop { outcome in (loop: "statistics", event: .finished(outcome)) }
}

// Under the names that its values had: module, enclosing type, name.

extension FormerOrders.Model: PayloadEvolution {
    static let versions = PayloadVersions("Orders.Orders.Model", startingWith: Self.self)
}

extension FormerOrders.Event: PayloadEvolution {
    static let versions = PayloadVersions("Orders.Orders.Event", startingWith: Self.self)
}

extension FormerOrders.Effect: PayloadEvolution {
    static let versions = PayloadVersions("Orders.Orders.Effect", startingWith: Self.self)
}
