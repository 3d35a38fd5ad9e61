public import Dispatch
public import Synchronization

/// The running half of a ``MobiusLoop``: one thread at a time runs it, whichever comes with an event while none does.
///
/// An event that comes while the loop runs waits in the queue, and the thread that runs the loop goes on with it: so
/// order is first in, first out, and nothing is ever entered twice. A plain event costs two short turns of the lock.
// It is inlinable, and its state lies behind pointers, because loops are made of generic values: code that knows their
// types runs about four times as fast, and classes check at run time who touches their properties.
// Unchecked, because models, events and effects need not be `Sendable` (see ``UncheckedTransfer``).
@usableFromInline
final class LoopCore<Model, Event, Effect>: @unchecked Sendable {
    /// Reached with the lock held only.
    @usableFromInline
    struct Shared: ~Copyable {
        /// The thread that runs the loop.
        @usableFromInline var runner: UInt
        @usableFromInline var isDisposed = false
        /// Whether an in-place update has the model.
        @usableFromInline var isModelTaken = false
        @usableFromInline var events = RingBuffer<Event>()
        @usableFromInline var observers: [ModelObserver<Model>] = []
        /// Observers that came from other threads while the loop ran and still have to be given the current model.
        @usableFromInline var newObservers: [ModelObserver<Model>] = []
        /// Threads that wait for the model, or for the end of the run.
        @usableFromInline var modelWaiters: [DispatchSemaphore] = []
        @usableFromInline var endWaiters: [DispatchSemaphore] = []

        @usableFromInline
        init(runner: UInt) {
            self.runner = runner
        }
    }

    @usableFromInline let lock = Lock<Void>(())
    @usableFromInline let shared: UnsafeMutablePointer<Shared>
    /// Written by the thread that runs the loop, with the lock held or with the model marked as taken.
    @usableFromInline let model: UnsafeMutablePointer<Model>
    @usableFromInline let update: Update<Model, Event, Effect>
    @usableFromInline let isInPlace: Bool
    @usableFromInline let logger: AnyMobiusLogger<Model, Event, Effect>?
    /// Set by dispose, for the thread that runs effects.
    @usableFromInline let isDisposed = Atomic(false)
    /// Set while the loop starts, and let go of by dispose, which waits for the thread that runs the loop.
    @usableFromInline var effectConnection: Connection<Effect>?
    @usableFromInline var eventSource: (any Disposable)?

    /// A core that the calling thread runs already: end that with ``goOn(on:)``.
    @usableFromInline
    init(
        model: Model, update: Update<Model, Event, Effect>, logger: AnyMobiusLogger<Model, Event, Effect>?,
        thread: UInt
    ) {
        shared = .allocate(capacity: 1)
        shared.initialize(to: Shared(runner: thread))
        self.model = .allocate(capacity: 1)
        self.model.initialize(to: model)
        self.update = update
        isInPlace = if case .inPlace = update.form { true } else { false }
        self.logger = logger
    }

    deinit {
        shared.deinitialize(count: 1)
        shared.deallocate()
        model.deinitialize(count: 1)
        model.deallocate()
    }
}
