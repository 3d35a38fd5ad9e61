import CZeroMQ
import Synchronization

/// A dedicated thread for sockets, to which actors can be pinned.
///
/// ```swift
/// actor Switchboard {
///     let thread: SocketThread
///     nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }
///
///     init(on thread: SocketThread) { self.thread = thread }
///
///     func run() { thread.runPendingJobs() }
/// }
/// ```
///
/// ```swift
/// thread.start { _ in  // runs on the thread
///     switchboard.assumeIsolated { $0.run() }
/// }
/// ```
/// The loop that ``start(_:)`` runs waits with a ``Poller`` that includes ``wakeUp``, and calls ``runPendingJobs()`` in
/// each round. When the loop has returned, the thread continues to run the jobs of actors pinned to it until its last
/// reference is released, so that no job is lost or runs elsewhere.
public final class SocketThread: SerialExecutor, Sendable {
    /// The thread's name in debuggers and `top`; Linux shows the first 15 bytes.
    public let name: String
    private let jobs = JobQueue()

    /// Makes a thread that does not run yet; jobs wait until ``start(_:)``.
    public init(name: String) {
        self.name = name
    }

    deinit {
        jobs.abandon()
    }

    /// Starts the thread and runs `body` on it; once only.
    ///
    /// `body` is released when it returns. ``join()`` waits for its return.
    public func start(_ body: sending @escaping (SocketThread) -> Void) {
        guard jobs.claimStart() else { fatalError("A SocketThread starts once: make another one for another loop.") }
        let jobs = jobs
        let executor = asUnownedSerialExecutor()
        let beginning = Beginning(thread: self, body: body)
        DetachedThread.run(named: name) {
            jobs.adoptCurrentThread()
            beginning.run()
            jobs.runAll(on: executor)
            jobs.finish()
            jobs.serveStragglers(on: executor)
        }
    }

    /// Signalled whenever a job is waiting; the loop's poller must watch it and drain it.
    public var wakeUp: WakeUp { jobs.wakeUp }

    /// Whether the caller runs on this thread.
    public var isCurrent: Bool { jobs.isOnThread }

    /// Runs the jobs that are waiting now, on this thread only; those that they add wait for the next call.
    ///
    /// - Returns: the number of jobs.
    @discardableResult
    public func runPendingJobs() -> Int {
        checkIsolated()
        return jobs.runAll(on: asUnownedSerialExecutor())
    }

    /// Blocks until the loop has returned and the jobs waiting by then have run.
    ///
    /// Not from an async function, which should use ``finished()``, nor on the thread itself, which crashes.
    public func join() {
        if isCurrent { fatalError("A SocketThread cannot join itself: join it from the thread that started it.") }
        guard let done = try? WakeUp.ifPossible() else { return joinWithoutDescriptor() }
        jobs.whenFinished { done.signal() }
        var poller = Poller()
        _ = poller.add(done)
        // Only a descriptor is polled: it fails only if the kernel is exhausted, and then a repetition is correct.
        while (try? poller.wait(timeout: nil)) != 1 {}
    }

    /// The same for a process whose descriptors are all in use, perhaps by what this thread is about to close.
    private func joinWithoutDescriptor() {
        final class Flag: Sendable { let isSet = Atomic(false) }
        let done = Flag()
        jobs.whenFinished { done.isSet.store(true, ordering: .releasing) }
        while !done.isSet.load(ordering: .acquiring) { _ = zmq_poll(nil, 0, 1) }  // waits for a millisecond
    }

    /// Waits until the loop has returned and the jobs waiting by then have run.
    public func finished() async {
        await withCheckedContinuation { continuation in
            jobs.whenFinished { continuation.resume() }
        }
    }

    // MARK: - SerialExecutor

    /// Queues a job of an actor and wakes the loop; from any thread.
    public func enqueue(_ job: consuming ExecutorJob) {
        jobs.append(UnownedJob(job))
    }

    /// Crashes with a message when the caller does not run on this thread.
    public func checkIsolated() {
        if !isCurrent {
            fatalError("Something of the SocketThread \"\(name)\" was used on another thread: call it on its own.")
        }
    }

    /// Whether the caller runs on this thread, for the runtime's checks.
    public func isIsolatingCurrentContext() -> Bool? { isCurrent }
}

/// The loop and its thread, released together when the loop returns.
// Sendable because `body` was sent and is called once, on the new thread.
private final class Beginning: @unchecked Sendable {
    private var thread: SocketThread?
    private var body: ((SocketThread) -> Void)?

    init(thread: SocketThread, body: @escaping (SocketThread) -> Void) {
        self.thread = thread
        self.body = body
    }

    func run() {
        guard let thread = thread.take(), let body = body.take() else { return }
        body(thread)
    }
}
