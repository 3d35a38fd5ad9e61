import Dispatch
import FleetTestSupport
import MobiusCoordinator
import MobiusCore
import MobiusEngine
import MobiusWorker
import TestTraits
import Testing

/// What the handlers of a worker know of their effects, and how they fail, over real sockets.
@Suite(.patient)
struct WorkerContextTests {
    @Test func aHandlerKnowsItsEffectItsAttemptAndItsTime() async throws {
        let fleet = Fleet(timeout: .seconds(600))
        let worker = ContextWorker(try await fleet.endpoint()) { router, steps in
            router.routeCase(Drill.Effect.event).toWork { words, context in
                let left = context.deadline.map { ContinuousClock.now.duration(to: $0) } ?? .zero
                steps.add("\(left > .seconds(300) && left <= .seconds(600))")
                return .answered("\(words) \(context.idempotencyKey) \(context.attempt) \(context.isCancelled)")
            }
        }
        try await fleet.ask(.event("a"))
        try await fleet.hears("a main/1/0 1.1 false")
        // The answer was the second event.
        try await fleet.ask(.event("b"))
        try await fleet.hears("a main/1/0 1.1 false", "b main/3/0 1.1 false")
        #expect(worker.steps.elements == ["true", "true"])
        try await worker.leave()
        try await fleet.stop()
    }

    @Test func withoutATimeoutThereIsNoDeadline() async throws {
        let fleet = try PoolFleet(timeout: nil)
        let caller = PoolCaller(fleet)
        let worker = ContextWorker(fleet.pool.endpoint) { router, _ in
            router.routeCase(Drill.Effect.event).toWork { _, context in .answered("\(context.deadline == nil)") }
        }
        caller.ask(.event("a"))
        try await caller.hears("true")
        try await worker.leave()
        await fleet.close()
    }

    @Test func aFailureThatMayPassIsTriedAgainUnderTheSameKey() async throws {
        let fleet = Fleet()
        let worker = ContextWorker(try await fleet.endpoint()) { router, steps in
            router.routeCase(Drill.Effect.event).toWork { words, context in
                steps.add("\(context.idempotencyKey) \(context.attempt)")
                guard context.attempt.number > 2 else { throw EffectFailed("not yet", after: .milliseconds(20)) }
                return .answered(words)
            }
        }
        try await fleet.ask(.event("a"))
        try await fleet.hears("1 a")
        #expect(worker.steps.elements == ["main/1/0 1.1", "main/1/0 1.2", "main/1/0 1.3"])
        try await worker.leave()
        try await fleet.stop()
    }

    @Test func aFailureThatWillNotPassIsToldAtOnce() async throws {
        let fleet = Fleet()
        let worker = ContextWorker(try await fleet.endpoint()) { router, steps in
            router.routeCase(Drill.Effect.event).toWork { words, context in
                steps.add(words)
                throw EffectFailed("no such thing", retryable: false)
            }
        }
        try await fleet.ask(.event("a"))
        try await fleet.hears("failed: a: no such thing")
        #expect(worker.steps.elements == ["a"])
        try await worker.leave()
        try await fleet.stop()
    }

    @Test func eventsThatAreSentBeforeAFailureArrive() async throws {
        let fleet = Fleet()
        let worker = ContextWorker(try await fleet.endpoint()) { router, _ in
            router.routeCase(Drill.Effect.stream).toWork { asked, _, send in
                for number in 1...asked.1 { send(.answered("\(asked.0) \(number)")) }
                throw EffectFailed("that was all", retryable: false)
            }
        }
        try await fleet.ask(.stream("a", count: 3))
        try await fleet.hears("1 a 1", "2 a 2", "3 a 3", #"4 failed: ("a", 3): that was all"#)
        try await worker.leave()
        try await fleet.stop()
    }

    @Test func localHandlersOfACoordinatorKnowTheirEffects() async throws {
        let told = Journey<String>()
        let routes = EffectRouter<Drill.Effect, Drill.Event>()
            .routeCase(Drill.Effect.localEvent).toEvent { words in
                let context = EffectContext.current
                return .answered("\(words) \(context?.idempotencyKey ?? "nothing") \(context?.deadline == nil)")
            }
            .routeCase(Drill.Effect.localSuspending).toWork { words, context in
                .answered("\(words) \(context.idempotencyKey) \(context.attempt)")
            }
            .routeCase(Drill.Effect.tell).to { words, _ in told.add(words) }
        let settings = CoordinatorSettings(
            name: "drill", bind: "tcp://127.0.0.1:*", journal: .none, timing: .quick)
        let coordinator = Coordinator<Drill>(settings, routes: routes, logger: .quiet, onListening: { _ in })
        let running = Task { try await coordinator.run() }
        try await coordinator.loop.send(.ask(.localEvent("a")))
        try await coordinator.loop.send(.ask(.localSuspending("b")))
        try await told.wait { $0.count == 2 }
        #expect(Set(told.elements.map { $0.prefix(1) }) == ["a", "b"])
        #expect(told.elements.contains { $0.hasPrefix("a main/") && $0.hasSuffix("/0 true") })
        #expect(told.elements.contains { $0.hasPrefix("b main/") && $0.hasSuffix("/0 1.1") })
        coordinator.stop()
        try await running.value
    }

    @Test func aHandlerThatIgnoresItsCancellationKeepsItsSlot() async throws {
        let fleet = Fleet(timeout: .seconds(3))
        let endpoint = try await fleet.endpoint()
        let gate = Journey<String>()
        let stuck = ContextWorker(endpoint, concurrency: 1) { router, steps in
            router.routeCase(Drill.Effect.event).on(queue: DispatchQueue(label: "drill")).toEvent { words async in
                steps.add(words)
                try? await gate.wait(within: .seconds(3600), for: "the test") { !$0.isEmpty }
                return nil
            }
        }
        try await fleet.ask(.event("a"))
        try await fleet.hears("failed: a: the handler did not answer in time on worker drill")
        let other = ContextWorker(endpoint, concurrency: 1) { router, steps in
            router.routeCase(Drill.Effect.event).toEvent { .answered("done \($0)") }
        }
        // The stuck worker has no room for any of these, although the coordinator has given up what it runs.
        for number in 1...20 {
            try await fleet.ask(.event("\(number)"))
            try await fleet.hears("done \(number)")
        }
        #expect(stuck.steps.elements == ["a"])
        gate.add("open")
        try await stuck.leave()
        try await other.leave()
        try await fleet.stop()
    }
}
