public import MobiusCore

/// A given/when/then test of an update.
///
/// ```swift
/// UpdateSpec(update)
///     .given(Model(count: 0))
///     .when(.increment, .decrement)
///     .then(assertThatNext(hasModel(Model(count: 0)), hasNoEffects()))
/// ```
public struct UpdateSpec<Model, Event, Effect> {
    /// Checks the result; ``assertThatNext(_:failFunction:)`` makes one, and so does any closure.
    public typealias Assert = (Result) -> Void

    private let update: Update<Model, Event, Effect>

    /// A test of `update`.
    public init(_ update: Update<Model, Event, Effect>) {
        self.update = update
    }

    /// A test of `update`.
    @preconcurrency
    public init(_ update: @escaping @Sendable (Model, Event) -> Next<Model, Effect>) {
        self.init(Update(update))
    }

    /// Given this model.
    public func given(_ model: Model) -> When {
        When(update: update, model: model)
    }

    /// The events.
    public struct When {
        let update: Update<Model, Event, Effect>
        let model: Model

        /// When these events happen, one after the other, each applied to the previous one's model.
        public func when(_ event: Event, _ moreEvents: Event...) -> Then {
            var result = Result(model: model, lastNext: update.update(model: model, event: event))
            for event in moreEvents {
                result = Result(model: result.model, lastNext: update.update(model: result.model, event: event))
            }
            return Then(result: result)
        }
    }

    /// The checks.
    public struct Then {
        let result: Result

        /// Then `expression` checks the result: see ``assertThatNext(_:failFunction:)``.
        public func then(_ expression: (Result) -> Void) {
            expression(result)
        }
    }

    /// The result of the events.
    public struct Result {
        /// The model after all events.
        public let model: Model
        /// The result of the last event.
        public let lastNext: Next<Model, Effect>

        init(model: Model, lastNext: Next<Model, Effect>) {
            self.model = lastNext.model ?? model
            self.lastNext = lastNext
        }
    }
}
