import Dispatch

extension DispatchSemaphore {
    /// Whether no signal comes for a while; for what must not happen before the test goes on.
    func staysSilent() -> Bool { wait(timeout: .now() + .milliseconds(50)) == .timedOut }
}

/// Runs `work` on a thread of its own; the semaphore is signalled when it has returned.
func onAnotherThread(_ work: @escaping @Sendable () -> Void) -> DispatchSemaphore {
    let done = DispatchSemaphore(value: 0)
    DispatchQueue(label: "another thread").async {
        work()
        done.signal()
    }
    return done
}
