/// A logger whose type is known by its model, events and effects only.
public final class AnyMobiusLogger<Model, Event, Effect>: MobiusLogger {
    private let willInitiateClosure: @Sendable (Model) -> Void
    private let didInitiateClosure: @Sendable (Model, First<Model, Effect>) -> Void
    private let willUpdateClosure: @Sendable (Model, Event) -> Void
    private let didUpdateClosure: @Sendable (Model, Event, Next<Model, Effect>) -> Void

    /// Wraps `logger`.
    public init<Logger: MobiusLogger>(_ logger: Logger)
    where Logger.Model == Model, Logger.Event == Event, Logger.Effect == Effect {
        willInitiateClosure = { logger.willInitiate(model: $0) }
        didInitiateClosure = { logger.didInitiate(model: $0, first: $1) }
        willUpdateClosure = { logger.willUpdate(model: $0, event: $1) }
        didUpdateClosure = { logger.didUpdate(model: $0, event: $1, next: $2) }
    }

    /// Tells the logger inside.
    public func willInitiate(model: Model) {
        willInitiateClosure(model)
    }

    /// Tells the logger inside.
    public func didInitiate(model: Model, first: First<Model, Effect>) {
        didInitiateClosure(model, first)
    }

    /// Tells the logger inside.
    public func willUpdate(model: Model, event: Event) {
        willUpdateClosure(model, event)
    }

    /// Tells the logger inside.
    public func didUpdate(model: Model, event: Event, next: Next<Model, Effect>) {
        didUpdateClosure(model, event, next)
    }
}
