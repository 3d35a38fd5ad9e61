import FleetTestSupport
import MobiusCore
import MobiusTestKit
import Synchronization
import Testing

/// Handlers of all kinds run as they do in a worker.
@Suite struct FleetHandlerTests {
    private typealias Router = EffectRouter<Errands.Effect, Errands.Event>

    private static func fleet(
        routes: EffectRouter<Errands.Effect, Errands.Event> = Errands.routes, clock: FleetClock = FleetClock(),
        _ handlers: @escaping @Sendable () -> EffectRouter<Errands.Effect, Errands.Event>
    ) -> TestFleet<Errands> {
        TestFleet(Errands.self, routes: routes, workers: [.pool("runners", handlers: handlers)], clock: clock)
    }

    @Test func severalEventsKeepTheirOrder() async throws {
        let clock = FleetClock()
        let fleet = Self.fleet(clock: clock) {
            Router().routeCase(Errands.Effect.run).toWork { name, _, send in
                for number in 1...5 {
                    send(.started("\(name) \(number)"))
                    try await clock.sleep(for: .milliseconds(100))
                }
                send(.done(name))
            }
        }
        fleet.send(.wanted("milk"))
        try await fleet.runUntilQuiet()
        #expect(fleet.events.dropFirst().prefix(5) == (1...5).map { .started("milk \($0)") }[...])
        #expect(fleet.model.done == ["milk"])
        #expect(fleet.runs.first?.events.count == 6)
        try await fleet.finish()
    }

    @Test func thousandsMayWakeAtOneMoment() async throws {
        let clock = FleetClock()
        let moment = clock.now.advanced(by: .seconds(50))
        let fleet = TestFleet(
            Errands.self, routes: Errands.routes,
            workers: [
                .pool("runners", concurrency: 1500) {
                    Router().routeCase(Errands.Effect.run).toWork { name, _, send in
                        try await clock.sleep(until: moment)
                        send(.done(name))
                    }
                }
            ], clock: clock)
        for number in 1...1500 { fleet.send(.wanted("\(number)")) }
        try await fleet.runUntilQuiet()
        #expect(fleet.model.done.count == 1500)
        try await fleet.finish()
    }

    @Test func anEndlessHandlerRunsUntilItIsCalledOff() async throws {
        let clock = FleetClock()
        let fleet = Self.fleet(clock: clock) {
            Router().routeCase(Errands.Effect.watch).to(Ticker(clock: clock))
        }
        fleet.send(.ask(.watch("door")))
        try await fleet.runUntilQuiet(within: .seconds(5))
        #expect(fleet.effects.map(\.state) == [.running], "it does not keep a fleet from being quiet")
        // It is given little real time to tick: on a busy machine it may miss some, but never are there more.
        try await eventually("a tick each second") {
            let before = fleet.model.noted.count
            try await fleet.run(for: .seconds(5))
            let ticks = fleet.model.noted.count - before
            #expect(ticks <= 6)
            return ticks >= 4
        }
        let ticks = fleet.model.noted.count
        fleet.killWorker(in: "runners")
        try await fleet.run(for: .seconds(20))
        #expect(fleet.runs.map(\.outcome) == [.lost, .running])
        try await eventually("ticks of the next one") {
            try await fleet.run(for: .seconds(1))
            return fleet.model.noted.count > ticks
        }
        fleet.send(.calledOff("door"))
        try await fleet.runUntilQuiet()
        #expect(fleet.allEffects.map(\.state) == [.ended, .ended])
        try await fleet.finish()
    }

    @Test func onlyProgressKeepsALongHandlerAlive() async throws {
        let clock = FleetClock()
        let routes = Router().routeCase(Errands.Effect.run).toWorkers(
            "runners", policy: EffectPolicy(timeouts: EffectTimeouts(startToClose: nil, progress: .seconds(10)))
        ) { name, failure in .failed(name, failure.description) }
        .routeCase(Errands.Effect.note).toEvent { _ in nil }
        let fleet = Self.fleet(routes: routes, clock: clock) {
            Errands.runners { name, context in
                for _ in 0..<10 {
                    try await clock.sleep(for: .seconds(6))
                    if name == "lively" { context.progress() }
                }
            }
        }
        fleet.send(.both("lively", "silent"))
        try await fleet.runUntilQuiet()
        #expect(fleet.model.done == ["lively"])
        #expect(fleet.model.failed.keys.sorted() == ["silent"])
        try await fleet.finish()
    }

    @Test func policiesOfARouterHoldInOneProcess() async throws {
        let clock = FleetClock()
        let fleet = Self.fleet(clock: clock) {
            Router().routeCase(Errands.Effect.run).executing(.sequentially).toEvent { name in
                try? await clock.sleep(for: .seconds(10))
                return .done(name)
            }
        }
        fleet.send(.both("milk", "bread"))
        try await fleet.run(for: .seconds(15))
        #expect(fleet.model.done == ["milk"])
        try await fleet.runUntilQuiet()
        #expect(fleet.model.done == ["milk", "bread"])
        #expect(fleet.now > .seconds(20))
    }

    @Test func aTimeOutWithinAHandlerDoesNotPassWhileItWorks() async throws {
        let clock = FleetClock()
        let fleet = Self.fleet(clock: clock) {
            Errands.runners { name, _ in
                try await withThrowingTaskGroup { tasks in
                    tasks.addTask {
                        try await clock.sleep(for: .seconds(1))
                        throw EffectFailed("too slow", retryable: false)
                    }
                    tasks.addTask {
                        for _ in 0..<100 { await Task.yield() }
                        if name == "slow" { try await clock.sleep(for: .seconds(2)) }
                    }
                    _ = try await tasks.next()
                    tasks.cancelAll()
                }
            }
        }
        fleet.send(.both("quick", "slow"))
        try await fleet.runUntilQuiet()
        #expect(fleet.model.done == ["quick"])
        #expect(fleet.model.failed == ["slow": "too slow"])
        try await fleet.finish()
    }

    @Test func aNewProcessHasHandlersOfItsOwn() async throws {
        let made = Mutex(0)
        let fleet = Self.fleet {
            made.withLock { $0 += 1 }
            return Errands.runners { _, _ in }
        }
        try await fleet.run(for: .seconds(1))
        fleet.killWorker(in: "runners")
        try await fleet.run(for: .seconds(1))
        #expect(made.withLock { $0 } == 2)
    }

    @Test func loopsMayStartElsewhere() async throws {
        let fleet = TestFleet(
            Errands.self, routes: Errands.routes,
            startingWith: First(model: Errands.Model(rings: 7), effects: [.note("started")]))
        try await fleet.runUntilQuiet()
        fleet.killCoordinator()
        try await fleet.runUntilQuiet()
        #expect(fleet.model == Errands.Model(noted: ["started"], rings: 7))
        try await fleet.finish()
    }

    @Test func aClockBelongsToOneFleet() async throws {
        let clock = FleetClock()
        let fleet = Errands.fleet(clock: clock)
        let before = clock.now
        try await fleet.run(for: .seconds(60))
        #expect(clock.now - before == .seconds(60))
    }
}

/// Says every second that it is there.
private struct Ticker: Connectable {
    private static let thread = TaskThread()

    let clock: FleetClock

    func connect(_ consumer: @escaping Consumer<Errands.Event>) -> Connection<String> {
        let state = Shared()
        return Connection(
            acceptClosure: { name in
                state.task.withLock {
                    $0 = Task(executorPreference: Self.thread) {
                        while !Task.isCancelled {
                            consumer(.started(name))
                            try? await clock.sleep(for: .seconds(1))
                        }
                    }
                }
            }, disposeClosure: { state.task.withLock { $0?.cancel() } })
    }

    private final class Shared: Sendable {
        let task = Mutex<Task<Void, Never>?>(nil)
    }
}
