import Dispatch

/// An async handler with the parameters of one effect bound.
struct TaskBody<Event>: Sendable {
    /// Whether it runs on the main actor, from its beginning, so that handlers begin in the order of their effects.
    var isOnMainActor = false
    /// The work; the callback ends after it.
    let work: @Sendable (EffectCallback<Event>) async -> Void

    /// Starts a task for it, on `queue` if there is one, otherwise on `executor`.
    ///
    /// Disposing of the result cancels the task.
    ///
    /// A task that was cancelled before it could begin does not begin the work.
    func start(
        _ callback: EffectCallback<Event>, on queue: DispatchQueue?, or executor: (any TaskExecutor)?
    ) -> any Disposable {
        if isOnMainActor { return Task { @MainActor in await run(callback) }.asDisposable }
        let executor = queue.map(QueueExecutor.init) ?? executor
        return Task(executorPreference: executor) { await run(callback) }.asDisposable
    }

    private func run(_ callback: EffectCallback<Event>) async {
        if !Task.isCancelled { await work(callback) }
        callback.end()
    }
}
