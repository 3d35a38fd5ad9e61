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
    /// Where the user wants it to run; `nil` for the thread of whoever runs it.
    let queue: DispatchQueue?
    /// How the effects of its route share their time.
    package let execution: ExecutionPolicy
    /// Runs it in its turn; `nil` where nobody keeps turns (see ``OpenRouter``).
    var manage: (@Sendable (HandlerRoute<Event>, EffectCallback<Event>) -> any Disposable)?

    init(body: Body, queue: DispatchQueue?, execution: ExecutionPolicy) {
        self.body = body
        self.queue = queue
        self.execution = execution
    }

    /// What running it does to the calling thread.
    package var kind: RouteKind {
        switch body {
        case .connectable: .endless
        case .task: .suspending
        case .event, .action, .handler: queue == nil ? .blocking : .suspending
        }
    }

    /// Runs it, on the calling thread or where the user said, once its turn has come.
    ///
    /// The effect is over when `callback` ends. Dispose of the result to stop it earlier: a handler that still waits
    /// does not start then, a task is cancelled, a connectable is disconnected.
    package func run(_ callback: EffectCallback<Event>) -> any Disposable {
        if let manage { return manage(self, callback) }
        return start(callback)
    }

    /// Runs it, as ``run(_:)`` does.
    package func callAsFunction(_ callback: EffectCallback<Event>) -> any Disposable {
        run(callback)
    }

    /// Runs it now, whoever else runs.
    func start(_ callback: EffectCallback<Event>) -> any Disposable {
        if case .task(let task) = body { return task.start(callback, on: queue) }
        guard let queue else { return startHere(callback) }
        return QueuedStart(on: queue, callback: callback) { startHere(callback) }
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
            return handle(callback)
        case .task(let task):
            return task.start(callback, on: nil)
        case .connectable(let connectable):
            return connectable.run(callback)
        }
    }
}
