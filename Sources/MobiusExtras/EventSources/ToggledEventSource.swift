public import MobiusCore
import Synchronization

/// An event source that is subscribed to only while the model says so: a timer while a game is played, say.
///
/// Give it to `Mobius.Builder.withEventSource(_:)`, which tells it each model. When the predicate begins to hold, the
/// source inside is subscribed to; when it ceases to hold, that subscription is disposed of. Both happen on the thread
/// that brings the model, one at a time, without a lock held. It may be connected several times: each connection has its
/// own subscription.
public final class ToggledEventSource<Model, Event>: Connectable {
    private let source: AnyEventSource<Event>
    private let predicate: @Sendable (Model) -> Bool

    /// `source`, while `predicate` holds for the newest model.
    @preconcurrency
    public init<Source: EventSource>(_ source: Source, while predicate: @escaping @Sendable (Model) -> Bool)
    where Source.Event == Event {
        self.source = AnyEventSource(source)
        self.predicate = predicate
    }

    /// Opens a connection that is off until it is given a model for which the predicate holds.
    ///
    /// When its `dispose()` returns, nothing more is sent to `consumer`.
    @preconcurrency
    public func connect(_ consumer: @escaping Consumer<Event>) -> Connection<Model> {
        let toggle = SubscriptionToggle(source, EventOutlet(consumer))
        return Connection(
            acceptClosure: { [predicate] model in toggle.turn(on: predicate(model)) },
            disposeClosure: { toggle.end() })
    }
}

extension EventSource {
    /// This event source, subscribed to only while `predicate` holds for the loop's model.
    @preconcurrency
    public func toggled<Model>(
        while predicate: @escaping @Sendable (Model) -> Bool
    ) -> ToggledEventSource<Model, Event> {
        ToggledEventSource(self, while: predicate)
    }
}
