import MobiusCore
import MobiusTestKit
import Testing

// example: program
/// Ships what was paid for, once, however often the payment is reported.
enum Shipping: LoopProgram {
    struct Model: Codable, Sendable, Equatable {
        var paid: Set<Int> = []
        var shipped: [Int] = []
    }

    enum Event: Codable, Sendable, Equatable {
        case paid(order: Int)
        case shipped(order: Int)
        case notShipped(order: Int, String)
    }

    enum Effect: Codable, Sendable, Equatable { case ship(order: Int) }

    static func initiate() -> First<Model, Effect> { First(model: Model()) }

    static func update(_ model: Model, _ event: Event) -> Next<Model, Effect> {
        var model = model
        switch event {
        case .paid(let order):
            // Two reports with different keys may mean the same payment.
            guard model.paid.insert(order).inserted else { return .noChange }
            return .next(model, effects: [.ship(order: order)])
        case .shipped(let order):
            model.shipped.append(order)
            return .next(model)
        case .notShipped:
            return .noChange
        }
    }
}
// end

// example: routes
extension Shipping {
    static let routes = EffectRouter<Effect, Event>()
        .routeCase(Effect.ship).toWorkers("carriers") { order, failure in
            .notShipped(order: order, failure.description)
        }

    static func handlers(_ carrier: any Carrier) -> EffectRouter<Effect, Event> {
        EffectRouter().routeCase(Effect.ship).toWork { order, context in
            try await carrier.ship(order, idempotencyKey: context.idempotencyKey)
            return .shipped(order: order)
        }
    }
}

protocol Carrier: Sendable {
    /// Ships once for each key.
    func ship(_ order: Int, idempotencyKey: String) async throws
}
// end

private actor FakeCarrier: Carrier {
    private(set) var shipments: [String: Int] = [:]
    private(set) var calls = 0
    private let clock: FleetClock

    init(_ clock: FleetClock) { self.clock = clock }

    func ship(_ order: Int, idempotencyKey: String) async throws {
        calls += 1
        shipments[idempotencyKey] = order
        try await clock.sleep(for: .seconds(1))
    }
}

@Suite("Cookbook: deduplication")
struct DeduplicationRecipe {
    // example: test
    @Test func oneParcelLeavesWhateverIsRepeated() async throws {
        let clock = FleetClock()
        let carrier = FakeCarrier(clock)
        let fleet = TestFleet(
            Shipping.self, routes: Shipping.routes, workers: [.pool("carriers") { Shipping.handlers(carrier) }],
            clock: clock)
        fleet.send(.paid(order: 7), key: "payment-1")
        fleet.send(.paid(order: 7), key: "payment-1")  // the sender got no confirmation: not applied
        fleet.send(.paid(order: 7), key: "payment-2")  // another report: applied, and update ignores it
        try await fleet.run(untilTrue: fleet.effects.contains { $0.state == .running })
        try await fleet.run(for: .milliseconds(500))
        fleet.killWorker(in: "carriers")  // the carrier has the order, and the answer is lost
        try await fleet.runUntilQuiet()
        #expect(fleet.model.shipped == [7])
        #expect(await carrier.calls == 2)
        #expect(await carrier.shipments.count == 1)
        try await fleet.finish()
    }
    // end
}
