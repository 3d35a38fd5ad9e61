import MobiusCore
import Synchronization

/// A subscription that is turned on and off, one change at a time.
///
/// A change that is requested during another one (from another thread, or from the source that is being subscribed to)
/// is made by the thread that makes the current change.
final class SubscriptionToggle<Event>: Sendable {
    private struct State {
        var isWanted = false
        var hasEnded = false
        var isSwitching = false
        var subscription: (any Disposable)?
    }

    private enum Step {
        case on, done
        case off(any Disposable)
    }

    private let source: AnyEventSource<Event>
    private let outlet: EventOutlet<Event>
    private let state = Lock(State())

    init(_ source: AnyEventSource<Event>, _ outlet: EventOutlet<Event>) {
        self.source = source
        self.outlet = outlet
    }

    /// Turns it on or off, unless it already is.
    func turn(on isWanted: Bool) {
        let isFirst = state.withLock { state in
            state.isWanted = isWanted && !state.hasEnded
            defer { state.isSwitching = true }
            return !state.isSwitching
        }
        if isFirst { makeSwitches() }
    }

    /// Turns it off for good; nothing is delivered afterwards.
    func end() {
        state.withLock { $0.hasEnded = true }
        outlet.close()
        turn(on: false)
    }

    private func makeSwitches() {
        while true {
            let step = state.withLock { state -> Step in
                if state.isWanted, state.subscription == nil { return .on }
                if !state.isWanted, let last = state.subscription.take() { return .off(last) }
                state.isSwitching = false
                return .done
            }
            switch step {
            case .on:
                let new = source.subscribe { [outlet] event in outlet.deliver(event) }
                state.withLock { $0.subscription = new }
            case .off(let last): last.dispose()
            case .done: return
            }
        }
    }
}
