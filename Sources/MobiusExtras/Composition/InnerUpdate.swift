public import MobiusCore

/// A child's update inside its parent's: it updates the child's part of the model, for the child's events.
///
/// ```swift
/// let search = InnerUpdate(
///     model: \AppModel.search,
///     event: { (event: AppEvent) in if case .search(let event) = event { event } else { nil } },
///     update: Update(searchUpdate),
///     effect: AppEffect.search)
/// let update: Update = search.otherwise(Update(ownUpdate))
/// ```
///
/// The child's part is changed in place, so that the cost of an event depends only on the child's change if the child's
/// update works in place, too.
public struct InnerUpdate<Model, Event, Effect>: Sendable {
    /// `nil` for an event that is not the child's.
    private let lifted: @Sendable (inout Model, Event) -> Change<Effect>?

    /// An update made of the function that lifts the child's.
    init(lifted: @escaping @Sendable (inout Model, Event) -> Change<Effect>?) {
        self.lifted = lifted
    }

    /// The result of `event` for `model`; no change for an event that is not the child's.
    public func update(model: Model, event: Event) -> Next<Model, Effect> {
        asUpdate.update(model: model, event: event)
    }

    /// Applies `event` to `model` in place; `nil` (and no change) if it is not the child's.
    public func step(_ model: inout Model, _ event: Event) -> Change<Effect>? {
        lifted(&model, event)
    }

    /// The child's update as the parent's whole update: events that are not the child's do nothing.
    public var asUpdate: Update<Model, Event, Effect> {
        Update(inPlace: { model, event in lifted(&model, event) ?? .noChange })
    }

    /// The parent's update: events that are not the child's go to `update`.
    ///
    /// A parent with several children writes `first.otherwise(second.otherwise(own))`.
    public func otherwise(_ update: Update<Model, Event, Effect>) -> Update<Model, Event, Effect> {
        Update(inPlace: { model, event in lifted(&model, event) ?? update.step(&model, event) })
    }
}
