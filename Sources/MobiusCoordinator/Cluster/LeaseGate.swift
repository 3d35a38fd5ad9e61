import MobiusCore
import MobiusDriver
import MobiusEngine
import MobiusRuntime
import Synchronization

/// Whether a shard's work may tell anyone anything: while its lease is trusted.
///
/// The thread that does the work passes it before each effect, answer and confirmation; the thread that renews the lease
/// moves its end. Passing an open gate costs reading a clock.
final class LeaseGate: TermGate, Sendable {
    /// The shard is another's now, or its work was given up: nothing may be told to anyone any more.
    struct Closed: Error {}

    /// The time until which it is open, in nanoseconds of ``Moment/current``.
    private let until: Atomic<Int64>
    // The flag is accessed only with the condition's lock held.
    private let condition = MonotonicCondition()
    nonisolated(unsafe) private var isClosed = false
    nonisolated(unsafe) private var waits = true
    private let onWait: @Sendable () -> Void

    /// Makes a gate that is open until then.
    ///
    /// - Parameter onWait: Called now and then by the thread that waits in ``pass()``.
    init(until moment: Moment, onWait: @escaping @Sendable () -> Void) {
        until = Atomic(moment.nanoseconds)
        self.onWait = onWait
    }

    /// Returns at once while the lease is trusted; otherwise waits for its renewal.
    ///
    /// - Throws: ``Closed`` after ``close()``, and instead of waiting after ``stopWaiting()``.
    func pass() throws(Closed) {
        // The clock is read after the end, so that a suspension in between counts.
        let end = until.load(ordering: .acquiring)
        if Moment.current.nanoseconds < end { return }
        condition.lock()
        defer { condition.unlock() }
        while Moment.current.nanoseconds >= until.load(ordering: .acquiring) {
            guard !isClosed, waits else { throw Closed() }
            onWait()
            _ = condition.wait(for: .milliseconds(500))
        }
    }

    /// The time for which it stays open, at least zero; `nil` once it is closed.
    var left: Duration? {
        let end = until.load(ordering: .acquiring)
        return end == .min ? nil : max(.zero, Moment(nanoseconds: end) - .current)
    }

    /// Returns the time for which it stays open, as far as is known; waits for the lease's renewal where it is not
    /// open.
    ///
    /// For whatever may take a while to be told: it must not be told after that.
    ///
    /// - Throws: ``Closed`` once it is closed for good.
    func time() async throws(Closed) -> Duration {
        while true {
            guard let left else { throw Closed() }
            if left > .zero { return left }
            try? await Task.sleep(for: .milliseconds(50))
        }
    }

    /// Opens it until then.
    func trust(until moment: Moment) {
        condition.lock()
        if !isClosed { until.store(moment.nanoseconds, ordering: .releasing) }
        condition.unlock()
        condition.broadcast()
    }

    /// The process ends: nobody waits for the lease's renewal any more.
    func stopWaiting() {
        condition.lock()
        waits = false
        condition.unlock()
        condition.broadcast()
    }

    /// Closes it for good.
    func close() {
        condition.lock()
        isClosed = true
        until.store(.min, ordering: .releasing)
        condition.unlock()
        condition.broadcast()
    }
}
