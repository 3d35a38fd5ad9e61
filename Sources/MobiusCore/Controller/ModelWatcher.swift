import Synchronization

/// A reader of a controller's models as a sequence, over all its runs.
final class ModelWatcher<Model>: Sendable {
    private struct State {
        var hasStopped = false
        /// The subscription to the loop of the last run.
        var subscription: (any Disposable)?
    }

    private let yield: @Sendable (Model) -> Void
    private let end: @Sendable () -> Void
    private let state = Lock(State())

    init(_ continuation: AsyncStream<Model>.Continuation) where Model: Sendable {
        yield = { model in continuation.yield(model) }
        end = { continuation.finish() }
    }

    /// Subscribes to the models of another run; of a run that has ended meanwhile, to the last one.
    func watch<Event, Effect>(_ loop: MobiusLoop<Model, Event, Effect>) {
        guard !loop.core.hasEnded else { return yield(loop.latestModel) }
        let new = loop.addObserver(yield)
        let isLate = state.withLock { state in
            if !state.hasStopped { state.subscription = new }
            return state.hasStopped
        }
        if isLate { new.dispose() }
    }

    /// Gets no more models.
    func stop() {
        let last = state.withLock { state in
            state.hasStopped = true
            return state.subscription.take()
        }
        last?.dispose()
    }

    /// Ends the reader's sequence.
    func finish() {
        end()
    }
}
