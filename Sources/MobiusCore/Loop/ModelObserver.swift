import Dispatch
import Synchronization

/// An observer that receives the models of a loop, one at a time, until disposed of.
///
/// Only the thread that runs the loop delivers, so one word of state is enough. When ``dispose()`` has returned, no
/// delivery runs in another thread and none will begin.
@usableFromInline
final class ModelObserver<Model>: Disposable {
    @usableFromInline static var idle: UInt8 { 0 }
    @usableFromInline static var delivering: UInt8 { 1 }
    @usableFromInline static var disposed: UInt8 { 2 }
    @usableFromInline static var disposedWhileDelivering: UInt8 { 3 }

    private let consumer: Consumer<Model>
    /// Called once, when the loop has ended.
    private let onEnd: @Sendable () -> Void
    private let state = Atomic<UInt8>(0)
    /// The thread that delivers, while one does.
    private let deliverer = Atomic<UInt>(0)
    /// Signalled when the last delivery has ended; each waiter signals the next one.
    private let over = DispatchSemaphore(value: 0)

    init(_ consumer: @escaping Consumer<Model>, onEnd: @escaping @Sendable () -> Void = {}) {
        self.consumer = consumer
        self.onEnd = onEnd
    }

    /// Delivers `model` on the calling thread, unless disposed of.
    @usableFromInline
    func deliver(_ model: Model, on thread: UInt) {
        deliverer.store(thread, ordering: .relaxed)
        guard exchange(Self.idle, Self.delivering) else { return }
        consumer(model)
        guard !exchange(Self.delivering, Self.idle) else { return }
        state.store(Self.disposed, ordering: .releasing)
        over.signal()
    }

    /// Ends it, and waits for a running delivery unless called inside it.
    @usableFromInline
    func dispose() {
        while true {
            switch state.load(ordering: .acquiring) {
            case Self.idle:
                if exchange(Self.idle, Self.disposed) { return }
            case Self.delivering:
                guard exchange(Self.delivering, Self.disposedWhileDelivering) else { continue }
                return waitUntilOver()
            case Self.disposedWhileDelivering: return waitUntilOver()
            default: return
            }
        }
    }

    /// Reports the end of the loop.
    func loopEnded() {
        dispose()
        onEnd()
    }

    private func waitUntilOver() {
        guard deliverer.load(ordering: .relaxed) != ThreadIdentity.current else { return }
        over.wait()
        over.signal()
    }

    private func exchange(_ expected: UInt8, _ desired: UInt8) -> Bool {
        state.compareExchange(expected: expected, desired: desired, ordering: .acquiringAndReleasing).exchanged
    }
}
