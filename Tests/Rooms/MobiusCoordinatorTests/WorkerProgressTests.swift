import Dispatch
import FleetTestSupport
import MobiusCoordinator
import MobiusCore
import MobiusEngine
import MobiusWorker
import TestTraits
import Testing

/// What the coordinator makes of the progress that handlers report.
@Suite(.patient)
struct WorkerProgressTests {
    /// The work of these handlers is to take their time, without taking the processors from others.
    private let clock = ContinuousClock()
    /// And no test that keeps the threads that all share may keep them from reporting.
    private let queue = DispatchQueue(label: "drill")

    /// Runs `event("a")`, whose handler must report progress every 4 s, until the loop has told of an answer.
    private func answer(
        _ work: @escaping @Sendable (EffectContext, @escaping @Sendable (Drill.Event) -> Void) async throws -> Void
    ) async throws -> [String] {
        let told = Journey<String>()
        let policy = EffectPolicy(timeouts: EffectTimeouts(startToClose: nil, progress: .seconds(4)))
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
        let worker = ContextWorker(listening.elements[0]) { [queue] router, _ in
            router.routeCase(Drill.Effect.event).on(queue: queue).toWork { _, context, send in
                try await work(context, send)
            }
        }
        try await coordinator.loop.send(.ask(.event("a")))
        try await told.wait { told in told.contains { $0.hasPrefix("failed") || $0 == "done" } }
        try await worker.leave()
        coordinator.stop()
        try await running.value
        return told.elements
    }

    @Test func aHandlerThatReportsItMayTakeLong() async throws {
        let told = try await answer { [clock] context, send in
            let end = ContinuousClock.now + .seconds(6)
            while ContinuousClock.now < end {
                try context.checkCancellation()
                context.progress()
                try await clock.sleep(for: .milliseconds(20))
            }
            send(.answered("done"))
        }
        #expect(told == ["done"])
    }

    @Test func eventsAreProgress() async throws {
        let told = try await answer { [clock] context, send in
            for number in 1...60 {
                try await clock.sleep(for: .milliseconds(100))
                send(.answered("\(number)"))
            }
            send(.answered("done"))
        }
        #expect(told == (1...60).map { "\($0)" } + ["done"])
    }

    @Test func aHandlerThatReportsNoneIsGivenUp() async throws {
        let told = try await answer { context, _ in try await Task.sleep(for: .seconds(600)) }
        #expect(told == ["failed: a: the handler reported no progress in time on worker drill"])
    }

    @Test func aHandlerThatStopsReportingItIsGivenUp() async throws {
        let told = try await answer { context, _ in
            context.progress()
            try await Task.sleep(for: .seconds(600))
        }
        #expect(told == ["failed: a: the handler reported no progress in time on worker drill"])
    }
}
