import Dispatch
import Foundation

/// Threads that may block, for handlers: few while handlers are quick, up to a limit while they wait.
///
/// As many jobs run at once as the machine has processors. Only when not one job was begun for 5 ms although some wait,
/// that number doubles, up to the limit; it falls back once the work is done. So quick handlers pay for no context
/// switches, and slow ones run side by side as a worker's `--concurrency` promises. Idle threads end after 10 s.
package final class HandlerThreads: Sendable {
    /// Something to run.
    package typealias Job = @Sendable () -> Void

    private struct State {
        var jobs: [Job] = []
        var head = 0
        /// Threads waiting for a job, threads running one, and how many may run one.
        var idle = 0
        var running = 0
        var allowed: Int
        var isWatched = false
        /// Counts the jobs begun.
        var begun: UInt64 = 0

        var waiting: Int { jobs.count - head }
    }

    private static let patience = DispatchTimeInterval.milliseconds(5)
    private static let idleLimit: TimeInterval = 10

    private let condition = NSCondition()
    // Touched with the condition's lock held.
    nonisolated(unsafe) private var state: State
    private let limit: Int
    private let quickLimit: Int
    private let name: String

    /// Makes a pool without threads; they come with the first jobs.
    ///
    /// - Parameter limit: how many jobs may run at once, at least 1.
    package init(name: String, limit: Int) {
        self.name = name
        self.limit = max(1, limit)
        quickLimit = min(self.limit, max(1, ProcessInfo.processInfo.activeProcessorCount))
        state = State(allowed: quickLimit)
    }

    /// Runs jobs in the order given, several at once; never waits.
    package func submit(_ jobs: [Job]) {
        guard !jobs.isEmpty else { return }
        condition.lock()
        state.jobs.append(contentsOf: jobs)
        let (begin, woken) = employ()
        let watch = !state.isWatched && state.waiting > begin && state.allowed < limit
        if watch { state.isWatched = true }
        let begun = state.begun
        condition.unlock()
        wake(woken)
        if watch { self.watch(since: begun) }
    }

    /// Starts threads for the jobs that may run now, and says for how many and which part of them is to be woken; with the
    /// lock held.
    private func employ() -> (jobs: Int, woken: Int) {
        let wanted = max(0, min(state.waiting, state.allowed - state.running))
        let woken = min(wanted, state.idle)
        for _ in woken..<wanted {
            state.idle += 1  // it is born idle, and takes its first job as all others do
            let thread = Thread { [self] in work() }
            thread.name = name
            thread.start()
        }
        return (wanted, woken)
    }

    /// Wakes so many; without the lock, which they would only wait for.
    private func wake(_ count: Int) {
        for _ in 0..<count { condition.signal() }
    }

    private func watch(since before: UInt64) {
        DispatchQueue.global().asyncAfter(deadline: .now() + Self.patience) { [self] in
            condition.lock()
            guard state.waiting > 0, state.allowed < limit else {
                state.isWatched = false
                condition.unlock()
                return
            }
            var woken = 0
            if state.begun == before {
                state.allowed = min(limit, state.allowed * 2)
                woken = employ().woken
            }
            let begun = state.begun
            condition.unlock()
            wake(woken)
            watch(since: begun)
        }
    }

    private func work() {
        condition.lock()
        while true {
            guard state.waiting > 0, state.running < state.allowed else {
                if condition.wait(until: Date(timeIntervalSinceNow: Self.idleLimit)) || state.waiting > 0 { continue }
                state.idle -= 1
                condition.unlock()
                return
            }
            state.idle -= 1
            state.running += 1
            let job = takeJob()
            condition.unlock()
            job()
            condition.lock()
            state.running -= 1
            state.idle += 1
            if state.waiting == 0, state.running < quickLimit { state.allowed = quickLimit }
        }
    }

    private func takeJob() -> Job {
        let job = state.jobs[state.head]
        state.head += 1
        state.begun += 1
        // Rarely, so that it costs O(1) a job, and often enough that done jobs don't pile up under constant load.
        if state.head == state.jobs.count || state.head >= 4096 {
            state.jobs.removeFirst(state.head)
            state.head = 0
        }
        return job
    }
}
