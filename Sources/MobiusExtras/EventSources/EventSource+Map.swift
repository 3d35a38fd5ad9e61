public import MobiusCore

extension EventSource {
    /// The event source with its events changed by `transform`, for instance a child's event source in its parent.
    ///
    /// `transform` is called on the thread that sends the event.
    @preconcurrency
    public func map<NewEvent>(transform: @escaping @Sendable (Event) -> NewEvent) -> AnyEventSource<NewEvent> {
        AnyEventSource { consumer in
            self.subscribe { event in consumer(transform(event)) }
        }
    }
}
