import Foundation
import MobiusCore
import MobiusTestKit
import Testing

/// Faults at moments of the test's choice.
@Suite struct FleetFaultTests {
    /// A fleet whose errands take twenty seconds, and says what it did.
    private static func slowFleet(processes: Int = 1, concurrency: Int = 16) -> (TestFleet<Errands>, Deeds) {
        let clock = FleetClock()
        let deeds = Deeds()
        let fleet = Errands.fleet(processes: processes, concurrency: concurrency, clock: clock) { name, _ in
            deeds.add("begin \(name)")
            try await clock.sleep(for: .seconds(20))
            deeds.add("end \(name)")
        }
        return (fleet, deeds)
    }

    @Test func aKilledWorkersHandlerVanishesAndRunsAgain() async throws {
        let (fleet, deeds) = Self.slowFleet()
        fleet.send(.wanted("milk"))
        try await fleet.run(for: .seconds(5))
        fleet.killWorker(in: "runners")
        #expect(fleet.runs(of: .run("milk")).map(\.outcome) == [.lost])
        try await fleet.runUntilQuiet()
        #expect(deeds.all == ["begin milk", "begin milk", "end milk"])
        #expect(fleet.runs(of: .run("milk")).map(\.outcome) == [.lost, .finished])
        #expect(fleet.runs(of: .run("milk")).map(\.process) == ["runners 0#1", "runners 0#2"])
        #expect(fleet.model.done == ["milk"])
        try await fleet.finish()
    }

    @Test func theWorkerThatRunsAnEffectIsKilled() async throws {
        let (fleet, deeds) = Self.slowFleet(processes: 3, concurrency: 1)
        fleet.send(.both("milk", "bread"))
        try await fleet.run(untilTrue: fleet.effects.filter { $0.state == .running }.count == 2)
        let milk = try #require(fleet.effects.first { $0.effect == .run("milk") })
        #expect(fleet.killWorker(running: milk.id))
        #expect(!fleet.killWorker(running: milk.id))
        try await fleet.runUntilQuiet()
        #expect(deeds.all.count { $0 == "begin milk" } == 2)
        #expect(fleet.runs(of: .run("bread")).count == 1)
        try await fleet.finish()
    }

    @Test func atMostOnceIsOnceAndItsLoopHearsOfIt() async throws {
        let (fleet, deeds) = Self.slowFleet()
        fleet.send(.ask(.once("milk")))
        try await fleet.run(for: .seconds(5))
        fleet.killWorker(in: "runners")
        try await fleet.runUntilQuiet()
        #expect(deeds.all == ["begin milk"])
        #expect(fleet.model.failed["milk"]?.contains("unknown") == true)
        try await fleet.finish()
    }

    @Test func whatAStoppedWorkerSaysTooLateCountsForNothing() async throws {
        let (fleet, deeds) = Self.slowFleet(processes: 2)
        fleet.send(.wanted("milk"))
        try await fleet.run(untilTrue: fleet.effects.contains { $0.state == .running })
        let worker = fleet.runs.first?.process.hasPrefix("runners 0") == true ? 0 : 1
        fleet.stopWorker(worker, in: "runners")
        try await fleet.run(for: .seconds(60))
        #expect(fleet.model.done == ["milk"])
        #expect(deeds.all == ["begin milk", "begin milk", "end milk"], "it sleeps though its time is over")
        fleet.continueWorker(worker, in: "runners")
        try await fleet.runUntilQuiet()
        #expect(deeds.all.count == 4)
        #expect(fleet.model.done == ["milk"])
        try await fleet.finish()
    }

    @Test func aWorkerThatLeavesFinishesFirst() async throws {
        let (fleet, deeds) = Self.slowFleet()
        fleet.send(.wanted("milk"))
        try await fleet.run(for: .seconds(5))
        fleet.drainWorker(in: "runners")
        fleet.send(.wanted("bread"))
        try await fleet.runUntilQuiet()
        #expect(deeds.all == ["begin milk", "end milk", "begin bread", "end bread"])
        #expect(fleet.runs(of: .run("bread")).map(\.process) == ["runners 0#2"])
        try await fleet.finish()
    }

    @Test func aKilledCoordinatorGoesOnWhereItWas() async throws {
        let (fleet, deeds) = Self.slowFleet()
        fleet.send(.wanted("milk"))
        try await fleet.run(for: .seconds(5))
        fleet.killCoordinator()
        fleet.send(.wanted("bread"))
        try await fleet.runUntilQuiet()
        #expect(
            deeds.all.sorted() == ["begin bread", "begin milk", "end bread", "end milk"], "a worker goes on meanwhile")
        #expect(fleet.model.done == ["milk", "bread"])
        try await fleet.finish()
    }

    @Test(arguments: TestFleet<Errands>.CoordinatorMoment.allCases)
    func theCoordinatorDiesAtExactPlaces(moment: TestFleet<Errands>.CoordinatorMoment) async throws {
        let (fleet, _) = Self.slowFleet()
        try await fleet.run(for: .seconds(1))
        fleet.killCoordinator(at: moment)
        fleet.send(.wanted("milk"))
        try await fleet.runUntilQuiet()
        #expect(fleet.trace.contains { $0.contains("coordinator#1  is gone") })
        #expect(fleet.model.done == ["milk"])
        #expect(fleet.events == [.wanted("milk"), .done("milk"), .noted("milk")])
        try await fleet.finish()
    }

    @Test func aHandlerOfTheCoordinatorRunsAgainToo() async throws {
        let clock = FleetClock()
        let deeds = Deeds()
        let routes = EffectRouter<Errands.Effect, Errands.Event>().routeCase(Errands.Effect.note).toEvent { name in
            deeds.add("begin")
            try? await clock.sleep(for: .seconds(10))
            deeds.add("end")
            return .noted(name)
        }
        let fleet = TestFleet(Errands.self, routes: routes, clock: clock)
        fleet.send(.ask(.note("milk")))
        try await fleet.run(for: .seconds(5))
        fleet.killCoordinator()
        try await fleet.runUntilQuiet()
        #expect(deeds.all == ["begin", "begin", "end"])
        #expect(fleet.model.noted == ["milk"])
        #expect(fleet.allEffects.map(\.pool) == [nil])
        try await fleet.finish()
    }

    @Test(arguments: TestFleet<Errands>.MessageKind.allCases)
    func lostMessagesAreSentAgain(kind: TestFleet<Errands>.MessageKind) async throws {
        let (fleet, deeds) = Self.slowFleet()
        try await fleet.run(for: .seconds(1))
        fleet.loseNextMessage(kind)
        fleet.send(.wanted("milk"))
        try await fleet.runUntilQuiet()
        try await fleet.run(for: .seconds(5))
        #expect(fleet.trace.contains { $0.contains("loses a message") })
        #expect(deeds.all == ["begin milk", "end milk"])
        #expect(fleet.model.done == ["milk"])
        try await fleet.finish()
    }

    @Test func aCutNetworkIsALostWorker() async throws {
        let (fleet, deeds) = Self.slowFleet(processes: 2)
        fleet.send(.wanted("milk"))
        try await fleet.run(untilTrue: fleet.effects.contains { $0.state == .running })
        let worker = fleet.runs.first?.process.hasPrefix("runners 0") == true ? 0 : 1
        fleet.cutNetwork(to: worker, in: "runners", for: .seconds(40))
        try await fleet.runUntilQuiet()
        #expect(deeds.all.count { $0 == "begin milk" } == 2)
        #expect(fleet.model.done == ["milk"])
        try await fleet.finish()
    }

    @Test func aShortCutIsNoLoss() async throws {
        let (fleet, deeds) = Self.slowFleet(processes: 2)
        fleet.send(.wanted("milk"))
        try await fleet.run(for: .seconds(2))
        fleet.cutNetwork(for: .seconds(4))
        try await fleet.runUntilQuiet()
        #expect(deeds.all == ["begin milk", "end milk"])
        try await fleet.finish()
    }

    @Test func aFullDiskHoldsEverythingUpAndLosesNothing() async throws {
        let (fleet, deeds) = Self.slowFleet()
        try await fleet.run(for: .seconds(1))
        fleet.fillDisk()
        fleet.send(.wanted("milk"))
        try await fleet.run(for: .seconds(30))
        #expect(fleet.events.isEmpty)
        #expect(deeds.all.isEmpty)
        fleet.freeDisk()
        try await fleet.runUntilQuiet()
        #expect(fleet.model.done == ["milk"])
        try await fleet.finish()
    }

    @Test func aJumpOfTheCalendarDoesNotMoveWhatCountsFromAnEvent() async throws {
        let (fleet, _) = Self.slowFleet()
        let date = fleet.date
        fleet.send(.later("milk", seconds: 3600))
        try await fleet.run(for: .seconds(5))
        fleet.jumpCalendar(by: .seconds(7200))
        try await fleet.runUntilQuiet(within: .seconds(4000))
        #expect(fleet.now > .seconds(3600))
        #expect(fleet.date.timeIntervalSince(date) > 7200)
        #expect(fleet.model.done == ["milk"])
        try await fleet.finish()
    }

    @Test func faultsFromWithinAHandler() async throws {
        let clock = FleetClock()
        let deeds = Deeds()
        let weak = Box()
        let fleet = Errands.fleet(clock: clock) { name, _ in
            deeds.add(name)
            if deeds.all.count == 1 { weak.fleet?.killWorker(in: "runners") }
            try await clock.sleep(for: .seconds(1))
            deeds.add("end")
        }
        weak.fleet = fleet
        fleet.send(.wanted("milk"))
        try await fleet.runUntilQuiet()
        #expect(deeds.all == ["milk", "milk", "end"])
        try await fleet.finish()
    }

    private final class Box: @unchecked Sendable {
        // Set before the fleet runs, and only read then.
        weak var fleet: TestFleet<Errands>?
    }
}
