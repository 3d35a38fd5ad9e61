import MobiusRuntime
import MobiusTestKit
import MobiusWire
import Testing

/// Events in, handlers at work, time that passes.
@Suite struct FleetRunTests {
    @Test func anEventGoesItsWholeWay() async throws {
        let fleet = Errands.fleet()
        fleet.send(.wanted("milk"))
        try await fleet.runUntilQuiet()
        #expect(fleet.model.done == ["milk"])
        #expect(fleet.model.noted == ["milk"])
        #expect(fleet.events == [.wanted("milk"), .done("milk"), .noted("milk")])
        #expect(fleet.effects.isEmpty)
        #expect(fleet.allEffects.map(\.state) == [.ended, .ended])
        #expect(fleet.allEffects.map(\.pool) == ["runners", nil])
        #expect(fleet.runs(of: .run("milk")).map(\.outcome) == [.finished])
        #expect(fleet.now < .seconds(2))
        try await fleet.finish()
    }

    @Test func sleepsOfHandlersPassAtOnce() async throws {
        let clock = FleetClock()
        let fleet = Errands.fleet(clock: clock) { _, _ in try await clock.sleep(for: .seconds(50)) }
        let start = ContinuousClock.now
        fleet.send(.wanted("milk"))
        try await fleet.run(for: .seconds(40))
        #expect(fleet.model.done.isEmpty)
        #expect(fleet.effects.first?.state == .running)
        try await fleet.run(until: { $0.done == ["milk"] })
        #expect(fleet.now > .seconds(50) && fleet.now < .seconds(52))
        #expect(ContinuousClock.now - start < .seconds(40), "nobody waits for the fleet's time to pass")
    }

    @Test func failuresAreTriedAgainAfterTheirPause() async throws {
        let deeds = Deeds()
        let fleet = Errands.fleet { name, context in
            deeds.add("\(context.attempt.number)")
            if deeds.all.count < 3 { throw Trouble.bad }
        }
        fleet.send(.wanted("milk"))
        try await fleet.runUntilQuiet()
        #expect(deeds.all.count == 3)
        #expect(fleet.model.done == ["milk"])
        #expect(fleet.now > .seconds(3))
        let outcomes = fleet.runs(of: .run("milk")).map(\.outcome)
        #expect(outcomes.count == 3 && outcomes.last == .finished)
        try await fleet.finish()
    }

    @Test func anEffectThatFailsForGoodIsADeadLetter() async throws {
        let fleet = Errands.fleet { _, _ in throw Trouble.bad }
        fleet.send(.wanted("milk"))
        try await fleet.runUntilQuiet()
        #expect(fleet.model.failed["milk"]?.contains("bad") == true)
        #expect(fleet.deadLetters.map(\.effect) == [.run("milk")])
        #expect(fleet.deadLetters.first?.failures == 3)
        #expect(fleet.effects.isEmpty)
        #expect(fleet.allEffects.map(\.state) == [.dead])
        try await fleet.finish()
    }

    @Test func handlersRunOutOfTime() async throws {
        let clock = FleetClock()
        let fleet = Errands.fleet(clock: clock) { _, context in
            let left = try #require(context.deadline.map { clock.now.duration(to: $0) })
            #expect(left > .seconds(59) && left <= .seconds(60))
            try await clock.sleep(for: .seconds(3600))
        }
        fleet.send(.wanted("milk"))
        try await fleet.runUntilQuiet()
        #expect(fleet.model.failed == ["milk": "startToClose"] || fleet.model.failed["milk"] != nil)
        #expect(fleet.runs(of: .run("milk")).map(\.outcome) == [.cancelled])
        #expect(fleet.now > .seconds(60) && fleet.now < .seconds(65))
        try await fleet.finish()
    }

    @Test func timersComeAtTheirTime() async throws {
        let fleet = Errands.fleet()
        fleet.send(.later("milk", seconds: 1800))
        fleet.send(.everySecond)
        try await fleet.run(for: .seconds(10))
        #expect((9...10).contains(fleet.model.rings))
        #expect(fleet.effects.map(\.state) == [.timer, .timer])
        try await fleet.runUntilQuiet()
        #expect(fleet.model.done == ["milk"])
        #expect(fleet.now > .seconds(1800) && fleet.now < .seconds(1802))
        try await fleet.finish()
    }

    @Test func effectsAreCalledOff() async throws {
        let clock = FleetClock()
        let deeds = Deeds()
        let fleet = Errands.fleet(clock: clock) { _, context in
            do {
                try await clock.sleep(for: .seconds(30))
            } catch {
                deeds.add("stopped \(context.isCancelled)")
                throw error
            }
        }
        fleet.send(.wanted("milk"))
        try await fleet.run(for: .seconds(1))
        fleet.send(.calledOff("milk"))
        try await fleet.runUntilQuiet()
        #expect(deeds.all == ["stopped true"])
        #expect(fleet.now < .seconds(3))
        #expect(fleet.model == Errands.Model())
        try await fleet.finish()
    }

    @Test func loopsBeginWithTheirFirstEvent() async throws {
        let fleet = Errands.fleet()
        let other = try #require(LoopID("other"))
        fleet.send(.wanted("bread"), to: other)
        fleet.send(.wanted("milk"))
        try await fleet.runUntilQuiet()
        #expect(fleet.model.done == ["milk"])
        #expect(fleet.model(of: other).done == ["bread"])
        try await fleet.finish()
    }

    @Test(arguments: [TestFleet<Errands>.CoordinatorMoment.beforeCommit, .afterCommit])
    func aCoordinatorThatIsKilledAtItsFirstCommitStartsAgain(moment: TestFleet<Errands>.CoordinatorMoment) async throws
    {
        let fleet = Errands.fleet()
        let other = try #require(LoopID("other"))
        fleet.killCoordinator(at: moment)
        fleet.send(.wanted("bread"), to: other)
        fleet.send(.wanted("milk"))
        try await fleet.runUntilQuiet()
        #expect(fleet.model.done == ["milk"])
        #expect(fleet.model(of: other).done == ["bread"])
        try await fleet.finish()
    }

    @Test func eventsWithEqualKeysAreAppliedOnce() async throws {
        let fleet = Errands.fleet()
        fleet.send(.wanted("milk"), key: "same")
        fleet.send(.wanted("milk"), key: "same")
        try await fleet.runUntilQuiet()
        #expect(fleet.events == [.wanted("milk"), .done("milk"), .noted("milk")])
    }

    /// A quiet month is passed over, and nobody takes it for silence.
    @Test func aMonthPassesAtOnce() async throws {
        let clock = FleetClock()
        let month = 30 * 86_400
        let fleet = Errands.fleet(processes: 2, clock: clock) { _, _ in try await clock.sleep(for: .seconds(20)) }
        let start = ContinuousClock.now
        for count in 1...12 { fleet.send(.later("\(count)", seconds: count * month)) }
        try await fleet.runUntilQuiet(within: .seconds(13 * month))
        #expect(fleet.model.done == (1...12).map { "\($0)" })
        #expect(fleet.now > .seconds(12 * month) && fleet.now < .seconds(12 * month + 60))
        #expect(fleet.runs.count { $0.process.contains("runners") } == 12)
        #expect(!fleet.trace.contains { $0.contains("is gone") || $0.contains("lost") })
        fleet.killWorker(in: "runners")
        fleet.send(.wanted("bread"))
        try await fleet.runUntilQuiet()
        #expect(fleet.model.done.last == "bread")
        try await fleet.finish()
        #expect(ContinuousClock.now - start < .seconds(600), "nobody waits for the fleet's time to pass")
    }

    @Test func anHourWithHundredsOfEffectsTakesNoTime() async throws {
        let clock = FleetClock()
        let fleet = Errands.fleet(processes: 2, clock: clock) { _, _ in try await clock.sleep(for: .seconds(20)) }
        let start = ContinuousClock.now
        for number in 0..<300 {
            fleet.send(.later("\(number)", seconds: number * 12))
        }
        try await fleet.run(for: .seconds(3660))
        let time = ContinuousClock.now - start
        #expect(fleet.model.done.count == 300)
        // It takes less than a second, and half a minute on a machine that has much else to do.
        #expect(time < .seconds(600), "nobody waits for the fleet's time to pass")
    }
}

enum Trouble: Error {
    case bad
}
