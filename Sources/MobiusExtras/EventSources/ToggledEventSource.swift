public import MobiusCore
import Synchronization

/// An event source that is subscribed only while a condition on the model holds, such as a timer while a game runs.
///
/// Pass it to `Mobius.Builder.withEventSource(_:)`, which gives it each model. When the predicate becomes true, it
/// subscribes to the wrapped source; when the predicate becomes false, it disposes of that subscription. Both happen on
/// the thread that delivers the model, one at a time, without a lock held. It may be connected several times: each
/// connection has its own subscription.
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

    /// Opens a connection that is off until it receives a model for which the predicate holds.
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
