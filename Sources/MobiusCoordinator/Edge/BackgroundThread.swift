import Foundation
import ZeroMQ

/// Runs work one after the other on a thread of its own, so that the socket thread never waits for it.
final class BackgroundThread: Sendable {
    // Accessed only with the condition's lock held.
    private let condition = NSCondition()
    nonisolated(unsafe) private var work: [@Sendable () -> Void] = []
    nonisolated(unsafe) private var isClosed = false

    /// Starts the thread; it ends after ``close()``.
    init(name: String) {
        DetachedThread.run(named: name) { [self] in
            while let next = take() { next() }
        }
    }

    /// Queues work; does nothing after ``close()``.
    func run(_ body: @escaping @Sendable () -> Void) {
        condition.lock()
        if !isClosed { work.append(body) }
        condition.unlock()
        condition.signal()
    }

    /// Drops the work that waits, and ends the thread after the work that runs.
    func close() {
        condition.lock()
        isClosed = true
        work = []
        condition.unlock()
        condition.signal()
    }

    private func take() -> (@Sendable () -> Void)? {
        condition.lock()
        defer { condition.unlock() }
        while work.isEmpty, !isClosed { condition.wait() }
        return isClosed ? nil : work.removeFirst()
    }
}
