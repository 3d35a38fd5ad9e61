public import Synchronization
public import ZeroMQ

// Inlinable, because every report passes here and generic code of another module is slow; public, because what is only the
// package's is not made special in other modules.
/// Carries values from any thread to a socket thread, and wakes its poller.
///
/// It takes whatever is posted: its senders bound what is in it, as each handler may have so many events unacknowledged (see
/// `SendLimits`). The order of one sender is kept. A receiver that takes often costs its senders no system calls: see `WakeUp` in ZeroMQ.
public final class Mailbox<Element: Sendable>: Sendable {
    /// What the receiver's poller watches.
    public let wakeUp: WakeUp
    @usableFromInline let elements = Mutex<[Element]>([])

    /// Makes an empty mailbox.
    @inlinable public init(wakeUp: WakeUp = WakeUp()) {
        self.wakeUp = wakeUp
    }

    /// Adds a value; from any thread, never waits.
    @inlinable public func post(_ element: consuming Element) {
        var moved: Element? = consume element  // what a closure captures it can only copy
        elements.withLock { if let element = moved.take() { $0.append(element) } }
        wakeUp.signal()
    }

    /// Adds a value without waking anybody: the caller does, or takes it itself.
    @inlinable public func put(_ element: Element) {
        elements.withLock { $0.append(element) }
    }

    /// Says that the receiver is awake and takes what is posted before it sleeps: until ``mayWait()``, nobody wakes it.
    public func stayAwake(isReadable: Bool) {
        wakeUp.hold(isReadable: isReadable)
    }

    /// Whether the receiver may sleep now, because nothing is there; from now on it is woken.
    public func mayWait() -> Bool {
        wakeUp.release()
        return elements.withLock { $0.isEmpty }
    }

    /// Takes all values that were posted, in exchange for an emptied array whose memory is used again.
    @inlinable public func take(into taken: inout [Element]) {
        taken.removeAll(keepingCapacity: true)
        var empty = taken
        taken = []
        elements.withLock { swap(&$0, &empty) }
        taken = empty
    }
}
