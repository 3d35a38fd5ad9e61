import Dispatch
import FleetTestSupport
import MobiusCoordinator
import MobiusCore
import MobiusWorker
import TestTraits
import Testing

/// How the handlers of a worker see that their coordinator gave them up, and that their slots are free then.
@Suite(.patient)
struct WorkerCancellationTests {
    private typealias Router = EffectRouter<Drill.Effect, Drill.Event>

    /// Has the pool cancel `hang("h")` once it has begun, waits for these steps, and asks the same worker for more.
    private func check(
        _ steps: String..., route: @escaping @Sendable (Router, Journey<String>) -> Router
    ) async throws {
        let fleet = try PoolFleet()
        let caller = PoolCaller(fleet)
        let worker = ContextWorker(fleet.pool.endpoint, concurrency: 1) { router, steps in
            route(router, steps).routeCase(Drill.Effect.event).toEvent { .answered("then \($0)") }
        }
        caller.ask(.hang("h"))
        try await worker.steps.wait { $0 == ["begun"] }
        caller.ask(.localSuspending("h"))  // cancels it
        try await worker.steps.wait { $0 == ["begun"] + steps }
        caller.ask(.event("more"))
        try await caller.hears("then more")
        try await worker.leave()
        await fleet.close()
    }

    @Test func aPlainClosureThatAsks() async throws {
        try await check("cancelled: true") { router, steps in
            router.routeCase(Drill.Effect.hang).toEvent { words in
                steps.add("begun")
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
                steps.add("begun")
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
                steps.add("begun")
                try? await Task.sleep(for: .seconds(600))
                steps.add("cancelled: \(Task.isCancelled) \(EffectContext.current?.isCancelled == true)")
                return .answered("late \(words)")
            }
        }
    }

    @Test func workThatThrows() async throws {
        try await check("cancelled: true") { router, steps in
            router.routeCase(Drill.Effect.hang).toWork { _, context in
                steps.add("begun")
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
                steps.add("begun")
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
                acceptClosure: { [steps] _ in steps.add("begun") },
                disposeClosure: { [steps] in steps.add("disconnected: \(context?.isCancelled == true)") })
        }
    }

    @Test func anAttemptWhoseTimeIsOver() async throws {
        let fleet = Fleet(timeout: .seconds(3))
        let worker = ContextWorker(try await fleet.endpoint(), concurrency: 1) { router, steps in
            router
                .routeCase(Drill.Effect.hang).on(queue: DispatchQueue(label: "drill")).toWork { words, context in
                    try? await Task.sleep(for: .seconds(600))
                    steps.add("cancelled: \(context.isCancelled)")
                    return .answered("late \(words)")
                }
                .routeCase(Drill.Effect.event).toEvent { .answered("then \($0)") }
        }
        try await fleet.ask(.hang("h"))
        try await fleet.hears("failed: h: the handler did not answer in time on worker drill")
        try await worker.steps.wait { $0 == ["cancelled: true"] }
        try await fleet.ask(.event("more"))
        try await fleet.hears("then more")
        #expect(fleet.told.elements.count == 2, "nothing is heard of what was given up")
        try await worker.leave()
        try await fleet.stop()
    }
}
