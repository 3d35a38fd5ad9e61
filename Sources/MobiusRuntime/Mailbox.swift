package import Synchronization
package import ZeroMQ

/// Carries values from any thread to a socket thread, and wakes its poller.
///
/// The order of one sender is kept. A receiver that takes often costs its senders no system calls: see ``ZeroMQ/WakeUp``.
// Inlinable, because every report passes here and generic code of another module is slow.
package final class Mailbox<Element: Sendable>: Sendable {
    /// What the receiver's poller watches.
    package let wakeUp: WakeUp
    @usableFromInline package let elements = Mutex<[Element]>([])

    /// Makes an empty mailbox.
    @inlinable package init(wakeUp: WakeUp = WakeUp()) {
        self.wakeUp = wakeUp
    }

    /// Adds a value; from any thread, never waits.
    @inlinable package func post(_ element: Element) {
        elements.withLock { $0.append(element) }
        wakeUp.signal()
    }

    /// Adds a value without waking anybody: the caller does, or takes it itself.
    @inlinable package func put(_ element: Element) {
        elements.withLock { $0.append(element) }
    }

    /// Says that the receiver is awake and takes what is posted before it sleeps: until ``mayWait()``, nobody wakes it.
    package func stayAwake(isReadable: Bool) {
        wakeUp.hold(isReadable: isReadable)
    }

    /// Whether the receiver may sleep now, because nothing is there; from now on it is woken.
    package func mayWait() -> Bool {
        wakeUp.release()
        return elements.withLock { $0.isEmpty }
    }

    /// Takes all values that were posted, in exchange for an emptied array whose memory is used again.
    @inlinable package func take(into taken: inout [Element]) {
        taken.removeAll(keepingCapacity: true)
        var empty = taken
        taken = []
        elements.withLock { swap(&$0, &empty) }
        taken = empty
    }
}
