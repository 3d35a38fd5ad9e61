import Dispatch
import MobiusCore
import MobiusEngine
import MobiusProgram

/// Who hears of one effect at a worker, and on which queue.
///
/// The user's code runs on the queue only, never on the socket thread.
struct PoolOrder<Event: Sendable>: Sendable {
    let callback: EffectCallback<Event>
    let answer: @Sendable (any Sendable) -> Event?
    let queue: DispatchQueue

    func send(_ event: Event) {
        queue.async { [callback] in callback.send(event) }
    }

    func end() {
        queue.async { [callback] in callback.end() }
    }

    /// Makes an event of a timer whose time has come.
    func fire(isLast: Bool) {
        queue.async { [self] in
            guard !callback.ended, let event = answer(TimerFired()) else { return }
            isLast ? callback.end(with: [event]) : callback.send(event)
        }
    }

    /// Makes an event of the failure, unless nobody wants it any more, and ends with that.
    func fail(_ failure: EffectFailure) {
        queue.async { [self] in
            guard !callback.ended else { return }
            callback.end(with: answer(failure).map { [$0] } ?? [])
        }
    }
}
