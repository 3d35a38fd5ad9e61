import FleetTestSupport
import MobiusCoordinator
import MobiusCore
import MobiusTestKit
import TestTraits
import Testing

// example: program
/// The subscription of one customer: each customer has a loop.
enum Subscription: LoopProgram {
    struct Model: Codable, Sendable, Equatable {
        var plan: String?
        var renewals = 0
    }

    enum Event: Codable, Sendable, Equatable {
        case subscribed(String)
        case monthPassed
        case cancelled
    }

    enum Effect: Codable, Sendable, Equatable {
        case waitAMonth
        case stopWaiting
    }

    static func initiate() -> First<Model, Effect> { First(model: Model()) }

    static func update(_ model: Model, _ event: Event) -> Next<Model, Effect> {
        var model = model
        switch event {
        case .subscribed(let plan):
            guard model.plan == nil else { return .noChange }
            model.plan = plan
            return .next(model, effects: [.waitAMonth])
        case .monthPassed:
            guard model.plan != nil else { return .noChange }  // the timer was faster than its cancelling
            model.renewals += 1
            return .next(model, effects: [.waitAMonth])
        case .cancelled:
            model.plan = nil
            return .next(model, effects: [.stopWaiting])
        }
    }
}

extension Subscription {
    static let routes = EffectRouter<Effect, Event>()
        .routeCase(Effect.waitAMonth).toTimer(.after(.seconds(30 * 86_400))) { .monthPassed }
        .routeCase(Effect.stopWaiting).cancels { _, underWay in underWay == .waitAMonth }
}
// end

// example: send
/// Subscribes a customer; returns when that is on disk.
func subscribe(
    _ customer: String, to plan: String, order: String, _ fleet: LoopHandle<Subscription>
) async throws {
    guard let loop = LoopID("customer/\(customer)") else { throw UnusableName() }
    try await fleet.loop(loop).send(.subscribed(plan), key: order)
}

struct UnusableName: Error {}
// end

@Suite("Cookbook: a loop for each entity", .patient)
struct EntitiesRecipe {
    // example: test
    @Test func customersDoNotShareAnything() async throws {
        let fleet = TestFleet(Subscription.self, routes: Subscription.routes)
        let (ada, grace) = (LoopID("customer/ada")!, LoopID("customer/grace")!)
        fleet.send(.subscribed("daily"), to: ada)
        fleet.send(.subscribed("weekly"), to: grace)
        try await fleet.run(for: .seconds(45 * 86_400))
        fleet.send(.cancelled, to: grace)
        try await fleet.run(for: .seconds(30 * 86_400))
        #expect(fleet.model(of: ada) == Subscription.Model(plan: "daily", renewals: 2))
        #expect(fleet.model(of: grace) == Subscription.Model(plan: nil, renewals: 1))
        try await fleet.finish()
    }
    // end

    @Test func aCustomersNameIsALoop() async throws {
        try await withCoordinator(of: Subscription.self, Subscription.routes) { loop in
            try await subscribe("ada", to: "daily", order: "1", loop)
            try await subscribe("ada", to: "weekly", order: "2", loop)
            let model = await loop.loop("customer/ada").models.first { _ in true }
            #expect(model?.plan == "daily")
            await #expect(throws: UnusableName.self) {
                try await subscribe(String(repeating: "a", count: 200), to: "daily", order: "3", loop)
            }
        }
    }
}
