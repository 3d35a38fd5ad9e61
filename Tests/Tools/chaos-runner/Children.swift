import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Every process that was started and has not been seen to end: none of them may outlive the runner.
final class Children: Sendable {
    private let pids = Mutex<Set<Int32>>([])

    func add(_ pid: Int32) {
        pids.withLock { _ = $0.insert(pid) }
    }

    func remove(_ pid: Int32) {
        pids.withLock { _ = $0.remove(pid) }
    }

    /// From any thread; SIGKILL ends stopped ones, too.
    func killAll() {
        pids.withLock { pids in
            for pid in pids { kill(pid, SIGKILL) }
        }
    }
}
