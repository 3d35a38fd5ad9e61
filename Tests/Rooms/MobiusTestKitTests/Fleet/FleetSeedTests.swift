import MobiusTestKit
import Testing

/// Chance: the same for the same seed, and whatever it brings, promises are kept.
@Suite struct FleetSeedTests {
    @Test(arguments: [1, 7, 23] as [UInt64])
    func equalSeedsAreEqualRuns(seed: UInt64) async throws {
        let first = try await Self.run(seed)
        let second = try await Self.run(seed)
        #expect(first == second)
        #expect(first.count > 50)
    }

    @Test func otherSeedsAreOtherRuns() async throws {
        #expect(try await Self.run(1) != Self.run(2))
    }

    @Test func anythingMayGoWrong() async throws {
        try await TestFleet.check(seeds: 1...60) {
            Self.fleet($0, .all)
        } run: { fleet in
            try await Self.shop(in: fleet)
            // Each errand ends one way or the other, once.
            let model = fleet.model
            let names = (model.done + model.failed.keys).sorted()
            try #require(names == (0..<10).map { "\($0)" })
        }
    }

    @Test func whereOnlyTheCoordinatorDiesEachErrandIsRunOnce() async throws {
        let faults = FleetFaults([.killCoordinator, .restartCoordinator], limit: 5)
        try await TestFleet.check(seeds: 1...30) {
            Self.fleet($0, faults)
        } run: { fleet in
            try await Self.shop(in: fleet)
            try #require(fleet.model.done.count == 10)
            for number in 0..<10 { try #require(fleet.runs(of: .run("\(number)")).count == 1) }
        }
    }

    @Test func aTestThatFailsNamesItsSeedAndSaysWhatHappened() async throws {
        let error = await #expect(throws: TestFleetError.self) {
            try await TestFleet.check(seeds: 4...9) {
                Errands.fleet(seed: $0)
            } run: { fleet in
                fleet.send(.wanted("milk"))
                try await fleet.runUntilQuiet()
                if fleet.seed == 6 { throw Trouble.bad }
            }
        }
        #expect(error?.code == .seed)
        #expect(error?.seed == 6)
        let text = try #require(error?.description)
        #expect(text.contains("bad"))
        #expect(text.contains("Seed 6"))
        #expect(text.contains("applies done(\"milk\")"))
    }

    private static func fleet(_ seed: UInt64, _ faults: FleetFaults) -> TestFleet<Errands> {
        let clock = FleetClock()
        return Errands.fleet(processes: 2, seed: seed, faults: faults, clock: clock) { name, _ in
            try await clock.sleep(for: .milliseconds(name == "3" ? 9000 : 700))
        }
    }

    private static func shop(in fleet: TestFleet<Errands>) async throws {
        for number in 0..<10 {
            fleet.send(.wanted("\(number)"))
            try await fleet.run(for: .milliseconds(300))
        }
        try await fleet.runUntilQuiet()
    }

    private static func run(_ seed: UInt64) async throws -> [String] {
        let fleet = Self.fleet(seed, .all)
        try await shop(in: fleet)
        return fleet.trace
    }
}
