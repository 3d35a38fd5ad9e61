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
        // Made before the first signal: a handler that makes it while its thread does waits for itself for ever.
        _ = Self.interruptions
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

    #if os(Linux)
        /// Signals that come again and again.
        struct Signals {
            // The system's first one is 0, which is `nil` here.
            fileprivate let timer: timer_t?

            func end() {
                timer_delete(timer)
            }
        }

        /// Interrupts the thread, which is the calling one, again and again.
        func interruptSelf(every pause: Duration) -> Signals? {
            var event = sigevent()
            event.sigev_notify = 4  // SIGEV_THREAD_ID
            event.sigev_signo = SIGUSR2
            guard let number = Self.number else { return nil }
            event._sigev_un._tid = number
            var timer: timer_t?
            guard timer_create(CLOCK_MONOTONIC, &event, &timer) == 0 else { return nil }
            let time = timespec(tv_sec: 0, tv_nsec: Int(pause / .nanoseconds(1)))
            var times = itimerspec(it_interval: time, it_value: time)
            timer_settime(timer, 0, &times, nil)
            return Signals(timer: timer)
        }
    #endif

    #if os(Linux)
        /// The system's number of the calling thread.
        private static var number: pid_t? {
            var path = [CChar](repeating: 0, count: 64)
            guard readlink("/proc/thread-self", &path, path.count - 1) > 0 else { return nil }
            return path.withUnsafeBufferPointer { buffer in
                buffer.baseAddress.flatMap { String(cString: $0).split(separator: "/").last }.flatMap { pid_t($0) }
            }
        }
    #endif

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
