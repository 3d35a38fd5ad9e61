import Dispatch
import Synchronization

/// A handler whose start is queued.
final class QueuedStart: Disposable {
    private enum State {
        case waiting
        case started(any Disposable)
        case disposed
    }

    private let state = Lock(State.waiting)

    /// Calls `start` on `queue`, unless disposed of before: then `callback` ends there instead.
    init<Event>(
        on queue: DispatchQueue, callback: EffectCallback<Event>, start: @escaping @Sendable () -> any Disposable
    ) {
        queue.async {
            guard !self.isDisposed else { return callback.end() }
            self.keep(start())
        }
    }

    /// Stops the handler, or prevents its start.
    func dispose() {
        let before = state.withLock { state in
            defer { state = .disposed }
            return state
        }
        if case .started(let handler) = before { handler.dispose() }
    }

    private var isDisposed: Bool {
        state.withLock { state in
            if case .disposed = state { true } else { false }
        }
    }

    private func keep(_ handler: any Disposable) {
        let isLate = state.withLock { state in
            if case .disposed = state { return true }
            state = .started(handler)
            return false
        }
        if isLate { handler.dispose() }
    }
}
