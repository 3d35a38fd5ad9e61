import Dispatch

/// Runs tasks on a thread of its own.
///
/// All others share as many threads as the machine has processors, and tests keep those busy for seconds. For tasks that must
/// not be late.
public final class TaskThread: TaskExecutor {
    private let queue = DispatchQueue(label: "task thread")

    /// Makes one, to be kept for as long as tasks run on it.
    public init() {}

    /// Runs a part of a task, after those that came before.
    public func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }

    /// Runs `body` on it, as a part of the task that calls.
    public func run<Value: Sendable>(
        _ body: @concurrent @Sendable () async throws -> Value
    ) async throws -> Value {
        try await withTaskExecutorPreference(self) { try await body() }
    }
}
