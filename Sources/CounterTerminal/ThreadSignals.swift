#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// What signals do to the calling thread; Dispatch's threads block them all.
enum ThreadSignals {
    /// Runs the body with the signal let through.
    static func allowing<Value>(_ signal: Int32, _ body: () -> Value) -> Value {
        var (allowed, before) = (sigset_t(), sigset_t())
        sigemptyset(&allowed)
        sigaddset(&allowed, signal)
        pthread_sigmask(SIG_UNBLOCK, &allowed, &before)
        defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
        return body()
    }

    /// Does to this process what SIGTSTP does to those that do not catch it; returns when it goes on.
    ///
    /// That is a stop, unless nobody is there who could end it (no shell above): the kernel knows.
    static func stopAsUsual() {
        var usual = sigaction()  // all zero: SIG_DFL
        var ours = sigaction()
        sigaction(SIGTSTP, &usual, &ours)
        allowing(SIGTSTP) { _ = pthread_kill(pthread_self(), SIGTSTP) }
        sigaction(SIGTSTP, &ours, nil)
    }
}
