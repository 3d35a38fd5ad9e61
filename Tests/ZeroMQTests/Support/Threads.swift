import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Lets other threads run.
func yieldThread() {
    sched_yield()
}

/// The thread that makes it, ready to be interrupted by a signal.
// Sendable, because pthread_t is a pointer on some systems, but is only handed back to them.
struct InterruptibleThread: @unchecked Sendable {
    private let thread = pthread_self()
    private static let count = Atomic<Int>(0)

    /// How often threads of this process were interrupted.
    static var interruptions: Int { count.load(ordering: .relaxed) }

    /// Makes SIGUSR2 interrupt the thread's system calls instead of ending the process.
    init() {
        var action = sigaction()
        #if canImport(Darwin)
            action.__sigaction_u.__sa_handler = { _ in _ = Self.count.add(1, ordering: .relaxed) }
        #else
            action.__sigaction_handler.sa_handler = { _ in _ = Self.count.add(1, ordering: .relaxed) }
        #endif
        sigaction(SIGUSR2, &action, nil)
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGUSR2)
        pthread_sigmask(SIG_UNBLOCK, &signals, nil)
    }

    /// Interrupts what the thread waits for.
    func interrupt() {
        pthread_kill(thread, SIGUSR2)
    }
}

/// How much processor time this thread has used.
func threadTime() -> Duration {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return .seconds(Int(time.tv_sec)) + .nanoseconds(Int(time.tv_nsec))
}
