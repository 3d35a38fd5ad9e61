import FleetTestSupport
import MobiusCoordinator
import MobiusCore
import MobiusWorker

/// A worker of the pool `drill` whose handlers are the test's.
final class ContextWorker: Sendable {
    /// What its handlers noted.
    let steps: Journey<String>
    private let worker: Worker<Drill.Effect, Drill.Event>
    private let running: Task<Void, any Error>

    init(
        _ endpoint: String, concurrency: Int = 4, drainTimeout: Duration = .seconds(20),
        _ routes: (EffectRouter<Drill.Effect, Drill.Event>, Journey<String>) -> EffectRouter<Drill.Effect, Drill.Event>
    ) {
        let steps = Journey<String>()
        self.steps = steps
        var settings = WorkerSettings(
            pools: ["drill"], connect: endpoint, concurrency: concurrency, drainTimeout: drainTimeout,
            timing: .quick)
        settings.name = "drill"
        let worker = Worker(
            settings,
            handler: routes(EffectRouter(), steps), logger: .quiet)
        self.worker = worker
        running = Task(executorPreference: TaskThread()) { try await worker.run() }
    }

    deinit {
        running.cancel()
    }

    /// Asks it to leave.
    func drain() { worker.drain() }

    /// Waits for its end, which is noted as a step, and throws its error.
    func end() async throws {
        try await running.value
        steps.add("left")
    }

    /// Drains it and waits for its end.
    func leave() async throws {
        worker.drain()
        try await running.value
    }

    /// Blocks the calling thread until the handler's effect is cancelled; whether it was, in time.
    static func spin(_ context: EffectContext? = .current) -> Bool {
        let end = ContinuousClock.now + Patience.limit
        while context?.isCancelled == false, ContinuousClock.now < end {}
        return context?.isCancelled == true
    }
}
