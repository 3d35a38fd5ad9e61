public import Synchronization

// Inlinable, because every report passes through it and unspecialized generic code of another module is slow. Public,
// because package declarations are not specialized in other modules.
/// An unbounded queue from any thread to a socket thread, which wakes that thread's poller.
///
/// Its senders bound its size: each handler may have only a limited number of unacknowledged events (see `SendLimits`).
/// The values of one sender keep their order. If the receiver takes values often, posting makes no system calls: see
/// ``WakeUp``.
public final class Mailbox<Element: Sendable>: Sendable {
    /// The wake-up that the receiver's poller watches.
    public let wakeUp: WakeUp
    @usableFromInline let elements = Mutex<[Element]>([])

    /// Creates an empty mailbox.
    @inlinable public init(wakeUp: WakeUp = WakeUp()) {
        self.wakeUp = wakeUp
    }

    /// Adds a value and wakes the receiver.
    ///
    /// Call it from any thread; it never waits for the receiver.
    @inlinable public func post(_ element: consuming Element) {
        var moved: Element? = consume element  // a closure can only copy a captured value
        elements.withLock { if let element = moved.take() { $0.append(element) } }
        wakeUp.signal()
    }

    /// Marks the receiver as awake: until ``mayWait()``, posted values do not wake it.
    ///
    /// Called by the receiver.
    ///
    /// - Parameter isReadable: Whether the poller has reported the wake-up as readable.
    public func stayAwake(isReadable: Bool) {
        wakeUp.hold(isReadable: isReadable)
    }

    /// Marks the receiver as about to sleep: from now on, posted values wake it.
    ///
    /// Called by the receiver.
    ///
    /// - Returns: whether the mailbox is empty, so that the receiver may sleep.
    public func mayWait() -> Bool {
        wakeUp.release()
        return elements.withLock { $0.isEmpty }
    }

    /// Replaces the contents of `taken` with all posted values.
    ///
    /// Its memory is reused for later values.
    @inlinable public func drain(into taken: inout [Element]) {
        taken.removeAll(keepingCapacity: true)
        var empty = taken
        taken = []
        elements.withLock { swap(&$0, &empty) }
        taken = empty
    }
}
