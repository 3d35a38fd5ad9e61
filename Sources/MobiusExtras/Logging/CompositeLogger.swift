public import MobiusCore

/// Several loggers as one: each receives every step, in the order they were added.
public final class CompositeLogger<Model, Event, Effect>: MobiusLogger {
    private let loggers: [AnyMobiusLogger<Model, Event, Effect>]

    /// A logger that passes on to `loggers`, in this order, which may be empty: see ``addLogger(_:)``.
    public init(loggers: [AnyMobiusLogger<Model, Event, Effect>] = []) {
        self.loggers = loggers
    }

    /// These loggers and one more after them.
    public func addLogger<Logger: MobiusLogger>(
        _ logger: Logger
    ) -> CompositeLogger<Model, Event, Effect>
    where Logger.Model == Model, Logger.Event == Event, Logger.Effect == Effect {
        CompositeLogger(loggers: loggers + [AnyMobiusLogger(logger)])
    }

    /// Tells each logger.
    public func willInitiate(model: Model) {
        for logger in loggers { logger.willInitiate(model: model) }
    }

    /// Tells each logger.
    public func didInitiate(model: Model, first: First<Model, Effect>) {
        for logger in loggers { logger.didInitiate(model: model, first: first) }
    }

    /// Tells each logger.
    public func willUpdate(model: Model, event: Event) {
        for logger in loggers { logger.willUpdate(model: model, event: event) }
    }

    /// Tells each logger.
    public func didUpdate(model: Model, event: Event, next: Next<Model, Effect>) {
        for logger in loggers { logger.didUpdate(model: model, event: event, next: next) }
    }
}
