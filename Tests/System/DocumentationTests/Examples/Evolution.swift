import FleetTestSupport
import MobiusCoordinator
import MobiusCore
import Testing

/// The program as it was first shipped.
enum FirstOrders: LoopProgram {
    struct Model: Codable, Sendable, Equatable { var orders: [String] = [] }
    enum Event: Codable, Sendable { case placed(order: String) }
    typealias Effect = Never

    static func initiate() -> First<Model, Effect> { First(model: Model()) }

    static func update(_ model: Model, _ event: Event) -> Next<Model, Effect> {
        var model = model
        if case .placed(let order) = event { model.orders.append(order) }
        return .next(model)
    }
}

extension FirstOrders.Model: PayloadEvolution {
    static let versions = PayloadVersions("orders.model", startingWith: Self.self)
}

extension FirstOrders.Event: PayloadEvolution {
    static let versions = PayloadVersions("orders.event", startingWith: Self.self)
}

// example: types
enum Orders: LoopProgram {
    struct Order: Codable, Sendable, Equatable {
        var name: String
        var shop: String
    }

    struct Model: Codable, Sendable, Equatable { var orders: [Order] = [] }
    enum Event: Codable, Sendable { case placed(Order) }  // was: placed(order: String)
    typealias Effect = Never
    // end

    static func initiate() -> First<Model, Effect> { First(model: Model()) }

    static func update(_ model: Model, _ event: Event) -> Next<Model, Effect> {
        var model = model
        if case .placed(let order) = event { model.orders.append(order) }
        return .next(model)
    }
}

// example: versions
extension Orders.Event: PayloadEvolution {
    /// Version 1, of which only the decoding half is used.
    private enum First: Codable { case placed(order: String) }

    static let versions = PayloadVersions("orders.event", startingWith: First.self)
        .then(Orders.Event.self) { first in
            switch first {
            case .placed(let order): .placed(Orders.Order(name: order, shop: "main street"))
            }
        }
}

extension Orders.Model: PayloadEvolution {
    private struct First: Codable { var orders: [String] }

    static let versions = PayloadVersions("orders.model", startingWith: First.self)
        .then(Orders.Model.self) { first in
            Orders.Model(orders: first.orders.map { Orders.Order(name: $0, shop: "main street") })
        }
}
// end

// example: name
enum Invoices {
    struct Event: Codable, Sendable { var number: Int }
}

extension Invoices.Event: PayloadEvolution {
    // It was Shop.Event in the module Shop, without a conformance: that is its version 1, too.
    static let versions = PayloadVersions("invoices.event", formerly: "Shop.Shop.Event", startingWith: Self.self)
}
// end

@Suite("Examples: types that change")
struct EvolutionExamples {
    /// Writes a journal as the first build did.
    private func journal(in folder: TestFolder) async throws -> String {
        let file = folder.file("orders.journal")
        let coordinator = Coordinator<FirstOrders>(settings(file), routes: EffectRouter())
        let running = Task { try await coordinator.run() }
        for order in ["ada", "grace"] { try await coordinator.loop.send(.placed(order: order), key: order) }
        coordinator.stop()
        try await running.value
        return file
    }

    private func settings(_ file: String) -> CoordinatorSettings {
        var settings = CoordinatorSettings(name: "orders", bind: "tcp://127.0.0.1:*", journal: .file(file))
        settings.clientBind = nil
        return settings
    }

    @Test("today's build reads what the first one wrote")
    func upcast() async throws {
        let folder = try TestFolder()
        let coordinator = Coordinator<Orders>(settings(try await journal(in: folder)), routes: EffectRouter())
        let running = Task { try await coordinator.run() }
        for await model in coordinator.loop.models {
            #expect(model.orders.map(\.name) == ["ada", "grace"])
            #expect(model.orders.allSatisfy { $0.shop == "main street" })
            break
        }
        coordinator.stop()
        try await running.value
    }

    @Test("and so it verifies a journal that was kept from then")
    func golden() async throws {
        let folder = try TestFolder()
        let file = try await journal(in: folder)
        // example: golden
        let summary = try Coordinator<Orders>.verify(
            CoordinatorSettings(name: "orders", journal: .file(file)), routes: EffectRouter())
        #expect(summary.loops == 1)
        // end
    }

    @Test("a type's name and the number of its version")
    func names() {
        #expect(Orders.Event.versions.name == "orders.event")
        #expect(Orders.Event.versions.current == 2)
        #expect(Invoices.Event.versions.formerNames == ["Shop.Shop.Event"])
    }
}
