public import Dispatch

#if MOBIUS_THREAD_SANITIZER
    import Synchronization
#else
    public import Synchronization
#endif

/// Passes values from any thread to a serial queue, in order; values that arrive during a delivery form the next batch.
// Inlinable for the same reason as ``LoopCore``.
@usableFromInline
final class QueueMailbox<Value>: Sendable {
    @usableFromInline
    struct State {
        @usableFromInline var waiting: [Value] = []
        @usableFromInline var isUnderWay = false
        @usableFromInline var isClosed = false

        @inlinable
        init() {}
    }

    /// The minimum number of values delivered in one block of the queue, before other blocks run.
    @usableFromInline static var turn: Int { 1024 }

    @usableFromInline let queue: DispatchQueue
    @usableFromInline let deliver: @Sendable (Value) -> Void
    @usableFromInline let lock = Lock<Void>(())
    // Unchecked, because values need not be `Sendable` (see ``UncheckedTransfer``): reached with the lock held.
    @usableFromInline nonisolated(unsafe) var state = State()
    // Used on the queue only; its memory is reused.
    @usableFromInline nonisolated(unsafe) var batch: [Value] = []

    /// Calls `deliver` on `queue`, which is serial.
    @inlinable
    init(queue: DispatchQueue, deliver: @escaping @Sendable (Value) -> Void) {
        self.queue = queue
        self.deliver = deliver
    }

    /// Delivers `value` soon, unless closed; never waits.
    @inlinable
    func post(_ value: Value) {
        var begins = false
        lock.withLock { _ in
            guard !state.isClosed else { return }
            state.waiting.append(value)
            begins = !state.isUnderWay
            state.isUnderWay = true
        }
        if begins { takeTurn() }
    }

    /// Accepts no more values and drops waiting ones; the current batch is still delivered.
    @usableFromInline
    func close() {
        var dropped: [Value] = []
        lock.withLock { _ in
            state.isClosed = true
            swap(&dropped, &state.waiting)
        }
    }

    /// Delivers the waiting values on the calling thread; to be called on the queue.
    ///
    /// - Returns: the number of values.
    @inlinable
    @discardableResult
    func deliverWaiting() -> Int {
        lock.withLock { _ in swap(&batch, &state.waiting) }
        for value in batch { deliver(value) }
        let count = batch.count
        batch.removeAll(keepingCapacity: true)
        return count
    }

    @inlinable
    func takeTurn() {
        queue.async {
            var count = 0
            while count < Self.turn {
                count += self.deliverWaiting()
                var isDone = false
                self.lock.withLock { _ in
                    isDone = self.state.waiting.isEmpty
                    if isDone { self.state.isUnderWay = false }
                }
                if isDone { return }
            }
            self.takeTurn()
        }
    }
}
