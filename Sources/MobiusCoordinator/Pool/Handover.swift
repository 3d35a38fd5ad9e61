import Dispatch
import Synchronization

/// Hands one value from one thread to another one, which waits for it.
final class Handover<Value: Sendable>: Sendable {
    private let value = Mutex<Value?>(nil)
    private let given = DispatchSemaphore(value: 0)

    /// Gives the value; once only.
    func give(_ value: Value) {
        self.value.withLock { $0 = value }
        given.signal()
    }

    /// Waits for the value; once only.
    func take() -> Value {
        given.wait()
        guard let value = value.withLock({ $0 }) else { preconditionFailure("A handover is given before it signals.") }
        return value
    }
}
