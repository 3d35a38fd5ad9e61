public import MobiusCore

/// A child's update inside its parent's: it works on the child's part of the model, for the events that are the child's.
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
/// The child's part is changed where it is, so that an event costs as much as the child's change when its update works in
/// place, too.
public struct InnerUpdate<Model, Event, Effect>: Sendable {
    /// `nil` for an event that is not the child's.
    private let lifted: @Sendable (inout Model, Event) -> Change<Effect>?

    /// An update made of the function that lifts the child's.
    init(lifted: @escaping @Sendable (inout Model, Event) -> Change<Effect>?) {
        self.lifted = lifted
    }

    /// What `event` does to `model`, which itself stays as it is; nothing, if it is not the child's.
    public func update(model: Model, event: Event) -> Next<Model, Effect> {
        asUpdate.update(model: model, event: event)
    }

    /// Applies `event` to `model` where it is; `nil` (and nothing done) if it is not the child's.
    public func step(_ model: inout Model, _ event: Event) -> Change<Effect>? {
        lifted(&model, event)
    }

    /// The parent's update, if there is nothing else in it: events that are not the child's do nothing.
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
