import Synchronization

/// Starts the effects of one route in one connection according to the route's policy.
final class ExecutionLane: Sendable {
    private struct State {
        /// The number of effects that run, or are about to.
        var running = 0
        /// In the order in which they came; `nil` for removed ones.
        var waiting: [ManagedRun?] = []
        /// The number of removed ones at the front.
        var head = 0
        var newest: ManagedRun?
        var isClosed = false

        /// The next one that may run, in the order in which they came.
        mutating func next(limit: Int) -> ManagedRun? {
            guard running < limit, head < waiting.count, !isClosed else { return nil }
            running += 1
            let run = waiting[head].take()
            head += 1
            // Rarely enough for O(1) per effect, and often enough to free memory under constant load.
            if head == waiting.count || (head >= 1024 && 2 * head >= waiting.count) {
                waiting.removeFirst(head)
                head = 0
            }
            return run
        }
    }

    private let rule: ExecutionPolicy.Rule
    private let state = Lock(State())

    init(_ policy: ExecutionPolicy) {
        rule = policy.rule
    }

    /// Begins `run` on the calling thread if a place is free, or queues it for the thread that ends an earlier one.
    func admit(_ run: ManagedRun) {
        switch rule {
        case .unlimited:
            _ = run.begin()
        case .newest:
            let previous = state.withLock { state in
                defer { state.newest = run }
                return state.newest
            }
            previous?.dispose()
            if run.begin() { leave(run) }
        case .limited(let limit):
            state.withLock { $0.waiting.append(run) }
            beginThoseThatMay(limit)
        }
    }

    /// Notes that a handler that had begun has ended, after its start returned.
    func leave(_ run: ManagedRun) {
        switch rule {
        case .unlimited:
            break
        case .newest:
            state.withLock { if $0.newest === run { $0.newest = nil } }
        case .limited(let limit):
            state.withLock { $0.running -= 1 }
            beginThoseThatMay(limit)
        }
    }

    /// Begins no more.
    func close() {
        let waiting = state.withLock { state in
            state.isClosed = true
            defer { (state.waiting, state.head, state.newest) = ([], 0, nil) }
            return state.waiting
        }
        _ = waiting  // released here, outside the lock: it may be the last reference to user objects
    }

    private func beginThoseThatMay(_ limit: Int) {
        while let run = state.withLock({ $0.next(limit: limit) }) {
            // A run that was cancelled while it waited is skipped here.
            if run.begin() { state.withLock { $0.running -= 1 } }
        }
    }
}
