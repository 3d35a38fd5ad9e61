import MobiusCore
import Synchronization

/// An effect's callback that keeps what comes: each output, and how it ended.
final class Answer<Output>: @unchecked Sendable {
    // Unchecked, because outputs of any type are kept; they are touched under the lock only.
    private let lock = Lock(())
    private var sentOutputs: [Output] = []
    private var finishes: [[Output]] = []

    var callback: EffectCallback<Output> {
        EffectCallback<Output>(
            onFinish: { outputs in self.lock.withLock { _ in self.finishes.append(outputs) } },
            onSend: { output in self.lock.withLock { _ in self.sentOutputs.append(output) } })
    }

    /// What was sent before the end.
    var sent: [Output] { lock.withLock { _ in sentOutputs } }
    /// What came with each end; one element for an effect that has ended.
    var ends: [[Output]] { lock.withLock { _ in finishes } }
    /// Everything, in order.
    var outputs: [Output] { sent + ends.flatMap { $0 } }
}
