/// A running loop: it applies events to its model, tells observers, and hands effects to their handler.
///
/// Make one with `Mobius.loop(update:effectHandler:)`. It is synchronous: when ``dispatchEvent(_:)`` returns, update,
/// observers, synchronous effects and the events that they sent have run, in order. It may be used from any thread; a
/// thread that comes while another one runs the loop leaves its event in the queue and returns, and the other one goes
/// on with it. Nothing is entered twice: what is dispatched inside an update, an observer or an effect handler follows
/// afterwards.
///
/// For each event: `update`, the new model is stored, a connectable event source gets it, observers get it, effects
/// are handed over in order; then comes the next event.
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

    /// Applies `event`, and all that follows from it, on the calling thread.
    ///
    /// If another thread is running the loop, or this is called inside the loop, the event is queued and follows in its
    /// turn. After ``dispose()`` it is ignored.
    @inlinable
    public func dispatchEvent(_ event: Event) {
        if let transformed { return transformed(event) }
        core.dispatch(event)
    }

    /// The same as ``dispatchEvent(_:)``, which never complains here.
    @inlinable
    public func unguardedDispatchEvent(_ event: Event) {
        dispatchEvent(event)
    }

    /// Calls `consumer` with the current model at once, and with each model to come, equal to the last or not.
    ///
    /// It is called on the thread that runs the loop: the calling one at first, unless another thread is running the
    /// loop just then. Nothing is delivered after `dispose()` of the result, or of the loop, has returned.
    @discardableResult
    @preconcurrency
    public func addObserver(_ consumer: @escaping Consumer<Model>) -> any Disposable {
        addObserver(ModelObserver(consumer))
    }

    /// Adds an observer that stays to the end of the loop.
    // Without a disposable, whose weak reference LeakSanitizer takes for a leak where a process exits while the loop runs.
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

    /// The model after the last event; of a disposed loop, the last one it had.
    ///
    /// It may be read from any thread, and inside the loop; there it is the model last stored.
    public var latestModel: Model {
        core.latestModel(at: CallSite(file: #file, line: #line))
    }

    /// Ends the loop, its effects under way and its event source.
    ///
    /// When it returns, nothing of the loop runs any more and nothing is delivered: it waits for another thread that
    /// runs the loop (so don't call it where a handler of the loop waits for you). Called inside the loop, it waits for
    /// nobody, and nothing follows. Queued events and effects are dropped, later events ignored. Letting go of the loop
    /// disposes of it, too.
    public func dispose() {
        core.dispose()
    }

    /// `MobiusLoop<M, E, F>{ "model" }`, or `disposed MobiusLoop<M, E, F>!`.
    public var debugDescription: String {
        core.hasEnded ? "disposed \(Self.self)!" : "\(Self.self){ \(String(reflecting: latestModel)) }"
    }
}
