import Dispatch
import Foundation
package import MobiusCodec
import MobiusCore
import MobiusEngine

/// Threads on which handlers may block: few while handlers are quick, up to a limit while they block.
///
/// At first as many jobs run at once as the machine has processors. When all of those have kept their threads and none
/// has begun for 5 ms although some wait, the number doubles, up to the limit. It falls again when the work is done or
/// its jobs are quick: see ``ConcurrencyController``. So quick handlers cost no context switches, and slow ones run
/// side by side, as a worker's `--concurrency` promises. Idle threads end after 10 s. When the system refuses more
/// threads, jobs wait for the existing ones; if there are none, the process crashes.
///
/// Jobs that take less time than waking a thread for them are best run by the submitting thread: see
/// ``runInline(onStall:)``.
package final class HandlerThreads: Sendable {
    /// A closure to run; it may use the coding memory of the thread that runs it.
    // A structure, because each element of an array of bare closures would allocate a thunk.
    package struct Job: Sendable {
        package let run: @Sendable (inout CodingScratch) -> Void

        package init(_ run: @escaping @Sendable (inout CodingScratch) -> Void) {
            self.run = run
        }

        /// The placeholder for a job that was taken.
        fileprivate static let none = Job { _ in }
    }

    /// The result of ``HandlerThreads/runInline(onStall:)``.
    package enum InlineResult: Equatable {
        /// No job was left for the caller.
        case notNeeded
        /// The caller ran some jobs; `more` is `true` if its time slice ended before it had run all.
        case done(more: Bool)
        /// A replacement has taken over the caller's other duties.
        case replaced
    }

    private struct State {
        var jobs: [Job] = []
        var head = 0
        /// Threads waiting for a job.
        var idle = 0
        /// The number of running jobs, and how many may run.
        var allowed: ConcurrencyController
        var isWatched = false
        /// The times that recent jobs took.
        var times: LatencyEstimator
        /// Whether no thread was woken for the waiting jobs, because the caller runs them.
        var isLeftToCaller = false
        /// The number of the job that the caller runs, 0 for none, and its value at the watch's last check.
        var inlineJob: UInt64 = 0
        var watchedInlineJob: UInt64 = 0
        /// The memory for coding in inline jobs, while no caller uses it.
        var inlineScratch = CodingScratch()
        /// Starts a replacement for the caller's other duties.
        var onStall: (@Sendable () -> Void)?

        var waiting: Int { jobs.count - head }

        mutating func add(_ new: consuming [Job]) {
            // Usually no job waits: then the whole array is moved.
            if head == jobs.count { (jobs, head) = (new, 0) } else { jobs.append(contentsOf: new) }
        }

        mutating func takeJob() -> Job {
            var job = Job.none
            swap(&job, &jobs[head])
            head += 1
            // Rarely, so that a job costs O(1), but often enough that done jobs do not pile up under constant load.
            if head >= 4096 {
                jobs.removeFirst(head)
                head = 0
            }
            return job
        }

        /// Whether one thread is expected to run all waiting jobs in less time than it takes to share them.
        var isQuick: Bool { times.areQuick(waiting) }
    }

    private static let watchInterval = DispatchTimeInterval.milliseconds(5)
    /// Not the global queue, which shares its threads with Swift's tasks: tasks that compute would delay the replacement of a
    /// blocked helper.
    private static let watchQueue = DispatchQueue(label: "mobius.handler-threads")
    private static let idleLimit = Duration.seconds(10)

    private let condition = MonotonicCondition()
    // Touched with the condition's lock held, so the run-time check for exclusive access is not needed.
    @exclusivity(unchecked) nonisolated(unsafe) private var state: State
    private let limit: Int
    private let start: @Sendable (String, @escaping @Sendable () -> Void) -> Bool
    private let name: String

    /// Makes a pool without threads; they are started with the first jobs.
    ///
    /// - Parameters:
    ///   - limit: how many jobs may run at once, at least 1.
    ///   - start: starts a thread of a name; returns whether the system had one left.
    package init(
        name: String, limit: Int, start: @escaping @Sendable (String, @escaping @Sendable () -> Void) -> Bool
    ) {
        let processors = ProcessInfo.processInfo.activeProcessorCount
        let allowed = ConcurrencyController(baseline: processors, limit: limit)
        self.name = name
        self.limit = allowed.limit
        self.start = start
        state = State(allowed: allowed, times: LatencyEstimator(processors: processors))
    }

    /// Runs jobs in the order given, several at once; never blocks.
    ///
    /// - Parameter runsInline: whether the caller calls ``runInline(onStall:)`` next, so that quick jobs can be left for
    ///   it.
    package func submit(_ jobs: consuming [Job], runsInline: Bool = false) {
        guard !jobs.isEmpty else { return }
        condition.lock()
        state.add(consume jobs)
        state.isLeftToCaller = runsInline && state.isQuick
        let (begin, woken) = state.isLeftToCaller ? (0, 0) : startThreads()
        let watch = !state.isWatched && state.waiting > begin && (state.allowed.canGrow || state.isLeftToCaller)
        if watch {
            state.isWatched = true
            state.allowed.startSampling()
        }
        condition.unlock()
        wake(woken)
        if watch { self.watch() }
    }

    /// Starts threads for the jobs that may run now.
    ///
    /// Returns for how many jobs there are threads, and how many of these threads are idle and need a signal. Called
    /// with the lock held.
    private func startThreads() -> (jobs: Int, woken: Int) {
        let wanted = max(0, min(state.waiting, state.allowed.count - state.allowed.running))
        let woken = min(wanted, state.idle)
        for begun in woken..<wanted {
            guard start(name, { [self] in EffectContext.withThread { work() } }) else {
                let threads = state.idle + state.allowed.running
                if threads == 0 { Self.refused(name) }
                state.allowed.limitToExisting(threads: threads)
                return (begun, woken)
            }
            state.idle += 1  // a new thread is idle until it takes its first job, as all others do
        }
        return (wanted, woken)
    }

    private static func refused(_ name: String) -> Never {
        fatalError("The system refused a thread for \"\(name)\": raise its limit (ulimit -u, or pids.max).")
    }

    /// Wakes `count` threads; called without the lock, because woken threads would only wait for it.
    private func wake(_ count: Int) {
        for _ in 0..<count { condition.signal() }
    }

    private func watch() {
        Self.watchQueue.asyncAfter(deadline: .now() + Self.watchInterval) { [self] in
            condition.lock()
            let onStall = takeStalledHandoff()
            guard state.inlineJob != 0 || state.waiting > 0 && (state.allowed.canGrow || state.isLeftToCaller) else {
                state.isWatched = false
                let woken = onStall == nil ? 0 : startThreads().woken
                condition.unlock()
                wake(woken)
                onStall?()
                return
            }
            let isStuck = state.allowed.isStuck
            if state.waiting > 0 {
                state.allowed.sample(areQuick: state.times.areQuick(1))
            } else {
                state.allowed.startSampling()
            }
            if isStuck { state.isLeftToCaller = false }
            let woken = isStuck ? startThreads().woken : 0
            condition.unlock()
            wake(woken)
            onStall?()
            watch()
        }
    }

    private func work() {
        var scratch = CodingScratch()
        condition.lock()
        while true {
            guard state.waiting > 0, !state.isLeftToCaller, state.allowed.running < state.allowed.count else {
                if condition.wait(for: Self.idleLimit) || state.waiting > 0 { continue }
                state.idle -= 1
                condition.unlock()
                return
            }
            state.idle -= 1
            run(since: Moment.current.nanoseconds, &scratch)
            state.idle += 1
        }
    }

    /// Runs the first waiting job without the lock, which is held before and after; returns the time afterwards.
    @discardableResult
    private func run(since start: Int64, _ scratch: inout CodingScratch) -> Int64 {
        let number = state.allowed.begin()
        // The closure is released here, where it has run, and not with the lock held.
        do {
            let run = state.takeJob().run
            condition.unlock()
            run(&scratch)
        }
        condition.lock()
        state.allowed.end(number, isLast: state.waiting == 0)
        let end = Moment.current.nanoseconds
        state.times.note(end - start)
        return end
    }
}

// MARK: - Jobs on the submitting thread

extension HandlerThreads {
    /// Runs the jobs that ``submit(_:runsInline:)`` left for the caller, for at most 200 µs per call.
    ///
    /// Call it again when more are left. If the jobs turn out to be slow, threads run the rest. There is one caller at
    /// a time.
    ///
    /// A job that takes longer than recent jobs did keeps the caller from its other duties. After 5 to 10 ms `onStall`
    /// is therefore called once, on another thread; the thread that then takes the caller's place may help from then
    /// on.
    package func runInline(onStall: @escaping @Sendable () -> Void) -> InlineResult {
        condition.lock()
        guard state.isLeftToCaller, state.waiting > 0 else {
            condition.unlock()
            return .notNeeded
        }
        state.onStall = onStall
        var scratch = CodingScratch()
        swap(&scratch, &state.inlineScratch)
        var time = Moment.current.nanoseconds
        let end = time + LatencyEstimator.inlineTimeSlice
        while state.isLeftToCaller, state.waiting > 0, state.allowed.running < limit, time < end {
            let number = state.allowed.begun + 1
            state.inlineJob = number
            time = run(since: time, &scratch)
            guard state.inlineJob == number else {
                let woken = startThreads().woken  // one more job may run
                condition.unlock()
                wake(woken)
                return .replaced
            }
            state.inlineJob = 0
        }
        state.onStall = nil
        swap(&scratch, &state.inlineScratch)
        state.isLeftToCaller =
            state.isLeftToCaller && state.waiting > 0 && state.allowed.running < limit && state.isQuick
        let (isLeft, woken) = state.isLeftToCaller ? (true, 0) : (false, startThreads().woken)
        condition.unlock()
        wake(woken)
        return .done(more: isLeft)
    }

    /// Returns the closure that replaces a caller whose job has not changed since the last check; `nil` when none is
    /// stuck.
    private func takeStalledHandoff() -> (@Sendable () -> Void)? {
        defer { state.watchedInlineJob = state.inlineJob }
        guard state.inlineJob != 0, state.inlineJob == state.watchedInlineJob else { return nil }
        state.inlineJob = 0
        state.isLeftToCaller = false
        return state.onStall.take()
    }
}
