import FleetTestSupport
import MobiusCoordinator
import MobiusCore
import MobiusTestKit
import TestTraits
import Testing

// example: program
/// The subscription of one customer: loops such as `customer/ada`.
enum Subscription: ContextLoopProgram {
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
        case report(Subscribers.Event)
    }

    static func initiate(_ context: LoopContext) -> First<Model, Effect> { First(model: Model()) }

    static func update(_ model: Model, _ event: Event, _ context: LoopContext) -> Next<Model, Effect> {
        var model = model
        let customer = String(context.key)  // ada
        switch event {
        case .subscribed(let plan):
            guard model.plan == nil else { return .noChange }
            model.plan = plan
            return .next(model, effects: [.waitAMonth, .report(.came(customer))])
        case .monthPassed:
            guard model.plan != nil else { return .noChange }  // the timer was faster than its cancelling
            model.renewals += 1
            return .next(model, effects: [.waitAMonth])
        case .cancelled:
            guard model.plan != nil else { return .noChange }
            model.plan = nil
            return .next(model, effects: [.stopWaiting, .report(.left(customer))])
        }
    }
}

extension Subscription: FleetProgram {
    static let kind: LoopKind = "customer"
    static let routes = EffectRouter<Effect, Event>()
        .routeCase(Effect.waitAMonth).toTimer(.after(.seconds(30 * 86_400))) { .monthPassed }
        .routeCase(Effect.stopWaiting).cancels { _, underWay in underWay == .waitAMonth }
        .routeCase(Effect.report).toLoop { event in (Address<Subscribers>.only, event) }
}
// end

// example: total
/// All who have a subscription: one loop, `subscribers`.
enum Subscribers: LoopProgram {
    struct Model: Codable, Sendable, Equatable { var names: [String] = [] }
    enum Event: Codable, Sendable, Equatable { case came(String), left(String) }
    typealias Effect = Never

    static func initiate() -> First<Model, Effect> { First(model: Model()) }

    static func update(_ model: Model, _ event: Event) -> Next<Model, Effect> {
        switch event {
        case .came(let name): .next(Model(names: model.names + [name]))
        case .left(let name): .next(Model(names: model.names.filter { $0 != name }))
        }
    }
}

extension Subscribers: FleetProgram {
    static let kind: LoopKind = "subscribers"
}
// end

// example: facts
extension Subscription: FindableProgram {
    static func facts(_ model: Model) -> Facts { ["plan": model.plan, "renewals": model.renewals] }
}
// end

// example: coordinator
/// Marked with `@main` in an executable of its own.
struct Newspaper: CoordinatorCommand {
    var programs: Programs {
        Subscription.self
        Subscribers.self
    }
}
// end

// example: send
/// Subscribes a customer; returns when that is on disk.
func subscribe(
    _ customer: String, to plan: String, order: String, _ loop: LoopHandle<Programs>
) async throws {
    let address = Address<Subscription>(customer)
    guard address.loop != nil else { throw UnusableName() }  // customers may have chosen longer ones than loops have
    try await loop[address].send(.subscribed(plan), key: order)
}

struct UnusableName: Error {}
// end

@Suite("Cookbook: a loop for each entity", .patient)
struct EntitiesRecipe {
    // example: test
    @Test func customersShareNothingButTheirTotal() async throws {
        let fleet = TestFleet(programs: Newspaper().programs)
        let (ada, grace) = (Address<Subscription>("ada"), Address<Subscription>("grace"))
        fleet.send(.subscribed("daily"), to: ada)
        fleet.send(.subscribed("weekly"), to: grace)
        try await fleet.run(for: .seconds(45 * 86_400))
        fleet.send(.cancelled, to: grace)
        try await fleet.run(for: .seconds(30 * 86_400))
        #expect(fleet.model(of: ada) == Subscription.Model(plan: "daily", renewals: 2))
        #expect(fleet.model(of: grace) == Subscription.Model(plan: nil, renewals: 1))
        #expect(fleet.model(of: Address<Subscribers>.only).names == ["ada"])
        try await fleet.finish()
    }
    // end

    @Test func aCustomersNameIsALoop() async throws {
        try await withCoordinator(of: Newspaper().programs) { loop in
            try await subscribe("ada", to: "daily", order: "1", loop)
            try await subscribe("ada", to: "weekly", order: "2", loop)
            let model = await loop[Address<Subscription>("ada")].models.first { _ in true }
            #expect(model?.plan == "daily")
            await #expect(throws: UnusableName.self) {
                try await subscribe(String(repeating: "a", count: 200), to: "daily", order: "3", loop)
            }
        }
    }
}
