/// A program that changes its model in place, so that the cost of an event does not depend on the size of the model.
///
/// ```swift
/// static func update(_ model: inout Model, _ event: Event) -> Change<Effect> {
///     switch event {
///     case .ordered(let item):
///         model.items.append(item)  // in place: a million items are not copied
///         return .next(effects: [.charge(item)])
///     case .charged, .refused: return .noChange
///     }
/// }
/// ```
/// The in-place update is equally pure: its result depends on its arguments only.
public protocol InPlaceLoopProgram: LoopProgram {
    /// Applies `event` to `model` in place.
    ///
    /// Return ``Change/noChange`` or ``Change/dispatchEffects(_:)`` only if the model was left as it was.
    static func update(_ model: inout Model, _ event: Event) -> Change<Effect>
}

extension InPlaceLoopProgram {
    /// The result of `event` for `model`: runs the in-place update on a copy.
    @inlinable
    public static func update(_ model: Model, _ event: Event) -> Next<Model, Effect> {
        var copy = model
        let change: Change<Effect> = update(&copy, event)
        return Next(model: change.changed ? copy : nil, effects: change.effects)
    }

    /// Forwards to the in-place update.
    @inlinable
    public static func step(_ model: inout Model, _ event: Event) -> Change<Effect> {
        update(&model, event)
    }
}
