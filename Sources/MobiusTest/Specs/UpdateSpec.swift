public import MobiusCore

/// A test of an update, as a dialogue.
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

    /// What is to happen.
    public struct When {
        let update: Update<Model, Event, Effect>
        let model: Model

        /// When these events happen, one after the other, each to the model that the one before it left.
        public func when(_ event: Event, _ moreEvents: Event...) -> Then {
            var result = Result(model: model, lastNext: update.update(model: model, event: event))
            for event in moreEvents {
                result = Result(model: result.model, lastNext: update.update(model: result.model, event: event))
            }
            return Then(result: result)
        }
    }

    /// What is to be checked.
    public struct Then {
        let result: Result

        /// Then the result is as `expression` says: see ``assertThatNext(_:failFunction:)``.
        public func then(_ expression: (Result) -> Void) {
            expression(result)
        }
    }

    /// What the events led to.
    public struct Result {
        /// The model after all events.
        public let model: Model
        /// What the last event did.
        public let lastNext: Next<Model, Effect>

        init(model: Model, lastNext: Next<Model, Effect>) {
            self.model = lastNext.model ?? model
            self.lastNext = lastNext
        }
    }
}
