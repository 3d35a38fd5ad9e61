import Dispatch
import Foundation

/// Threads that may block, for handlers: few while handlers are quick, up to a limit while they wait.
///
/// It begins with as many threads as the machine has processors. Whenever work has waited for 2 ms although all threads
/// are busy, their number doubles, up to the limit; threads that found no work for 10 s end. So quick handlers don't pay
/// for context switches, and slow ones run side by side as the worker's `--concurrency` promises.
package final class HandlerThreads: Sendable {
    /// Something to run.
    package typealias Job = @Sendable () -> Void

    private struct State {
        var jobs: [Job] = []
        var head = 0
        var idle = 0
        var threads = 0
        var watching = false
        var started: UInt64 = 0

        var waiting: Int { jobs.count - head }
    }

    private static let patience = DispatchTimeInterval.milliseconds(2)
    private static let idleLimit: TimeInterval = 10

    // All state is touched with the condition's lock held.
    private let condition = NSCondition()
    nonisolated(unsafe) private var state = State()
    private let limit: Int
    private let quickThreads: Int
    private let name: String

    /// Makes a pool without threads; they come with the first job.
    ///
    /// - Parameter limit: how many jobs may run at once, at least 1.
    package init(name: String, limit: Int) {
        self.name = name
        self.limit = max(1, limit)
        quickThreads = min(self.limit, max(1, ProcessInfo.processInfo.activeProcessorCount))
    }

    /// Runs jobs in the order given, several at once; never waits.
    package func submit(_ jobs: [Job]) {
        guard !jobs.isEmpty else { return }
        condition.lock()
        state.jobs.append(contentsOf: jobs)
        let wanted = min(state.waiting - state.idle, quickThreads - state.threads)
        let woken = min(state.idle, jobs.count)
        for _ in 0..<max(0, wanted) { startThread() }
        let watch = !state.watching && state.waiting > state.idle && state.threads < limit
        if watch { state.watching = true }
        let started = state.started
        for _ in 0..<woken { condition.signal() }
        condition.unlock()
        if watch { self.watch(since: started) }
    }

    /// Runs one job.
    package func submit(_ job: @escaping Job) {
        submit([job])
    }

    private func watch(since started: UInt64) {
        DispatchQueue.global().asyncAfter(deadline: .now() + Self.patience) { [self] in
            condition.lock()
            guard state.waiting > 0, state.threads < limit else {
                state.watching = false
                condition.unlock()
                return
            }
            // Nothing was taken up in the whole interval: everybody is busy with something slow.
            if state.started == started, state.idle == 0 {
                for _ in 0..<min(state.threads, limit - state.threads, state.waiting) { startThread() }
            }
            let now = state.started
            condition.unlock()
            watch(since: now)
        }
    }

    /// With the lock held.
    private func startThread() {
        state.threads += 1
        let thread = Thread { [self] in work() }
        thread.name = name
        thread.start()
    }

    private func work() {
        condition.lock()
        while true {
            if state.waiting > 0 {
                let job = state.jobs[state.head]
                state.head += 1
                state.started += 1
                if state.head == state.jobs.count {
                    state.jobs.removeAll(keepingCapacity: true)
                    state.head = 0
                }
                condition.unlock()
                job()
                condition.lock()
                continue
            }
            state.idle += 1
            let woken = condition.wait(until: Date(timeIntervalSinceNow: Self.idleLimit))
            state.idle -= 1
            if !woken, state.waiting == 0 {
                state.threads -= 1
                condition.unlock()
                return
            }
        }
    }
}
