public import MobiusCore

/// Several event sources as one, with and without access to the model.
///
/// `CompositeEventSourceBuilder` of MobiusCore merges plain sources; this type also merges connectables, which receive
/// each model.
public struct MergedEventSource<Model, Event>: Connectable {
    private let sources: [AnyConnectable<Model, Event>]

    /// A merged source without sources.
    public init() {
        sources = []
    }

    private init(sources: [AnyConnectable<Model, Event>]) {
        self.sources = sources
    }

    /// These sources and one more.
    public func merging<Source: EventSource>(
        _ source: Source
    ) -> MergedEventSource<Model, Event> where Source.Event == Event {
        merging(
            AnyConnectable { consumer in
                let subscription = source.subscribe(consumer: consumer)
                return Connection(acceptClosure: { _ in }, disposeClosure: { subscription.dispose() })
            })
    }

    /// These sources and one more, which receives each model.
    public func merging<Source: Connectable>(
        _ source: Source
    ) -> MergedEventSource<Model, Event> where Source.Input == Model, Source.Output == Event {
        MergedEventSource(sources: sources + [AnyConnectable(source)])
    }

    /// Connects the sources in the order they were added; they receive each model, and are disposed of, in that order.
    @preconcurrency
    public func connect(_ consumer: @escaping Consumer<Event>) -> Connection<Model> {
        let connections = sources.map { $0.connect(consumer) }
        return Connection(
            acceptClosure: { model in
                for connection in connections { connection.accept(model) }
            },
            disposeClosure: {
                for connection in connections { connection.dispose() }
            })
    }
}
