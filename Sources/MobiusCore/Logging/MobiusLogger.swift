/// Receives each step of a loop, just before and after it; all methods have defaults that do nothing.
///
/// It is called on the thread that runs the loop, so it should be fast.
@preconcurrency
public protocol MobiusLogger: Sendable {
    /// The state of the loop.
    associatedtype Model
    /// The type of the loop's events.
    associatedtype Event
    /// The type of the loop's effects.
    associatedtype Effect

    /// A loop is about to start from `model`.
    func willInitiate(model: Model)

    /// A loop starts with `first`, having been asked to start from `model`.
    func didInitiate(model: Model, first: First<Model, Effect>)

    /// `event` is about to be applied to `model`.
    func willUpdate(model: Model, event: Event)

    /// `event` was applied to `model`, with the result `next`, which has not been processed yet.
    func didUpdate(model: Model, event: Event, next: Next<Model, Effect>)
}

extension MobiusLogger {
    /// Does nothing.
    public func willInitiate(model: Model) {}

    /// Does nothing.
    public func didInitiate(model: Model, first: First<Model, Effect>) {}

    /// Does nothing.
    public func willUpdate(model: Model, event: Event) {}

    /// Does nothing.
    public func didUpdate(model: Model, event: Event, next: Next<Model, Effect>) {}
}
