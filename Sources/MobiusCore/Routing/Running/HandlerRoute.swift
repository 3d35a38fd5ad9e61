import Dispatch

/// A handler with the parameters of one effect bound, ready to run.
package struct HandlerRoute<Event>: Sendable {
    /// The ways in which a handler can be written.
    enum Body: Sendable {
        case event(@Sendable () -> Event?)
        case action(@Sendable () -> Void)
        case handler(@Sendable (EffectCallback<Event>) -> any Disposable)
        case task(TaskBody<Event>)
        case connectable(BoundConnectable<Event>)
    }

    let body: Body
    /// The queue that the user chose; `nil` for the calling thread.
    let queue: DispatchQueue?
    /// The policy that bounds how many effects of its route run at a time.
    package let execution: ExecutionPolicy
    /// Called around the start of the handler, on the thread where that happens; `nil` for nothing.
    package var around: (@Sendable (_ start: () -> any Disposable) -> any Disposable)?
    /// The executor of its task if the user chose no queue; `nil` for the default executor.
    package var executor: (any TaskExecutor)?
    /// Whether disposing of a handler with a callback ends the callback, too.
    private var endsWhenDisposed = false
    /// Runs it according to its policy; `nil` outside of an ``OpenRouter``.
    var manage: (@Sendable (HandlerRoute<Event>, EffectCallback<Event>) -> any Disposable)?

    init(body: Body, queue: DispatchQueue?, execution: ExecutionPolicy) {
        self.body = body
        self.queue = queue
        self.execution = execution
    }

    /// Whether it occupies the calling thread.
    package var kind: RouteKind {
        switch body {
        case .connectable: .endless
        case .task: .suspending
        case .event, .action, .handler: queue == nil ? .blocking : .suspending
        }
    }

    /// The whole handler, if it is a synchronous closure that runs on the calling thread.
    ///
    /// Its result is its answer and its end. `nil` for any other handler, which needs a callback.
    package var plain: (@Sendable () -> Event?)? {
        guard queue == nil, manage == nil else { return nil }
        switch body {
        case .event(let makeEvent): return makeEvent
        case .action(let act):
            return {
                act()
                return nil
            }
        case .handler, .task, .connectable: return nil
        }
    }

    /// Runs it, on the calling thread or on the user's queue, when its policy allows it.
    ///
    /// The effect ends when `callback` ends. Dispose of the result to stop it earlier: a waiting handler does not
    /// start, a task is cancelled, a connectable is disconnected.
    package func run(_ callback: EffectCallback<Event>) -> any Disposable {
        if let manage { return manage(self, callback) }
        return start(callback)
    }

    /// Runs it, as ``run(_:)`` does.
    package func callAsFunction(_ callback: EffectCallback<Event>) -> any Disposable {
        run(callback)
    }

    /// Runs it now, without regard to its policy.
    func start(_ callback: EffectCallback<Event>) -> any Disposable {
        if case .task(let task) = body { return bracketed { task.start(callback, on: queue, or: executor) } }
        guard let queue else { return bracketed { startHere(callback) } }
        return QueuedStart(on: queue, callback: callback) { bracketed { startHere(callback) } }
    }

    private func bracketed(_ start: () -> any Disposable) -> any Disposable {
        guard let around else { return start() }
        return around(start)
    }

    private func startHere(_ callback: EffectCallback<Event>) -> any Disposable {
        switch body {
        case .event(let makeEvent):
            if let event = makeEvent() {
                callback.end(with: [event])
            } else {
                callback.end()
            }
            return EmptyDisposable.shared
        case .action(let act):
            act()
            callback.end()
            return EmptyDisposable.shared
        case .handler(let handle):
            let disposable = handle(callback)
            if disposable.isEmpty, !endsWhenDisposed { return disposable }
            return StartedHandler(disposable, callback, endsWhenDisposed: endsWhenDisposed)
        case .task(let task):
            return task.start(callback, on: nil, or: executor)
        case .connectable(let connectable):
            return connectable.run(callback)
        }
    }
}

extension HandlerRoute {
    /// This handler, whose callback also ends when it is disposed of, because effect handlers may not end it then.
    ///
    /// The runs of an ``OpenRouter`` do that themselves.
    package var endingWhenDisposed: HandlerRoute<Event> {
        var ending = self
        ending.endsWhenDisposed = true
        return ending
    }
}

/// A running effect that can be stopped and may still send its last events.
package protocol StoppableEffect: Disposable {
    /// Stops the handler, whose callback ends when the handler has: at once where it had not begun.
    ///
    /// `dispose()` ends the callback first, so that nothing more is delivered.
    func stop()
}
