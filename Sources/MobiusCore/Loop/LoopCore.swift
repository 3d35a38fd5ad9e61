public import Dispatch
public import Synchronization

/// The running half of a ``MobiusLoop``. One thread at a time runs it: a thread that dispatches an event while no other
/// one runs it.
///
/// An event that is dispatched while the loop runs is queued for the thread that runs the loop. So the order is first
/// in, first out, and the loop is never re-entered. An event without effects takes the lock twice, briefly.
// It is inlinable, because specialised code for generic values is about four times as fast. Its state is behind
// pointers, because classes check exclusive access to their properties at run time. Unchecked, because models, events
// and effects need not be `Sendable` (see ``UncheckedTransfer``).
@usableFromInline
final class LoopCore<Model, Event, Effect>: @unchecked Sendable {
    /// Accessed only with the lock held.
    @usableFromInline
    struct Shared: ~Copyable {
        /// The thread that runs the loop.
        @usableFromInline var runner: UInt
        @usableFromInline var isDisposed = false
        /// Whether an in-place update has the model.
        @usableFromInline var isModelTaken = false
        @usableFromInline var events = RingBuffer<Event>()
        @usableFromInline var observers: [ModelObserver<Model>] = []
        /// Observers added by other threads while the loop ran, to which the current model has not been delivered yet.
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
    /// Set while the loop starts, and released by dispose, which waits for the thread that runs the loop.
    @usableFromInline var effectConnection: Connection<Effect>?
    @usableFromInline var eventSource: (any Disposable)?

    /// A core that the calling thread already runs: end that with ``goOn(on:)``.
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
