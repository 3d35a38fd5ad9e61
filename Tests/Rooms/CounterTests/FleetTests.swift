import Counter
import MobiusCore
import MobiusTestKit
import Synchronization
import Testing

/// The counter as a fleet: its routes, a sound player, and what befalls them.
struct FleetTests {
    /// A player that takes so long, and remembers what it played.
    private final class Player: Sendable {
        let played = Mutex(0)
        let clock = FleetClock()
        let length: Duration

        init(length: Duration = .seconds(1)) { self.length = length }

        var handlers: EffectRouter<Counter.Effect, Counter.Event> {
            EffectRouter().routeCase(Counter.Effect.playSound).to { [self] _ in
                try? await clock.sleep(for: length)
                if !Task.isCancelled { played.withLock { $0 += 1 } }
            }
        }

        func fleet(startingAt count: Int = 0) -> TestFleet<Counter> {
            TestFleet(
                Counter.self, routes: Counter.routes, workers: [.pool("sound-player") { self.handlers }],
                startingWith: First(model: Counter.Model(count: count)), clock: clock)
        }

        var count: Int { played.withLock { $0 } }
    }

    @Test func belowZeroTheWorkerPlaysASound() async throws {
        let player = Player()
        let fleet = player.fleet(startingAt: 1)
        fleet.send(.decrement)
        try await fleet.runUntilQuiet()
        #expect(fleet.model.count == 0)
        #expect(player.count == 0)
        fleet.send(.decrement)
        try await fleet.runUntilQuiet()
        #expect(fleet.model == Counter.Model(count: 0))
        #expect(player.count == 1)
        #expect(fleet.allEffects.map(\.pool) == ["sound-player"])
        try await fleet.finish()
    }

    @Test func theCountSurvivesTheCoordinator() async throws {
        let fleet = Player().fleet()
        for _ in 0..<5 { fleet.send(.increment) }
        try await fleet.run(until: { $0.count == 5 })
        fleet.killCoordinator()
        fleet.send(.decrement)
        try await fleet.runUntilQuiet()
        #expect(fleet.model.count == 4)
        #expect(fleet.events.count == 6)
        try await fleet.finish()
    }

    @Test func theSoundOfAKilledPlayerIsPlayedByTheNext() async throws {
        let player = Player(length: .seconds(5))
        let fleet = player.fleet()
        fleet.send(.decrement)
        try await fleet.run(for: .seconds(2))
        fleet.killWorker(in: "sound-player")
        try await fleet.runUntilQuiet()
        #expect(player.count == 1)
        #expect(fleet.runs(of: .playSound).map(\.outcome) == [.lost, .finished])
        #expect(fleet.model == Counter.Model(count: 0))
        try await fleet.finish()
    }

    @Test func aSoundThatCostsTwoPlayersIsNotPlayed() async throws {
        let player = Player(length: .seconds(5))
        let fleet = player.fleet()
        fleet.send(.decrement)
        try await fleet.run(for: .seconds(2))
        fleet.killWorker(in: "sound-player")
        // The loss is noticed after three seconds.
        try await fleet.run(for: .seconds(5))
        fleet.killWorker(in: "sound-player")
        try await fleet.runUntilQuiet()
        #expect(player.count == 0)
        #expect(fleet.runs(of: .playSound).map(\.outcome) == [.lost, .lost])
        #expect(fleet.model.complaint != nil)
        try await fleet.finish()
    }

    @Test func aSoundThatNobodyPlaysInTimeIsForgotten() async throws {
        let player = Player(length: .seconds(8))
        let fleet = player.fleet()
        // One worker plays as many at a time as it has slots; the others wait, and what waits too long is not played.
        for _ in 0..<200 { fleet.send(.decrement) }
        try await fleet.runUntilQuiet()
        let failed = fleet.events.count { if case .soundFailed = $0 { true } else { false } }
        #expect(player.count + failed == 200)
        #expect(player.count > 0 && failed > 0)
        try await fleet.finish()
    }

    @Test func aSoundThatNeverEndsIsComplainedOf() async throws {
        let player = Player(length: .seconds(3600))
        let fleet = player.fleet()
        fleet.send(.decrement)
        let model = try await fleet.run(until: { $0.complaint != nil }, within: .seconds(15))
        #expect(model.count == 0)
        #expect(fleet.now > .seconds(10))
        try await fleet.runUntilQuiet()
        #expect(player.count == 0, "it was told to stop")
        fleet.send(.increment)
        try await fleet.runUntilQuiet()
        #expect(fleet.model == Counter.Model(count: 1))
        try await fleet.finish()
    }

    @Test func whateverGoesWrongTheCountIsRight() async throws {
        try await TestFleet.check(seeds: 1...30) { seed in
            let player = Player()
            return TestFleet(
                Counter.self, routes: Counter.routes,
                workers: [.pool("sound-player", processes: 2) { player.handlers }],
                // While the coordinator is away the events' order is anybody's: even the five decrements first are not
                // to meet zero.
                startingWith: First(model: Counter.Model(count: 5)), seed: seed, faults: .all, clock: player.clock)
        } run: { fleet in
            for number in 0..<20 {
                fleet.send(number % 4 == 3 ? .decrement : .increment)
                try await fleet.run(for: .milliseconds(50))
            }
            try await fleet.runUntilQuiet()
            try #require(fleet.model.count == 15)
            // A sound whose player is lost is complained of.
            let keys = fleet.events.count { if case .soundFailed = $0 { false } else { true } }
            try #require(keys == 20)
        }
    }
}
