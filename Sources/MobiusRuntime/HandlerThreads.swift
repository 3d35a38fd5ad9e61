import Dispatch
import Foundation
package import MobiusCodec
import MobiusEngine

/// Threads that may block, for handlers: few while handlers are quick, up to a limit while they wait.
///
/// As many jobs run at once as the machine has processors. Only when those have kept their threads and not one was begun for
/// 5 ms although some wait, that number doubles, up to the limit; it falls back once the work is done or its jobs are quick:
/// see ``ThreadAllowance``. So quick handlers pay for no context switches, and slow ones run side by side as a worker's
/// `--concurrency` promises. Idle threads end after 10 s. When the system refuses more threads, jobs wait for those that
/// there are; without any the process crashes.
///
/// Jobs that take less time than waking a thread for them are best run by whoever brings them: see ``help(orReplace:)``.
package final class HandlerThreads: Sendable {
    /// Something to run, which may use memory of the thread that runs it for its codings.
    // A structure, because an array of bare closures holds a thunk for each of them, which is allocated.
    package struct Job: Sendable {
        package let run: @Sendable (inout CodingScratch) -> Void

        package init(_ run: @escaping @Sendable (inout CodingScratch) -> Void) {
            self.run = run
        }

        /// What stands where a job was taken from.
        fileprivate static let none = Job { _ in }
    }

    /// How ``HandlerThreads/help(orReplace:)`` ended.
    package enum Help: Equatable {
        /// No job was left to the caller.
        case notNeeded
        /// It ran some; whether more are left to it, for which its time was over.
        case done(more: Bool)
        /// Somebody else does by now what the caller did besides.
        case replaced
    }

    private struct State {
        var jobs: [Job] = []
        var head = 0
        /// Threads waiting for a job.
        var idle = 0
        /// The jobs that run, and how many threads may.
        var allowed: ThreadAllowance
        var isWatched = false
        /// How long jobs took lately.
        var times: JobTimes
        /// Whether nobody was woken for the jobs that wait, because a helper takes them.
        var isLeftToHelper = false
        /// The number of the job that the helper runs, 0 for none, and what it was when the watch looked last.
        var helperJob: UInt64 = 0
        var watchedHelperJob: UInt64 = 0
        /// What helpers' jobs code with, while none helps.
        var helperScratch = CodingScratch()
        /// Has somebody else do what the helper does besides.
        var replaceHelper: (@Sendable () -> Void)?

        var waiting: Int { jobs.count - head }

        mutating func add(_ new: consuming [Job]) {
            // Mostly nothing waits: then all of them change hands at once.
            if head == jobs.count { (jobs, head) = (new, 0) } else { jobs.append(contentsOf: new) }
        }

        mutating func takeJob() -> Job {
            var job = Job.none
            swap(&job, &jobs[head])
            head += 1
            // Rarely, so that it costs O(1) a job, and often enough that done jobs don't pile up under constant load.
            if head >= 4096 {
                jobs.removeFirst(head)
                head = 0
            }
            return job
        }

        /// Whether one thread can be expected to do all jobs that wait in less time than it takes to share them.
        var isQuick: Bool { times.areQuick(waiting) }
    }

    private static let patience = DispatchTimeInterval.milliseconds(5)
    private static let idleLimit: TimeInterval = 10

    private let condition = NSCondition()
    // Touched with the condition's lock held, which is why nobody needs to check at run time that it is not changed twice at once.
    @exclusivity(unchecked) nonisolated(unsafe) private var state: State
    private let limit: Int
    private let start: @Sendable (@escaping @Sendable () -> Void) -> Bool
    private let name: String

    /// Makes a pool without threads; they come with the first jobs.
    ///
    /// - Parameters:
    ///   - limit: how many jobs may run at once, at least 1.
    ///   - start: begins a thread, and answers whether the system had one left.
    package init(name: String, limit: Int, start: @escaping @Sendable (@escaping @Sendable () -> Void) -> Bool) {
        let processors = ProcessInfo.processInfo.activeProcessorCount
        let allowed = ThreadAllowance(few: processors, limit: limit)
        self.name = name
        self.limit = allowed.limit
        self.start = start
        state = State(allowed: allowed, times: JobTimes(processors: processors))
    }

    /// Runs jobs in the order given, several at once; never waits.
    ///
    /// - Parameter isHelped: whether the caller calls ``help(orReplace:)`` next, so that quick jobs can be left to it.
    package func submit(_ jobs: consuming [Job], isHelped: Bool = false) {
        guard !jobs.isEmpty else { return }
        condition.lock()
        state.add(consume jobs)
        state.isLeftToHelper = isHelped && state.isQuick
        let (begin, woken) = state.isLeftToHelper ? (0, 0) : employ()
        let watch = !state.isWatched && state.waiting > begin && (state.allowed.canGrow || state.isLeftToHelper)
        if watch {
            state.isWatched = true
            state.allowed.beginLooking()
        }
        condition.unlock()
        wake(woken)
        if watch { self.watch() }
    }

    /// Starts threads for the jobs that may run now, and says for how many and which part of them is to be woken; with the
    /// lock held.
    private func employ() -> (jobs: Int, woken: Int) {
        let wanted = max(0, min(state.waiting, state.allowed.count - state.allowed.running))
        let woken = min(wanted, state.idle)
        for begun in woken..<wanted {
            guard start({ [self] in EffectContext.withThread { work() } }) else {
                let threads = state.idle + state.allowed.running
                if threads == 0 { Self.refused(name) }
                state.allowed.wasRefused(has: threads)
                return (begun, woken)
            }
            state.idle += 1  // it is born idle, and takes its first job as all others do
        }
        return (wanted, woken)
    }

    private static func refused(_ name: String) -> Never {
        fatalError("The system refused a thread for \"\(name)\": raise its limit (ulimit -u, or pids.max).")
    }

    /// Wakes so many; without the lock, which they would only wait for.
    private func wake(_ count: Int) {
        for _ in 0..<count { condition.signal() }
    }

    private func watch() {
        DispatchQueue.global().asyncAfter(deadline: .now() + Self.patience) { [self] in
            condition.lock()
            let replaceHelper = dismissStuckHelper()
            guard state.helperJob != 0 || state.waiting > 0 && (state.allowed.canGrow || state.isLeftToHelper) else {
                state.isWatched = false
                let woken = replaceHelper == nil ? 0 : employ().woken
                condition.unlock()
                wake(woken)
                replaceHelper?()
                return
            }
            let isStuck = state.allowed.isStuck
            if state.waiting > 0 {
                state.allowed.lookAgain(areQuick: state.times.areQuick(1))
            } else {
                state.allowed.beginLooking()
            }
            if isStuck { state.isLeftToHelper = false }
            let woken = isStuck ? employ().woken : 0
            condition.unlock()
            wake(woken)
            replaceHelper?()
            watch()
        }
    }

    private func work() {
        var scratch = CodingScratch()
        condition.lock()
        while true {
            guard state.waiting > 0, !state.isLeftToHelper, state.allowed.running < state.allowed.count else {
                if condition.wait(until: Date(timeIntervalSinceNow: Self.idleLimit)) || state.waiting > 0 { continue }
                state.idle -= 1
                condition.unlock()
                return
            }
            state.idle -= 1
            run(since: Moment.current.nanoseconds, &scratch)
            state.idle += 1
        }
    }

    /// Runs the first job that waits, without the lock, which is held before and after; answers the time afterwards.
    @discardableResult
    private func run(since start: Int64, _ scratch: inout CodingScratch) -> Int64 {
        let number = state.allowed.begin()
        // Released where it has run, and not with the lock held.
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

// MARK: - Jobs on the thread that brings them

extension HandlerThreads {
    /// Runs the jobs that ``submit(_:isHelped:)`` left to the caller, for a fifth of a millisecond at a time.
    ///
    /// Call it again when more are left. If they turn out not to be that quick, threads do the rest. One helper at a time.
    ///
    /// A job that takes longer than jobs lately did keeps the caller from what else it has to do: after 5 to 10 ms `replace`
    /// is called on another thread, once, and whoever that puts in the caller's place may help from then on.
    package func help(orReplace replace: @escaping @Sendable () -> Void) -> Help {
        condition.lock()
        guard state.isLeftToHelper, state.waiting > 0 else {
            condition.unlock()
            return .notNeeded
        }
        state.replaceHelper = replace
        var scratch = CodingScratch()
        swap(&scratch, &state.helperScratch)
        var time = Moment.current.nanoseconds
        let end = time + JobTimes.helpTime
        while state.isLeftToHelper, state.waiting > 0, state.allowed.running < limit, time < end {
            let number = state.allowed.begun + 1
            state.helperJob = number
            time = run(since: time, &scratch)
            guard state.helperJob == number else {
                let woken = employ().woken  // there is room for one more
                condition.unlock()
                wake(woken)
                return .replaced
            }
            state.helperJob = 0
        }
        state.replaceHelper = nil
        swap(&scratch, &state.helperScratch)
        state.isLeftToHelper =
            state.isLeftToHelper && state.waiting > 0 && state.allowed.running < limit && state.isQuick
        let (isLeft, woken) = state.isLeftToHelper ? (true, 0) : (false, employ().woken)
        condition.unlock()
        wake(woken)
        return .done(more: isLeft)
    }

    /// What puts another in the place of a helper that has been at one job since the watch looked last; `nil` when none has.
    private func dismissStuckHelper() -> (@Sendable () -> Void)? {
        defer { state.watchedHelperJob = state.helperJob }
        guard state.helperJob != 0, state.helperJob == state.watchedHelperJob else { return nil }
        state.helperJob = 0
        state.isLeftToHelper = false
        return state.replaceHelper.take()
    }
}
