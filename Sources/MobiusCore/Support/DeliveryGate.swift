import Dispatch
public import Synchronization

/// Allows deliveries until it is closed for good: nothing is delivered after ``close(then:)`` has returned.
///
/// A delivery while no other thread delivers costs two atomic operations.
@usableFromInline
final class DeliveryGate: Sendable {
    private struct State {
        /// The threads that entered while another one was inside; a thread that delivers inside a delivery occurs
        /// twice.
        var others: [UInt] = []
        /// The functions to call when the gate is closed and the last thread has left.
        var whenEmpty: [@Sendable () -> Void] = []
        var isClosed = false
    }

    /// The thread that entered while the gate was empty, with the bit for "closed".
    ///
    /// Thread identities are addresses of objects larger than a byte, so their lowest bit is free.
    @usableFromInline let word = Atomic<UInt>(0)
    private let state = Lock(State())

    @usableFromInline
    init() {}

    private static var closedBit: UInt { 1 }

    /// Runs `delivery`, unless the gate is closed; no lock is held meanwhile.
    @inlinable
    func deliver(_ delivery: () -> Void) {
        let thread = ThreadIdentity.current
        guard word.compareExchange(expected: 0, desired: thread, ordering: .acquiring).exchanged else {
            return deliverAmongOthers(delivery, on: thread)
        }
        delivery()
        if !word.compareExchange(expected: thread, desired: 0, ordering: .releasing).exchanged { leaveClosedGate() }
    }

    @usableFromInline
    func deliverAmongOthers(_ delivery: () -> Void, on thread: UInt) {
        // Inside its own delivery, the thread is already recorded.
        if word.load(ordering: .acquiring) == thread { return delivery() }
        let isOpen = state.withLock { state in
            guard word.load(ordering: .acquiring) & Self.closedBit == 0 else { return false }
            state.others.append(thread)
            return true
        }
        guard isOpen else { return }
        delivery()
        let whenEmpty = state.withLock { state in
            if let place = state.others.lastIndex(of: thread) { state.others.remove(at: place) }
            return takeWhenEmpty(&state)
        }
        for act in whenEmpty { act() }
    }

    /// The thread in the word leaves after the gate was closed.
    @usableFromInline
    func leaveClosedGate() {
        let whenEmpty = state.withLock { state in
            word.store(Self.closedBit, ordering: .releasing)
            return takeWhenEmpty(&state)
        }
        for act in whenEmpty { act() }
    }

    /// Closes the gate, waits until it is empty, and calls `release`, the first time.
    ///
    /// A call inside a delivery does not wait, because a thread cannot wait for itself: the last thread to leave calls
    /// `release` then.
    func close(then release: @escaping @Sendable () -> Void) {
        let thread = ThreadIdentity.current
        let left = DispatchSemaphore(value: 0)
        word.bitwiseOr(Self.closedBit, ordering: .acquiringAndReleasing)
        let (mustWait, whenEmpty) = state.withLock { state in
            if !state.isClosed { state.whenEmpty.append(release) }
            state.isClosed = true
            let first = word.load(ordering: .acquiring) & ~Self.closedBit
            let isInside = first == thread || state.others.contains(thread)
            let mustWait = !isInside && (first != 0 || !state.others.isEmpty)
            if mustWait { state.whenEmpty.append({ left.signal() }) }
            return (mustWait, takeWhenEmpty(&state))
        }
        for act in whenEmpty { act() }
        if mustWait { left.wait() }
    }

    /// With the lock held: the work to do when the gate is empty.
    private func takeWhenEmpty(_ state: inout State) -> [@Sendable () -> Void] {
        guard state.isClosed, word.load(ordering: .acquiring) == Self.closedBit, state.others.isEmpty else { return [] }
        defer { state.whenEmpty = [] }
        return state.whenEmpty
    }
}
