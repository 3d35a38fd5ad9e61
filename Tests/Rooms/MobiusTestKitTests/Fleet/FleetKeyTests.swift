import MobiusCore
import MobiusEngine
import MobiusProgram
import MobiusTestKit
import MobiusWire
import Synchronization
import Testing

/// Routes with keys, in a whole fleet.
@Suite struct FleetKeyTests {
    /// A program that mails what it is told to, for tenants.
    enum Mail: LoopProgram {
        struct Letter: Codable, Sendable, Equatable {
            let tenant: String
            let number: Int
        }

        struct Model: Codable, Sendable, Equatable { var sent: [Letter] = [] }

        enum Event: Codable, Sendable, Equatable {
            case wanted(tenant: String, count: Int)
            case sent(Letter)
            case unsent
        }

        enum Effect: Codable, Sendable, Equatable {
            case send(Letter)
        }

        static func initiate() -> First<Model, Effect> { First(model: Model()) }

        static func update(_ model: Model, _ event: Event) -> Next<Model, Effect> {
            switch event {
            case .wanted(let tenant, let count):
                return .dispatchEffects((0..<count).map { .send(Letter(tenant: tenant, number: $0)) })
            case .sent(let letter): return .next(Model(sent: model.sent + [letter]))
            case .unsent: return .noChange
            }
        }

        static func routes(_ policy: EffectPolicy) -> EffectRouter<Effect, Event> {
            EffectRouter().routeCase(Effect.send).toWorkers("mail", policy: policy, key: \.tenant) { _, _ in .unsent }
        }
    }

    private func fleet(
        _ policy: EffectPolicy = EffectPolicy(), concurrency: Int, seed: UInt64 = 1, faults: FleetFaults = .none,
        clock: FleetClock = FleetClock(), _ work: @escaping @Sendable (Mail.Letter) async throws -> Void
    ) -> TestFleet<Mail> {
        let handler = EffectRouter<Mail.Effect, Mail.Event>().routeCase(Mail.Effect.send).toWork { letter, _ in
            try await work(letter)
            return .sent(letter)
        }
        return TestFleet(
            routes: Mail.routes(policy), workers: [.pool("mail", concurrency: concurrency) { handler }], seed: seed,
            faults: faults, clock: clock)
    }

    @Test func aTenantWithManyEffectsDelaysAnotherByOne() async throws {
        let clock = FleetClock()
        let fleet = fleet(concurrency: 1, clock: clock) { _ in try await clock.sleep(for: .seconds(1)) }
        fleet.send(.wanted(tenant: "a", count: 200))
        try await fleet.run(until: { $0.sent.count == 3 })
        fleet.send(.wanted(tenant: "b", count: 1))
        try await fleet.run(until: { $0.sent.contains { $0.tenant == "b" } })
        // Those that ran and that were on their way, and one more.
        #expect(fleet.model.sent.count <= 7)
        try await fleet.finish()
    }

    @Test func aLimitPerKeyHoldsForEachTenant() async throws {
        let clock = FleetClock()
        let running = Mutex<[String: Int]>([:])
        let most = Mutex<[String: Int]>([:])
        let policy = EffectPolicy(limitPerKey: EffectLimit("tenant", concurrency: 2))
        let fleet = fleet(policy, concurrency: 16, clock: clock) { letter in
            let now = running.withLock { running in
                running[letter.tenant, default: 0] += 1
                return running[letter.tenant] ?? 0
            }
            most.withLock { $0[letter.tenant] = max($0[letter.tenant] ?? 0, now) }
            try await clock.sleep(for: .seconds(1))
            running.withLock { $0[letter.tenant, default: 0] -= 1 }
        }
        for tenant in ["a", "b", "c"] { fleet.send(.wanted(tenant: tenant, count: 6)) }
        try await fleet.run(until: { $0.sent.count == 18 })
        #expect(most.withLock { $0 } == ["a": 2, "b": 2, "c": 2])
        #expect(fleet.now < .seconds(6))
        try await fleet.finish()
    }
}
