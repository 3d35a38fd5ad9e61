#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The signal mask of the calling thread; Dispatch's threads block all signals.
enum ThreadSignals {
    /// Runs the body with the signal unblocked.
    static func allowing<Value>(_ signal: Int32, _ body: () -> Value) -> Value {
        var (allowed, before) = (sigset_t(), sigset_t())
        sigemptyset(&allowed)
        sigaddset(&allowed, signal)
        pthread_sigmask(SIG_UNBLOCK, &allowed, &before)
        defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
        return body()
    }

    /// Stops this process as an uncaught SIGTSTP does; returns when it continues.
    ///
    /// The kernel ignores the stop if no shell could continue the process.
    static func stopAsUsual() {
        var usual = sigaction()  // all zero: SIG_DFL
        var ours = sigaction()
        sigaction(SIGTSTP, &usual, &ours)
        allowing(SIGTSTP) { _ = pthread_kill(pthread_self(), SIGTSTP) }
        sigaction(SIGTSTP, &ours, nil)
    }
}
