import Dispatch
import MobiusCore
import MobiusEngine
import MobiusProgram

/// The callback for one effect at a worker, and the queue on which it runs.
///
/// The callback and the route's `answer` run only on the queue, never on the socket thread.
struct PoolCallback<Event: Sendable>: Sendable {
    let callback: EffectCallback<Event>
    let answer: @Sendable (any Sendable) -> Event?
    let queue: DispatchQueue

    func send(_ event: Event) {
        queue.async { [callback] in callback.send(event) }
    }

    func end() {
        queue.async { [callback] in callback.end() }
    }

    /// Sends the event that the route makes of a due timer.
    func fire(isLast: Bool) {
        queue.async { [self] in
            guard !callback.ended, let event = answer(TimerFired()) else { return }
            isLast ? callback.end(with: [event]) : callback.send(event)
        }
    }

    /// Sends the event that the route makes of a failure and ends the effect, unless it has already ended.
    func fail(_ failure: EffectFailure) {
        queue.async { [self] in
            guard !callback.ended else { return }
            callback.end(with: answer(failure).map { [$0] } ?? [])
        }
    }
}
