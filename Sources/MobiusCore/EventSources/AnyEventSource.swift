/// An event source whose type is known by its events only.
public final class AnyEventSource<Event>: EventSource {
    private let subscribeClosure: @Sendable (@escaping Consumer<Event>) -> any Disposable

    /// Wraps `eventSource`.
    public convenience init<Source: EventSource>(_ eventSource: Source) where Source.Event == Event {
        self.init { consumer in eventSource.subscribe(consumer: consumer) }
    }

    /// An event source made of the function that subscribes to it.
    @preconcurrency
    public init(_ subscribe: @escaping @Sendable (@escaping Consumer<Event>) -> any Disposable) {
        subscribeClosure = subscribe
    }

    /// Subscribes to the wrapped source.
    @preconcurrency
    public func subscribe(consumer eventConsumer: @escaping Consumer<Event>) -> any Disposable {
        subscribeClosure(eventConsumer)
    }
}
