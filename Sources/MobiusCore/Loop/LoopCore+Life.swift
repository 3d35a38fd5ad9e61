import Dispatch
import Synchronization

extension LoopCore {
    /// Connects effect handler and event source, runs the first effects, and then applies the events that came
    /// meanwhile.
    @inlinable
    func start(
        effectHandler: AnyConnectable<Effect, Event>, eventSource: LoopEventSource<Model, Event>?,
        effects: [Effect], consumer: @escaping Consumer<Event>, on thread: UInt
    ) {
        effectConnection = effectHandler.connect(consumer)
        if let eventSource { subscribe(to: eventSource, consumer, on: thread) }
        guard let next = follow([], effects, on: thread) else { return }
        run(next, on: thread)
    }

    @usableFromInline
    func subscribe(
        to source: LoopEventSource<Model, Event>, _ consumer: @escaping Consumer<Event>, on thread: UInt
    ) {
        switch source {
        case .events(let events): eventSource = events.subscribe(consumer: consumer)
        case .connectable(let connectable):
            let connection = connectable.connect(consumer)
            eventSource = connection
            // The first observer, so that it gets each model first.
            let observer = ModelObserver<Model> { model in connection.accept(model) }
            lock.withLock { _ in shared.pointee.observers.insert(observer, at: 0) }
            observer.deliver(model.pointee, on: thread)
        }
    }

    var hasEnded: Bool {
        isDisposed.load(ordering: .acquiring)
    }

    /// Ends the loop, and waits for the thread that runs it unless it is this one.
    func dispose() {
        let thread = ThreadIdentity.current
        var isFirst = false
        var waiter: DispatchSemaphore?
        var observers: [ModelObserver<Model>] = []
        // Released outside the lock: that may run user code.
        var dropped = RingBuffer<Event>()
        lock.withLock { _ in
            isFirst = !shared.pointee.isDisposed
            shared.pointee.isDisposed = true
            isDisposed.store(true, ordering: .releasing)
            swap(&dropped, &shared.pointee.events)
            observers = shared.pointee.observers + shared.pointee.newObservers
            (shared.pointee.observers, shared.pointee.newObservers) = ([], [])
            if shared.pointee.runner != ThreadIdentity.none, shared.pointee.runner != thread {
                let semaphore = DispatchSemaphore(value: 0)
                shared.pointee.endWaiters.append(semaphore)
                waiter = semaphore
            }
        }
        for observer in observers { observer.loopEnded() }
        waiter?.wait()
        guard isFirst else { return }
        let (source, connection) = (eventSource, effectConnection)
        (eventSource, effectConnection) = (nil, nil)
        source?.dispose()
        connection?.dispose()
    }
}

/// A loop's source of events, besides its effects.
@usableFromInline
enum LoopEventSource<Model, Event>: Sendable {
    case events(AnyEventSource<Event>)
    /// Receives each model.
    case connectable(AnyConnectable<Model, Event>)
}
