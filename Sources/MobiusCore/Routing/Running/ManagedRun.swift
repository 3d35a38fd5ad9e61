import Synchronization

/// One effect that can wait for its turn and can be cancelled alone.
///
/// Its handler gets a separate callback, to distinguish two ends: that of the effect, after which nothing is delivered,
/// and that of the handler, which frees its place. A cancelled task may need some time between the two.
final class ManagedRun: StoppableEffect {
    private enum State {
        /// It has not begun.
        case waiting(begin: @Sendable (ManagedRun) -> any Disposable)
        /// The start of its handler has not returned; whether the handler has ended, and whether the effect was
        /// cancelled.
        case starting(isEnded: Bool, isCancelled: Bool)
        /// The disposable of its handler.
        case running(any Disposable)
        /// It was cancelled, and its handler has not ended.
        case stopping
        case over
    }

    private let state: Lock<State>
    private let lane: ExecutionLane?
    /// Ends the effect without an event, unless it has ended.
    private let silence: @Sendable () -> Void
    /// Called once, when the effect has ended or been cancelled.
    private let onEnd: @Sendable () -> Void

    init<Event>(
        _ handler: HandlerRoute<Event>, _ callback: EffectCallback<Event>, in lane: ExecutionLane?,
        onEnd: @escaping @Sendable () -> Void
    ) {
        silence = { callback.end() }
        self.lane = lane
        self.onEnd = onEnd
        state = Lock(
            .waiting { run in
                var handler = handler
                handler.manage = nil  // it runs now
                return handler.endingWhenDisposed.start(
                    EffectCallback<Event>(
                        onFinish: { events in
                            run.onEnd()
                            callback.end(with: events)
                            run.handlerEnded()
                        },
                        onSend: { event in callback.send(event) }))
            })
    }

    /// Runs the handler, unless it has run or the effect was cancelled; returns whether its place is already free.
    func begin() -> Bool {
        let begin: (@Sendable (ManagedRun) -> any Disposable)? = state.withLock { state in
            guard case .waiting(let begin) = state else { return nil }
            state = .starting(isEnded: false, isCancelled: false)
            return begin
        }
        guard let begin else { return true }
        let disposable = begin(self)
        let (isEnded, isCancelled) = state.withLock { state -> (Bool, Bool) in
            guard case .starting(let isEnded, let isCancelled) = state else { return (false, false) }
            state = isEnded ? .over : isCancelled ? .stopping : .running(disposable)
            return (isEnded, isCancelled)
        }
        if isCancelled, !isEnded { disposable.dispose() }
        return isEnded
    }

    /// Cancels the effect: nothing more of it is delivered, and its handler is stopped or never begins.
    func dispose() {
        switch markStopped() {
        case .waiting:
            onEnd()
            silence()
        case .starting(isEnded: false, _):
            onEnd()
            silence()
        case .running(let disposable):
            onEnd()
            silence()
            disposable.dispose()
        case .starting(isEnded: true, _), .stopping, .over:
            break
        }
    }

    /// Stops the handler, or prevents its start; events that it sends until its end are delivered.
    func stop() {
        switch markStopped() {
        case .waiting:
            onEnd()
            silence()
        case .running(let disposable): disposable.dispose()
        case .starting, .stopping, .over: break  // a starting one is stopped when its start has returned
        }
    }

    /// Returns the previous state.
    private func markStopped() -> State {
        state.withLock { state in
            let before = state
            switch state {
            case .waiting: state = .over
            case .starting(let isEnded, _): state = .starting(isEnded: isEnded, isCancelled: true)
            case .running: state = .stopping
            case .stopping, .over: break
            }
            return before
        }
    }

    private func handlerEnded() {
        let before = state.withLock { state in
            let before = state
            switch state {
            case .starting(_, let isCancelled):
                // Its place is free only when its start has returned: otherwise thousands of handlers that end at once
                // would start each other recursively.
                state = .starting(isEnded: true, isCancelled: isCancelled)
            case .running, .stopping: state = .over
            case .waiting, .over: break
            }
            return before
        }
        switch before {
        case .running, .stopping: lane?.leave(self)
        case .waiting, .starting, .over: break
        }
    }
}
