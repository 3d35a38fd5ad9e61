import MobiusCore
import Synchronization

/// An event source whose subscriptions can be watched and sent through.
final class TestEventSource<Event: Sendable>: EventSource {
    private struct State {
        var consumers: [Int: Consumer<Event>] = [:]
        var subscribed = 0
        var disposed = 0
    }

    private let state = Lock(State())
    private let first: Event?

    /// - Parameter first: is sent to each subscriber while it subscribes.
    init(sendingFirst first: Event? = nil) {
        self.first = first
    }

    /// How often it was subscribed to.
    var subscribed: Int { state.withLock { $0.subscribed } }
    /// How often a subscription was ended.
    var disposed: Int { state.withLock { $0.disposed } }

    func send(_ event: Event) {
        for consumer in state.withLock({ Array($0.consumers.values) }) { consumer(event) }
    }

    func subscribe(consumer: @escaping Consumer<Event>) -> any Disposable {
        let id = state.withLock { state in
            state.subscribed += 1
            state.consumers[state.subscribed] = consumer
            return state.subscribed
        }
        if let first { consumer(first) }
        return AnonymousDisposable {
            self.state.withLock { state in
                state.disposed += 1
                state.consumers[id] = nil
            }
        }
    }
}
