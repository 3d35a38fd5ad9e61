import Counter
import MobiusCore
import MobiusTestKit
import Synchronization
import Testing

// example: program
/// Members pay every thirty days, and are out when the treasury says no.
enum Club: LoopProgram {
    struct Model: Codable, Equatable, Sendable {
        var paid: [String: Int] = [:]
        var out: [String: String] = [:]
    }

    enum Event: Codable, Equatable, Sendable {
        case joined(String)
        case paid(String)
        case refused(String, String)
        case due(String)
    }

    enum Effect: Codable, Equatable, Sendable {
        case charge(String)
        case remind(String)
    }

    static func initiate() -> First<Model, Effect> { First(model: Model()) }

    static func update(_ model: Model, _ event: Event) -> Next<Model, Effect> {
        var model = model
        switch event {
        case .joined(let name), .due(let name):
            return .dispatchEffects([.charge(name)])
        case .paid(let name):
            model.paid[name, default: 0] += 1
            return .next(model, effects: [.remind(name)])
        case .refused(let name, let reason):
            model.out[name] = reason
            return .next(model)
        }
    }
}
// end

// example: routes
extension Club {
    /// The coordinator's routes; its executable says `var routes: Routes { Club.routes }`.
    static var routes: EffectRouter<Effect, Event> {
        EffectRouter()
            .routeCase(Effect.charge).toWorkers(
                "treasury", policy: EffectPolicy(retry: RetryPolicy(attempts: 3, initial: .seconds(10)))
            ) { name, failure in .refused(name, failure.description) }
            .routeCase(Effect.remind).toTimer(.after(.seconds(30 * 86_400))) { name in .due(name) }
    }

    /// A worker's handlers; its executable says `var handler: … { Club.handlers(treasury: RealTreasury(), clock: ContinuousClock()) }`.
    static func handlers(treasury: any Treasury, clock: any Clock<Duration>) -> EffectRouter<Effect, Event> {
        EffectRouter().routeCase(Effect.charge).toWork { name, context in
            try await treasury.charge(name, key: context.idempotencyKey)
            try await clock.sleep(for: .seconds(1))  // it wants its rest
            return .paid(name)
        }
    }
}

protocol Treasury: Sendable {
    func charge(_ name: String, key: String) async throws
}
// end

// example: fake
/// A treasury that books once for each key, and refuses those whom it does not know.
actor FakeTreasury: Treasury {
    var booked: [String: String] = [:]
    var isClosed = false

    func charge(_ name: String, key: String) throws {
        if isClosed { throw EffectFailed("it is closed") }
        guard name != "Mallory" else { throw EffectFailed("unknown", retryable: false) }
        booked[key] = name
    }

    func close() { isClosed = true }
}
// end

@Suite("Examples: testing fleets")
struct TestingFleetsExamples {
    // example: first
    @Test func membersPayEveryMonth() async throws {
        let clock = FleetClock()
        let treasury = FakeTreasury()
        let fleet = TestFleet(
            Club.self, routes: Club.routes,
            workers: [.pool("treasury", processes: 2) { Club.handlers(treasury: treasury, clock: clock) }],
            clock: clock)

        fleet.send(.joined("Ada"))
        fleet.send(.joined("Mallory"))
        try await fleet.run(for: .seconds(65 * 86_400))

        #expect(fleet.model == Club.Model(paid: ["Ada": 3], out: ["Mallory": "unknown"]))
        #expect(await treasury.booked.count == 3)
        try await fleet.finish()
    }
    // end

    private static func fleet(
        _ treasury: FakeTreasury, seed: UInt64 = 1, faults: FleetFaults = .none
    ) -> TestFleet<Club> {
        let clock = FleetClock()
        return TestFleet(
            Club.self, routes: Club.routes,
            workers: [.pool("treasury", processes: 2) { Club.handlers(treasury: treasury, clock: clock) }], seed: seed,
            faults: faults, clock: clock)
    }

    @Test func killed() async throws {
        let treasury = FakeTreasury()
        let fleet = Self.fleet(treasury)
        // example: kill
        fleet.send(.joined("Ada"))
        try await fleet.run(untilTrue: fleet.effects.contains { $0.state == .running })
        let charge = try #require(fleet.effects.first)

        fleet.killWorker(running: charge.id)  // the treasury has booked, and nobody knows
        try await fleet.run(until: { $0.paid["Ada"] == 1 })

        #expect(fleet.runs(of: charge.id).map(\.outcome) == [.lost, .finished])
        #expect(await treasury.booked.count == 1)  // because both used the same key
        // end
        try await fleet.finish()
    }

    @Test func commit() async throws {
        let fleet = Self.fleet(FakeTreasury())
        // example: moment
        fleet.killCoordinator(at: .afterCommit)
        fleet.send(.joined("Ada"))
        try await fleet.run(until: { $0.paid["Ada"] == 1 })
        #expect(fleet.events == [.joined("Ada"), .paid("Ada")])
        // end
    }

    @Test func closed() async throws {
        let treasury = FakeTreasury()
        await treasury.close()
        let fleet = Self.fleet(treasury)
        // example: dead
        fleet.send(.joined("Ada"))
        try await fleet.runUntilQuiet()  // 10 s and 20 s between the attempts
        #expect(fleet.deadLetters.map(\.reason) == ["it is closed"])
        #expect(fleet.runs.count == 3)
        #expect(fleet.model.out == ["Ada": "it is closed"])
        // end
    }

    // example: seeds
    @Test func nobodyPaysTwice() async throws {
        let faults = FleetFaults([.killWorker, .stopWorker, .killCoordinator, .cutNetwork, .loseMessages])
        try await TestFleet.check(seeds: 1...20) { seed in
            Self.fleet(FakeTreasury(), seed: seed, faults: faults)
        } run: { fleet in
            fleet.send(.joined("Ada"), key: "Ada")
            fleet.send(.joined("Ada"), key: "Ada")
            try await fleet.run(for: .seconds(600))
            let model = fleet.model
            try #require(model.paid["Ada"] == 1 || model.out["Ada"] != nil)
        }
    }
    // end

    // example: counter
    @Test func theSoundOfAKilledPlayerIsPlayedByTheNext() async throws {
        let clock = FleetClock()
        let player = EffectRouter<Counter.Effect, Counter.Event>().routeCase(Counter.Effect.playSound).to { _ in
            try? await clock.sleep(for: .seconds(5))  // passes at once
        }
        let fleet = TestFleet(
            Counter.self, routes: Counter.routes, workers: [.pool("sound-player") { player }], clock: clock)

        fleet.send(.decrement)
        try await fleet.run(for: .seconds(2))
        fleet.killWorker(in: "sound-player")
        try await fleet.runUntilQuiet()

        #expect(fleet.runs(of: .playSound).map(\.outcome) == [.lost, .finished])
        try await fleet.finish()  // all promises were kept
    }
    // end
}
