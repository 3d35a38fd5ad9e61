import Synchronization
package import ZeroMQ

/// Carries values from any thread to a socket thread, and wakes its poller.
///
/// The order of one sender is kept. A receiver that takes often costs its senders no system calls: see ``ZeroMQ/WakeUp``.
package final class Mailbox<Element: Sendable>: Sendable {
    /// What the receiver's poller watches.
    package let wakeUp: WakeUp
    private let elements = Mutex<[Element]>([])

    /// Makes an empty mailbox.
    package init(wakeUp: WakeUp = WakeUp()) {
        self.wakeUp = wakeUp
    }

    /// Adds a value; from any thread, never waits.
    package func post(_ element: Element) {
        elements.withLock { $0.append(element) }
        wakeUp.signal()
    }

    /// Takes all values that were posted, in exchange for an emptied array whose memory is used again.
    package func take(into taken: inout [Element]) {
        taken.removeAll(keepingCapacity: true)
        var empty = taken
        taken = []
        elements.withLock { swap(&$0, &empty) }
        taken = empty
    }
}
