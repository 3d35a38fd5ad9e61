/// Delivers events to a consumer until it is closed, and then releases the consumer.
///
/// Handlers may keep their callbacks: after the end of a connection these refer only to this object, so they keep no
/// loop alive.
// Unchecked, because the consumer is read inside the gate only, and released when the gate is closed and empty. It lies
// behind a pointer, because classes check exclusive access to their variables at run time.
@usableFromInline
package final class EventOutlet<Event>: @unchecked Sendable {
    @usableFromInline let gate = DeliveryGate()
    @usableFromInline let consumer: UnsafeMutablePointer<Consumer<Event>?>

    /// An open outlet to `consumer`.
    package init(_ consumer: @escaping Consumer<Event>) {
        self.consumer = .allocate(capacity: 1)
        self.consumer.initialize(to: consumer)
    }

    deinit {
        consumer.deinitialize(count: 1)
        consumer.deallocate()
    }

    /// Delivers `event`, on the calling thread, unless the outlet is closed.
    @inlinable
    package func deliver(_ event: Event) {
        gate.deliver { consumer.pointee?(event) }
    }

    /// Closes it: nothing is delivered after it returns (see ``DeliveryGate/close(then:)``).
    package func close() {
        gate.close { self.consumer.pointee = nil }
    }
}
