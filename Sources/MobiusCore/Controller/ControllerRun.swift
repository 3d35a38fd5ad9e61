public import Dispatch

/// One run of a controller's loop, from a start to the stop.
///
/// All events reach the loop on the loop queue, in the order they were sent; all models reach the views on the view
/// queue.
// Inlinable for the same reason as ``LoopCore``.
@usableFromInline
final class ControllerRun<Model, Event, Effect>: Sendable {
    @usableFromInline let loop: MobiusLoop<Model, Event, Effect>
    @usableFromInline let inlet: EventInlet<Event>
    @usableFromInline let events: QueueMailbox<Event>
    @usableFromInline let models: QueueMailbox<Model>
    @usableFromInline let views: [ConnectedView<Model>]

    /// Starts the loop; to be called on the loop queue.
    @inlinable
    init(
        _ builder: Mobius.Builder<Model, Event, Effect>, from first: First<Model, Effect>,
        views: [AnyConnectable<Model, Event>], loopQueue: DispatchQueue, viewQueue: DispatchQueue
    ) {
        let inlet = EventInlet<Event>()
        let events = QueueMailbox<Event>(queue: loopQueue) { event in inlet.consumer?(event) }
        var builder = builder
        builder.transformer = { [own = builder.transformer] consumer in
            inlet.consumer = own.map { $0(consumer) } ?? consumer
            return { event in events.post(event) }
        }
        loop = MobiusLoop(builder, from: first)
        let connected = views.map { view in
            ConnectedView(connection: view.connect { event in events.post(event) })
        }
        let models = QueueMailbox<Model>(queue: viewQueue) { model in
            let thread = ThreadIdentity.current
            for view in connected { view.observer.deliver(model, on: thread) }
        }
        (self.inlet, self.events, self.models, self.views) = (inlet, events, models, connected)
        if !connected.isEmpty { loop.observe { model in models.post(model) } }
    }

    /// Applies the events sent so far; to be called on the loop queue.
    func applyWaitingEvents() {
        events.deliverWaiting()
    }

    /// Ends the loop; to be followed by ``disconnectViews()``.
    func end() {
        events.close()
        loop.dispose()
        // Views and event sources may keep their consumers, which must not keep the loop and its last model alive. This
        // runs on the loop queue, because the mailbox may be delivering there.
        events.queue.async { [inlet] in inlet.consumer = nil }
    }

    /// Disconnects the views, on the calling thread; nothing is delivered after it returns.
    ///
    /// It waits for a model that is being delivered on the view queue, unless the view that gets it called.
    func disconnectViews() {
        models.close()
        for view in views { view.observer.dispose() }
        for view in views { view.connection.dispose() }
    }
}

/// The consumer behind a loop's mailbox: set while the loop starts, before the mailbox delivers anything, and released on
/// the mailbox's queue when the loop has ended.
@usableFromInline
final class EventInlet<Event>: Sendable {
    @usableFromInline nonisolated(unsafe) var consumer: Consumer<Event>?

    @inlinable
    init() {}
}

/// A view during one run.
@usableFromInline
struct ConnectedView<Model>: Sendable {
    @usableFromInline let connection: Connection<Model>
    @usableFromInline let observer: ModelObserver<Model>

    @usableFromInline
    init(connection: Connection<Model>) {
        self.connection = connection
        observer = ModelObserver { model in connection.accept(model) }
    }
}
