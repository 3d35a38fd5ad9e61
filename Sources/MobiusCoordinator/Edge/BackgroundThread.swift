import Foundation
import MobiusTransport

/// Runs work one after the other on a thread of its own, so that the socket thread never waits for it.
final class BackgroundThread: Sendable {
    // Accessed only with the condition's lock held.
    private let condition = NSCondition()
    nonisolated(unsafe) private var work: [@Sendable () -> Void] = []
    nonisolated(unsafe) private var isClosed = false

    /// Starts the thread; it ends after ``close()``.
    init(name: String) {
        DetachedThread.run(named: name) { [self] in
            while let next = pop() { next() }
        }
    }

    /// Queues work; does nothing after ``close()``.
    func run(_ body: @escaping @Sendable () -> Void) {
        condition.lock()
        if !isClosed { work.append(body) }
        condition.unlock()
        condition.signal()
    }

    /// Drops the work that waits, and ends the thread after the work that runs, and after `last`.
    ///
    /// - Returns: whether `last` is called: only the first call closes.
    @discardableResult
    func close(_ last: (@Sendable () -> Void)? = nil) -> Bool {
        condition.lock()
        let isFirst = !isClosed
        isClosed = true
        if isFirst { work = last.map { [$0] } ?? [] }
        condition.unlock()
        condition.signal()
        return isFirst
    }

    private func pop() -> (@Sendable () -> Void)? {
        condition.lock()
        defer { condition.unlock() }
        while work.isEmpty, !isClosed { condition.wait() }
        return work.isEmpty ? nil : work.removeFirst()
    }
}
