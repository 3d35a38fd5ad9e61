extension Mobius {
    /// The configuration of a loop.
    ///
    /// It is a value: each method returns a changed copy.
    public struct Builder<Model, Event, Effect>: Sendable {
        @usableFromInline let update: Update<Model, Event, Effect>
        @usableFromInline let effectHandler: AnyConnectable<Effect, Event>
        @usableFromInline var eventSource: LoopEventSource<Model, Event>?
        @usableFromInline var logger: AnyMobiusLogger<Model, Event, Effect>?
        @usableFromInline var transformer: ConsumerTransformer<Event>?
        /// Set by the deprecated `withInitiator`; a controller's own `initiate` replaces it.
        @usableFromInline var initiator: Initiate<Model, Effect>?

        @usableFromInline
        init(update: Update<Model, Event, Effect>, effectHandler: AnyConnectable<Effect, Event>) {
            self.update = update
            self.effectHandler = effectHandler
        }

        /// With `eventSource`, replacing an earlier one; ``CompositeEventSourceBuilder`` combines several.
        public func withEventSource<Source: EventSource>(
            _ eventSource: Source
        ) -> Builder<Model, Event, Effect> where Source.Event == Event {
            with { $0.eventSource = .events(AnyEventSource(eventSource)) }
        }

        /// With an event source that receives each model, replacing an earlier one.
        ///
        /// It gets the first model when the loop starts, and each new one before the observers do.
        public func withEventSource<Source: Connectable>(
            _ eventSource: Source
        ) -> Builder<Model, Event, Effect> where Source.Input == Model, Source.Output == Event {
            with { $0.eventSource = .connectable(AnyConnectable(eventSource)) }
        }

        /// With `logger`, replacing an earlier one.
        public func withLogger<Logger: MobiusLogger>(
            _ logger: Logger
        ) -> Builder<Model, Event, Effect>
        where Logger.Model == Model, Logger.Event == Event, Logger.Effect == Effect {
            with { $0.logger = AnyMobiusLogger(logger) }
        }

        /// With `transformer`: all events of the loop pass through the consumer that it makes, and then through those of
        /// earlier transformers.
        @preconcurrency
        public func withEventConsumerTransformer(
            _ transformer: @escaping ConsumerTransformer<Event>
        ) -> Builder<Model, Event, Effect> {
            with { builder in
                guard let inner = builder.transformer else { return builder.transformer = transformer }
                builder.transformer = { transformer(inner($0)) }
            }
        }

        /// Starts a loop from `initialModel` with `effects`, on the calling thread.
        ///
        /// First the effect handler is connected, then the event source; a connectable event source gets the model; the
        /// effects run; then the events that were sent meanwhile are applied.
        @inlinable
        public func start(from initialModel: Model, effects: [Effect] = []) -> MobiusLoop<Model, Event, Effect> {
            logger?.willInitiate(model: initialModel)
            let initiated = initiator.map { $0(initialModel) } ?? First(model: initialModel)
            let first = First(model: initiated.model, effects: initiated.effects + effects)
            logger?.didInitiate(model: initialModel, first: first)
            return MobiusLoop(self, from: first)
        }

        func with(_ change: (inout Self) -> Void) -> Self {
            var copy = self
            change(&copy)
            return copy
        }
    }
}
