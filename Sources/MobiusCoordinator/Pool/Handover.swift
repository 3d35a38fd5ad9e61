import Dispatch
import Synchronization

/// Passes one value from one thread to another, which waits for it.
final class Handover<Value: Sendable>: Sendable {
    private let value = Mutex<Value?>(nil)
    private let given = DispatchSemaphore(value: 0)

    /// Sets the value; call it once.
    func give(_ value: Value) {
        self.value.withLock { $0 = value }
        given.signal()
    }

    /// Blocks the calling thread until the value is set, and returns it; call it once.
    func take() -> Value {
        given.wait()
        guard let value = value.withLock({ $0 }) else { preconditionFailure("The value is set before the signal.") }
        return value
    }
}
