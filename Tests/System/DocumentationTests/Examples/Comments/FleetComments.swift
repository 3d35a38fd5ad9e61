import Greeter
import MobiusClient
import MobiusCoordinator
import MobiusCore
import MobiusTestKit
import MobiusWorker
import Testing

/// What the documentation comments of clients and of TestFleet show.
@Suite("Comments: fleets") struct FleetComments {
    enum Shop: LoopProgram {
        struct Model: Codable, Equatable, Sendable {
            var charged: [String] = []
        }

        enum Event: Codable, Equatable, Sendable {
            case ordered(String)
            case charged(String)
        }

        enum Effect: Codable, Equatable, Sendable { case charge(String) }

        static func initiate() -> First<Model, Effect> { First(model: Model()) }

        static func update(_ model: Model, _ event: Event) -> Next<Model, Effect> {
            switch event {
            case .ordered(let what): .dispatchEffects([.charge(what)])
            case .charged(let what): .next(Model(charged: model.charged + [what]))
            }
        }
    }

    private var shopRoutes: EffectRouter<Shop.Effect, Shop.Event> {
        EffectRouter().routeCase(Shop.Effect.charge).toWorkers("bank") { what, _ in .charged(what) }
    }

    private func bankHandlers(clock: any Clock<Duration>) -> EffectRouter<Shop.Effect, Shop.Event> {
        EffectRouter().routeCase(Shop.Effect.charge).toWork { what, _ in
            try await clock.sleep(for: .seconds(2))
            return .charged(what)
        }
    }

    @Test("a whole fleet")
    func fleet() async throws {
        // example: comment-fleet
        let clock = FleetClock()
        let fleet = TestFleet(
            Shop.self, routes: shopRoutes,
            workers: [.pool("bank", processes: 2) { bankHandlers(clock: clock) }],
            clock: clock)

        fleet.send(.ordered("tea"))
        try await fleet.run(for: .seconds(1))
        fleet.killWorker(in: "bank")
        try await fleet.runUntilQuiet()
        #expect(fleet.model == Shop.Model(charged: ["tea"]))
        try await fleet.finish()
        // end
    }

    @Test("its clock, its effects and its runs")
    func parts() async throws {
        // example: comment-fleet-clock
        let clock = FleetClock()
        let fleet = TestFleet(
            Shop.self, routes: shopRoutes, workers: [.pool("bank") { bankHandlers(clock: clock) }], clock: clock)
        // end
        fleet.send(.ordered("tea"))
        // example: comment-fleet-until
        try await fleet.run(untilTrue: fleet.effects.contains { $0.state == .running })
        // end
        try await fleet.runUntilQuiet()
        // example: comment-fleet-runs
        #expect(fleet.runs(of: .charge("tea")).count == 1)
        // end
    }

    @Test("seeds")
    func seeds() async throws {
        let routes = shopRoutes
        let workers = [
            TestFleet<Shop>.Workers.pool("bank") {
                EffectRouter().routeCase(Shop.Effect.charge).toEvent { what in .charged(what) }
            }
        ]
        // example: comment-fleet-seeds
        try await TestFleet.check(seeds: 1...5) { seed in
            TestFleet(Shop.self, routes: routes, workers: workers, seed: seed, faults: .all)
        } run: { fleet in
            fleet.send(.ordered("tea"))
            try await fleet.runUntilQuiet()
            try #require(fleet.model.charged == ["tea"])
        }
        // end
    }

    private func send() async throws {
        // example: comment-client
        let client = FleetClient(connect: "tcp://127.0.0.1:5702")
        try await client.send(Greeter.Event.guestArrived("Ada"), key: "visit-4711")
        await client.close()
        // end
    }
}

// example: comment-worker
struct GreeterWorker: WorkerCommand {
    static let pool = "greeters"

    var handler: EffectRouter<Greeter.Effect, Greeter.Event> {
        EffectRouter().routeCase(Greeter.Effect.greet).toEvent { name in .greeted(name) }
    }
}
// end

// example: comment-coordinator
struct GreeterCoordinator: CoordinatorCommand {
    typealias Program = Greeter

    var routes: Routes {
        Routes().routeCase(Greeter.Effect.greet).toWorkers("greeters", timeout: .seconds(5)) { name, failure in
            .greetingFailed(name, failure.description)
        }
    }
}
// end

/// A program of whose events one case has changed.
enum Basket {
    enum Event: Codable, Sendable {
        case placed([String], by: String?)
        case cancelled
    }
}

// example: comment-evolution
extension Basket.Event: PayloadEvolution {
    private enum First: Codable { case placed(order: String) }

    static let versions = PayloadVersions("shop.event", formerly: "Shop.Basket.Event", startingWith: Self.self)
        .changing(First.self) { first in
            switch first {
            case .placed(let order): .placed([order], by: nil)
            }
        }
}
// end
