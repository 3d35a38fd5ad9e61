import Synchronization

/// The jobs of a ``SocketThread``, and the state of its life cycle.
///
/// Separate from the handle, so that the thread can continue to run jobs without keeping the handle alive.
final class JobQueue: Sendable {
    private struct State {
        var pending: [UnownedJob] = []
        /// The storage of the batch that ran last, kept so that queueing does not allocate.
        var spare: [UnownedJob] = []
        var isStarted = false
        var isFinished = false
        var isAbandoned = false
        var whenFinished: [@Sendable () -> Void] = []
    }

    let wakeUp = WakeUp()
    private let state = Mutex(State())
    // 0 until started. Each thread compares it with itself only, so no ordering is needed.
    private let thread = Atomic<UInt>(0)

    var isOnThread: Bool { thread.load(ordering: .relaxed) == ThreadIdentity.current.rawValue }

    func adoptCurrentThread() {
        thread.store(ThreadIdentity.current.rawValue, ordering: .relaxed)
    }

    /// Whether this call is the first.
    func claimStart() -> Bool {
        state.withLock { state in
            defer { state.isStarted = true }
            return !state.isStarted
        }
    }

    func append(_ job: UnownedJob) {
        state.withLock { $0.pending.append(job) }
        wakeUp.signal()
    }

    /// Runs the waiting jobs in order, and returns their number.
    @discardableResult
    func runAll(on executor: UnownedSerialExecutor) -> Int {
        var batch = state.withLock { state in
            var taken: [UnownedJob] = []
            guard !state.pending.isEmpty else { return taken }
            swap(&taken, &state.spare)
            swap(&taken, &state.pending)
            return taken
        }
        guard !batch.isEmpty else { return 0 }
        for job in batch { job.runSynchronously(on: executor) }
        let count = batch.count
        batch.removeAll(keepingCapacity: true)
        state.withLock { $0.spare = batch }
        return count
    }

    /// Announces that the loop has returned.
    func finish() {
        let waiting = state.withLock { state in
            state.isFinished = true
            defer { state.whenFinished = [] }
            return state.whenFinished
        }
        for announce in waiting { announce() }
    }

    /// Calls `body` once the loop has returned, at once if it has.
    func whenFinished(_ body: @escaping @Sendable () -> Void) {
        let isFinished = state.withLock { state in
            guard state.isStarted else {
                fatalError("This SocketThread was never started, so waiting for it would never end: start it first.")
            }
            if !state.isFinished { state.whenFinished.append(body) }
            return state.isFinished
        }
        if isFinished { body() }
    }

    /// Lets the thread end once it has no jobs left.
    func abandon() {
        state.withLock { $0.isAbandoned = true }
        wakeUp.signal()
    }

    /// Runs the jobs that come after the loop has returned, until no more can come.
    func serveStragglers(on executor: UnownedSerialExecutor) {
        var poller = Poller()
        _ = poller.add(wakeUp)
        while true {
            runAll(on: executor)
            if state.withLock({ $0.isAbandoned && $0.pending.isEmpty }) { return }
            // Only a descriptor is polled; after any error, checking for jobs again is correct.
            _ = try? poller.wait(timeout: nil)
            wakeUp.drain()
        }
    }
}
