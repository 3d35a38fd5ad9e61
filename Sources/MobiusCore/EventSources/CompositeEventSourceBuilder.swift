/// Combines several event sources into one.
public struct CompositeEventSourceBuilder<Event>: Sendable {
    private let sources: [AnyEventSource<Event>]

    /// A builder without sources.
    public init() {
        sources = []
    }

    private init(sources: [AnyEventSource<Event>]) {
        self.sources = sources
    }

    /// This builder with one more source.
    public func addEventSource<Source: EventSource>(
        _ source: Source
    ) -> CompositeEventSourceBuilder<Event> where Source.Event == Event {
        CompositeEventSourceBuilder(sources: sources + [AnyEventSource(source)])
    }

    /// A source that subscribes to all sources, in the order they were added, and ends them together.
    public func build() -> AnyEventSource<Event> {
        let sources = sources
        return AnyEventSource { consumer in
            CompositeDisposable(disposables: sources.map { $0.subscribe(consumer: consumer) })
        }
    }
}
