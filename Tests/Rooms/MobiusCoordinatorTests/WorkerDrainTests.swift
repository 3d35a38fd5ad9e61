import FleetTestSupport
import MobiusCoordinator
import MobiusCore
import MobiusWorker
import TestTraits
import Testing

/// How a worker leaves whose handlers take longer than it may.
@Suite(.patient)
struct WorkerDrainTests {
    @Test func whatRunsLongerThanTheDrainLimitIsCancelledBeforeTheEnd() async throws {
        let fleet = Fleet()
        let endpoint = try await fleet.endpoint()
        // Handlers get a second to see that they are cancelled: none may wait for one of the threads that all tests share.
        let thread = TaskThread()
        let first = ContextWorker(endpoint, drainTimeout: .milliseconds(200)) { router, steps in
            router
                .routeCase(Drill.Effect.event).toEvent { words in
                    steps.add("spinning")
                    steps.add("spun: \(ContextWorker.spin())")
                    return .answered("late \(words)")
                }
                .routeCase(Drill.Effect.hang).toWork { words, context in
                    try await thread.run {
                        steps.add("sleeping")
                        try? await Task.sleep(for: .seconds(600))
                        steps.add("slept: \(context.isCancelled)")
                    }
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
                try? await gate.wait(within: .seconds(3600), for: "the test") { !$0.isEmpty }
                steps.add("over")
                return nil
            }
        }
        try await fleet.ask(.event("e"))
        try await worker.steps.wait { $0.count == 1 }
        worker.drain()
        try await worker.end()
        #expect(!worker.steps.elements.contains("over"))
        gate.add("open")
        try await fleet.stop()
    }
}
