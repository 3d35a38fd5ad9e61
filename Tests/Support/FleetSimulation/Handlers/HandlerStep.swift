import MobiusTestKit
package import MobiusWire

/// The context of a scripted handler.
package struct HandlerCall: Sendable {
    package let id: AttemptID
    /// The name of the handler's process, such as `worker 1#3` or `coordinator#2`.
    package let process: String

    /// The idempotency key.
    package var key: String { id.effect.description }
}

/// One step of a scripted handler, whose process may end between any two steps.
package enum HandlerStep<Event> {
    case wait(Duration)
    /// Performs a side effect outside the fleet.
    case act(() -> Void)
    /// Reports progress.
    case progress
    case send(Event)
    /// Sends bytes that cannot be decoded.
    case sendUndecodable(bytes: Int)
    /// Ends with a last event, or without one.
    case finish(Event?)
    case finishWithUndecodable(bytes: Int)
    case fail(retryable: Bool, delay: UInt32, reason: String)
    /// Never ends unless it is cancelled.
    case hang
}
