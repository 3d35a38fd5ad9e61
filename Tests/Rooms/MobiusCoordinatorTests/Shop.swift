import MobiusCore
import MobiusProgram

/// A program as it is after two changes of all its types.
enum Shop: InPlaceLoopProgram {
    struct Model: Codable, Sendable, Equatable {
        var orders: [Order] = []
        var shipped = 0
    }

    struct Order: Codable, Sendable, Equatable {
        var items: [String]
        /// Known since version 3.
        var customer: String?
    }

    enum Event: Codable, Sendable {
        case placed(Order)
        case shipped
    }

    enum Effect: Codable, Sendable {
        case ship(items: [String], urgent: Bool)
    }

    static func initiate() -> First<Model, Effect> { First(model: Model()) }

    static func update(_ model: inout Model, _ event: Event) -> Change<Effect> {
        switch event {
        case .placed(let order):
            model.orders.append(order)
            return .next(effects: [.ship(items: order.items, urgent: false)])
        case .shipped:
            model.shipped += 1
            return .next()
        }
    }
}

/// What the types were before, as far as it must be read.
enum FormerShop {
    struct Model1: Codable, Sendable {
        var items: [String]
    }

    struct Model2: Codable, Sendable {
        var orders: [[String]]
        var shipped: Int
    }

    enum Event1: Codable, Sendable {
        case placed(item: String)
        case shipped
    }

    enum Event2: Codable, Sendable {
        case placed(items: [String])
        case shipped
    }

    struct Effect1: Codable, Sendable {
        var item: String
    }
}

extension Shop.Model: PayloadEvolution {
    static let versions = PayloadVersions(
        "shop.model", formerly: "Shop.Shop.Model", startingWith: FormerShop.Model1.self
    )
    .then(FormerShop.Model2.self) { FormerShop.Model2(orders: $0.items.map { [$0] }, shipped: 0) }
    .then(Shop.Model.self) { Shop.Model(orders: $0.orders.map { Shop.Order(items: $0) }, shipped: $0.shipped) }
}

extension Shop.Event: PayloadEvolution {
    static let versions = PayloadVersions(
        "shop.event", formerly: "Shop.Shop.Event", startingWith: FormerShop.Event1.self
    )
    .then(FormerShop.Event2.self) { old in
        switch old {
        case .placed(let item): .placed(items: [item])
        case .shipped: .shipped
        }
    }
    .then(Shop.Event.self) { old in
        switch old {
        case .placed(let items): .placed(Shop.Order(items: items))
        case .shipped: .shipped
        }
    }
}

extension Shop.Effect: PayloadEvolution {
    static let versions = PayloadVersions(
        "shop.effect", formerly: "Shop.Shop.Effect", startingWith: FormerShop.Effect1.self
    )
    .then(Shop.Effect.self) { .ship(items: [$0.item], urgent: false) }
}
