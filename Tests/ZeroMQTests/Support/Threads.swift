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

/// A thread of the system, to be interrupted by signals.
struct InterruptibleThread: @unchecked Sendable {
    // @unchecked, because pthread_t is a pointer on some systems; it is only handed back to them.
    private let thread = pthread_self()

    /// Makes SIGUSR2 interrupt system calls instead of ending the process.
    static func prepare() {
        var action = sigaction()
        #if canImport(Darwin)
            action.__sigaction_u.__sa_handler = { _ in }
        #else
            action.__sigaction_handler.sa_handler = { _ in }
        #endif
        sigaction(SIGUSR2, &action, nil)
    }

    /// Interrupts what the thread waits for.
    func interrupt() {
        pthread_kill(thread, SIGUSR2)
    }
}
