import FleetTestSupport
import MobiusCoordinator
import MobiusCore
import MobiusEngine
import MobiusWorker
import Testing

/// What the handlers of a worker know of their effects, and how they fail, over real sockets.
@Suite(.timeLimit(.minutes(2)))
struct WorkerContextTests {
    @Test func aHandlerKnowsItsEffectItsAttemptAndItsTime() async throws {
        let fleet = Fleet(timeout: .seconds(20))
        let worker = ContextWorker(try await fleet.endpoint()) { router, steps in
            router.routeCase(Drill.Effect.event).toWork { words, context in
                let left = context.deadline.map { ContinuousClock.now.duration(to: $0) } ?? .zero
                steps.add("\(left > .seconds(10) && left <= .seconds(20))")
                return .answered("\(words) \(context.idempotencyKey) \(context.attempt) \(context.isCancelled)")
            }
        }
        try await fleet.ask(.event("a"), .event("b"))
        try await fleet.hears("a main/1/0 1.1 false", "b main/2/0 1.1 false")
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
        let fleet = Fleet(timeout: .milliseconds(500))
        let endpoint = try await fleet.endpoint()
        let gate = Journey<String>()
        let stuck = ContextWorker(endpoint, concurrency: 1) { router, steps in
            router.routeCase(Drill.Effect.event).toEvent { words async in
                steps.add(words)
                try? await gate.wait(for: "the test") { !$0.isEmpty }
                return nil
            }
        }
        try await fleet.ask(.event("a"))
        try await fleet.hears("failed: a: the handler did not answer in time")
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

/// What the coordinator makes of the progress that handlers report.
@Suite(.timeLimit(.minutes(2)))
struct WorkerProgressTests {
    /// Runs `event("a")`, whose handler must report progress every 1.2 s, until the loop has told of an answer.
    private func answer(
        _ work: @escaping @Sendable (EffectContext, @escaping @Sendable (Drill.Event) -> Void) async throws -> Void
    ) async throws -> [String] {
        let told = Journey<String>()
        let policy = EffectPolicy(timeouts: EffectTimeouts(startToClose: nil, progress: .milliseconds(1200)))
        let routes = EffectRouter<Drill.Effect, Drill.Event>()
            .routeCase(Drill.Effect.event).toWorkers("drill", policy: policy) { .failed("\($0): \($1)") }
            .routeCase(Drill.Effect.tell).to { words, _ in told.add(words) }
        let settings = CoordinatorSettings(
            name: "drill", bind: "tcp://127.0.0.1:*", journal: .none, timing: .quick)
        let listening = Journey<String>()
        let coordinator = Coordinator<Drill>(
            settings, routes: routes, logger: .quiet, onListening: { listening.add($0) })
        let running = Task { try await coordinator.run() }
        try await listening.wait { !$0.isEmpty }
        let worker = ContextWorker(listening.elements[0]) { router, _ in
            router.routeCase(Drill.Effect.event).toWork { _, context, send in try await work(context, send) }
        }
        try await coordinator.loop.send(.ask(.event("a")))
        try await told.wait { told in told.contains { $0.hasPrefix("failed") || $0 == "done" } }
        try await worker.leave()
        coordinator.stop()
        try await running.value
        return told.elements
    }

    @Test func aHandlerThatReportsItMayTakeLong() async throws {
        let told = try await answer { context, send in
            let end = ContinuousClock.now + .seconds(3)
            while ContinuousClock.now < end {
                try context.checkCancellation()
                context.progress()
                await Task.yield()
            }
            send(.answered("done"))
        }
        #expect(told == ["done"])
    }

    @Test func eventsAreProgress() async throws {
        let told = try await answer { context, send in
            for number in 1...30 {
                let next = ContinuousClock.now + .milliseconds(100)
                while ContinuousClock.now < next { await Task.yield() }
                send(.answered("\(number)"))
            }
            send(.answered("done"))
        }
        #expect(told == (1...30).map { "\($0)" } + ["done"])
    }

    @Test func aHandlerThatReportsNoneIsGivenUp() async throws {
        let told = try await answer { context, _ in try await Task.sleep(for: .seconds(600)) }
        #expect(told == ["failed: a: the handler reported no progress in time"])
    }

    @Test func aHandlerThatStopsReportingItIsGivenUp() async throws {
        let told = try await answer { context, _ in
            context.progress()
            try await Task.sleep(for: .seconds(600))
        }
        #expect(told == ["failed: a: the handler reported no progress in time"])
    }
}

/// How the handlers of a worker see that their coordinator gave them up, and that their slots are free then.
@Suite(.timeLimit(.minutes(2)))
struct WorkerCancellationTests {
    private typealias Router = EffectRouter<Drill.Effect, Drill.Event>

    /// Lets the coordinator give up `hang("h")`, waits for these steps, and asks the same worker for more.
    private func check(
        _ steps: String..., route: @escaping @Sendable (Router, Journey<String>) -> Router
    ) async throws {
        let fleet = Fleet(timeout: .milliseconds(400))
        let worker = ContextWorker(try await fleet.endpoint(), concurrency: 1) { router, steps in
            route(router, steps).routeCase(Drill.Effect.event).toEvent { .answered("then \($0)") }
        }
        try await fleet.ask(.hang("h"))
        try await fleet.hears("failed: h: the handler did not answer in time")
        try await worker.steps.wait { $0 == steps }
        try await fleet.ask(.event("more"))
        try await fleet.hears("then more")
        #expect(fleet.told.elements.count == 2, "nothing is heard of what was given up")
        try await worker.leave()
        try await fleet.stop()
    }

    @Test func aPlainClosureThatAsks() async throws {
        try await check("cancelled: true") { router, steps in
            router.routeCase(Drill.Effect.hang).toEvent { words in
                steps.add("cancelled: \(ContextWorker.spin())")
                return .answered("late \(words)")
            }
        }
    }

    @Test func anEffectHandler() async throws {
        try await check("disposed: true") { router, steps in
            router.routeCase(Drill.Effect.hang).to {
                (words: String, callback: EffectCallback<Drill.Event>) -> any Disposable in
                let context = EffectContext.current
                return AnonymousDisposable {
                    callback.send(.answered("late \(words)"))
                    steps.add("disposed: \(context?.isCancelled == true)")
                }
            }
        }
    }

    @Test func anAsyncClosure() async throws {
        try await check("cancelled: true true") { router, steps in
            router.routeCase(Drill.Effect.hang).toEvent { words async in
                try? await Task.sleep(for: .seconds(600))
                steps.add("cancelled: \(Task.isCancelled) \(EffectContext.current?.isCancelled == true)")
                return .answered("late \(words)")
            }
        }
    }

    @Test func workThatThrows() async throws {
        try await check("cancelled: true") { router, steps in
            router.routeCase(Drill.Effect.hang).toWork { _, context in
                do {
                    while true {
                        try context.checkCancellation()
                        await Task.yield()
                    }
                } catch {
                    steps.add("cancelled: \(error is CancellationError)")
                    throw error
                }
            }
        }
    }

    @Test func workThatAnswersLate() async throws {
        try await check("cancelled: true") { router, steps in
            router.routeCase(Drill.Effect.hang).toWork { words, context in
                try? await Task.sleep(for: .seconds(600))
                steps.add("cancelled: \(context.isCancelled)")
                return .answered("late \(words)")
            }
        }
    }

    @Test func aConnectable() async throws {
        try await check("disconnected: true") { router, steps in
            router.routeCase(Drill.Effect.hang).to(Endless(steps: steps))
        }
    }

    private struct Endless: Connectable {
        let steps: Journey<String>

        func connect(_ consumer: @escaping Consumer<Drill.Event>) -> Connection<String> {
            let context = EffectContext.current
            return Connection(
                acceptClosure: { _ in },
                disposeClosure: { [steps] in steps.add("disconnected: \(context?.isCancelled == true)") })
        }
    }

    @Test func anEffectThatARouteOfThePoolCancels() async throws {
        let fleet = try PoolFleet()
        let caller = PoolCaller(fleet)
        let worker = ContextWorker(fleet.pool.endpoint, concurrency: 1) { router, steps in
            router
                .routeCase(Drill.Effect.hang).toWork { words, context in
                    steps.add("hanging \(words)")
                    try? await Task.sleep(for: .seconds(600))
                    steps.add("cancelled: \(context.isCancelled)")
                    return .answered("late \(words)")
                }
                .routeCase(Drill.Effect.event).toEvent { .answered("then \($0)") }
        }
        caller.ask(.hang("h"))
        try await worker.steps.wait { $0.count == 1 }
        caller.ask(.localSuspending("h"))  // cancels it
        try await worker.steps.wait { $0.last == "cancelled: true" }
        caller.ask(.event("more"))
        try await caller.hears("then more")
        try await worker.leave()
        await fleet.close()
    }
}

/// How a worker leaves whose handlers take longer than it may.
@Suite(.timeLimit(.minutes(2)))
struct WorkerDrainTests {
    @Test func whatRunsLongerThanTheDrainLimitIsCancelledBeforeTheEnd() async throws {
        let fleet = Fleet()
        let endpoint = try await fleet.endpoint()
        let first = ContextWorker(endpoint, drainTimeout: .milliseconds(200)) { router, steps in
            router
                .routeCase(Drill.Effect.event).toEvent { words in
                    steps.add("spinning")
                    steps.add("spun: \(ContextWorker.spin())")
                    return .answered("late \(words)")
                }
                .routeCase(Drill.Effect.hang).toWork { words, context in
                    steps.add("sleeping")
                    try? await Task.sleep(for: .seconds(600))
                    steps.add("slept: \(context.isCancelled)")
                    return .answered("late \(words)")
                }
        }
        try await fleet.ask(.event("e"), .hang("h"))
        try await first.steps.wait { $0.count == 2 }
        let second = ContextWorker(endpoint) { router, steps in
            router.routeCase(Drill.Effect.event).toEvent { .answered("second \($0)") }
                .routeCase(Drill.Effect.hang).toEvent { .answered("second \($0)") }
        }
        first.drain()
        try await first.end()
        #expect(Set(first.steps.elements.dropFirst(2).dropLast()) == ["spun: true", "slept: true"])
        #expect(first.steps.elements.last == "left")
        // Given up here, they run there, and only those answers count.
        try await fleet.hears("second e", "second h")
        #expect(fleet.told.elements.count == 2)
        try await second.leave()
        try await fleet.stop()
    }

    @Test func aHandlerThatDoesNotStopDoesNotHoldUpTheEnd() async throws {
        let fleet = Fleet()
        let gate = Journey<String>()
        let worker = ContextWorker(try await fleet.endpoint(), drainTimeout: .milliseconds(100)) { router, steps in
            router.routeCase(Drill.Effect.event).toEvent { words async in
                steps.add("begun")
                try? await gate.wait(for: "the test") { !$0.isEmpty }
                return nil
            }
        }
        try await fleet.ask(.event("e"))
        try await worker.steps.wait { $0.count == 1 }
        let begin = ContinuousClock.now
        worker.drain()
        try await worker.end()
        #expect(ContinuousClock.now - begin < .seconds(20))
        gate.add("open")
        try await fleet.stop()
    }
}
