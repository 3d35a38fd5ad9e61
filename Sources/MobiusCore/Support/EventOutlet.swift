/// Delivers events to a consumer until it is closed, and then lets go of the consumer.
///
/// Handlers may keep their callbacks for as long as they like: after the end of a connection these lead here, and no
/// further, so they keep no loop alive.
final class EventOutlet<Event>: Sendable {
    private let gate = DeliveryGate()
    /// Read inside the gate only, and let go of when the gate is closed and nobody is inside.
    nonisolated(unsafe) private var consumer: Consumer<Event>?

    init(_ consumer: @escaping Consumer<Event>) {
        self.consumer = consumer
    }

    /// Delivers `event`, on the calling thread, unless the outlet is closed.
    func deliver(_ event: Event) {
        gate.deliver { consumer?(event) }
    }

    /// Closes it: nothing is delivered after it returns (see ``DeliveryGate/close(then:)``).
    func close() {
        gate.close { self.consumer = nil }
    }
}
