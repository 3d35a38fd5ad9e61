/// A running loop: it applies events to its model, notifies observers, and passes effects to their handler.
///
/// Make one with `Mobius.loop(update:effectHandler:)`. It is synchronous: when ``dispatchEvent(_:)`` returns, update,
/// observers, synchronous effects and the events that they sent have run, in order. It may be used from any thread.
/// While one thread runs the loop, an event that another thread dispatches is queued for the running thread, and the
/// call returns at once. The loop is never re-entered: an event that is dispatched inside an update, an observer or an
/// effect handler is applied afterwards.
///
/// For each event the loop calls `update`, stores the new model, delivers it to a connectable event source and to
/// observers, and hands over the effects in order. Then it takes the next event.
public final class MobiusLoop<Model, Event, Effect>: Disposable, CustomDebugStringConvertible {
    @usableFromInline let core: LoopCore<Model, Event, Effect>
    /// Set when the builder has a transformer.
    @usableFromInline let transformed: Consumer<Event>?

    /// Starts a loop, on the calling thread.
    @inlinable
    init(
        _ builder: Mobius.Builder<Model, Event, Effect>, from first: First<Model, Effect>
    ) {
        let thread = ThreadIdentity.current
        let core = LoopCore(
            model: first.model, update: builder.update, logger: builder.logger, thread: thread)
        let consumer: Consumer<Event> = { event in core.dispatch(event) }
        let transformed = builder.transformer.map { $0(consumer) }
        self.core = core
        self.transformed = transformed
        core.start(
            effectHandler: builder.effectHandler, eventSource: builder.eventSource, effects: first.effects,
            consumer: transformed ?? consumer, on: thread)
    }

    deinit {
        core.dispose()
    }

    /// Applies `event`, and the events that follow from it, on the calling thread.
    ///
    /// If another thread is running the loop, or this is called inside the loop, the event is queued. After
    /// ``dispose()`` it is ignored.
    @inlinable
    @Sendable
    public func dispatchEvent(_ event: Event) {
        if let transformed { return transformed(event) }
        core.dispatch(event)
    }

    /// The same as ``dispatchEvent(_:)``.
    @inlinable
    @Sendable
    public func unguardedDispatchEvent(_ event: Event) {
        dispatchEvent(event)
    }

    /// Calls `consumer` with the current model at once, and with each later model, even if it equals the last one.
    ///
    /// It is called on the thread that runs the loop: the calling thread at first, unless another thread is running the
    /// loop. Nothing is delivered after `dispose()` of the result, or of the loop, has returned.
    @discardableResult
    @preconcurrency
    public func addObserver(_ consumer: @escaping Consumer<Model>) -> any Disposable {
        addObserver(ModelObserver(consumer))
    }

    /// Adds an observer that stays to the end of the loop.
    // It makes no disposable: LeakSanitizer reports its weak reference as a leak when a process exits while the loop
    // runs.
    @usableFromInline
    func observe(_ consumer: @escaping Consumer<Model>) {
        core.add(ModelObserver(consumer))
    }

    func addObserver(_ observer: ModelObserver<Model>) -> any Disposable {
        core.add(observer)
        return AnonymousDisposable { [weak core] in
            if let core { core.remove(observer) } else { observer.dispose() }
        }
    }

    /// The model after the last event; after disposal, the last model.
    ///
    /// It may be read from any thread, and inside the loop, where it is the model that was stored last.
    public var latestModel: Model {
        core.latestModel(at: CallSite(file: #file, line: #line))
    }

    /// Ends the loop, its running effects and its event source.
    ///
    /// When it returns, nothing of the loop runs any more and nothing is delivered: it waits for another thread that
    /// runs the loop, so do not call it from code for which a handler of the loop waits. A call inside the loop does
    /// not wait, and no further step runs. Queued events and effects are dropped, and later events are ignored.
    /// Releasing the loop disposes of it, too.
    @Sendable
    public func dispose() {
        core.dispose()
    }

    /// `MobiusLoop<M, E, F>{ "model" }`, or `disposed MobiusLoop<M, E, F>!`.
    public var debugDescription: String {
        core.hasEnded ? "disposed \(Self.self)!" : "\(Self.self){ \(String(reflecting: latestModel)) }"
    }
}
