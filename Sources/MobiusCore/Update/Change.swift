/// The result of an update in place: whether the model changed, and the effects to run.
///
/// It is the counterpart of ``Next`` for updates of the form `(inout Model, Event) -> Change<Effect>`, whose cost
/// depends on the size of the change, not on the size of the model.
public struct Change<Effect> {
    /// Whether the model is to be published.
    ///
    /// An update that returns `false` must have left the model as it was.
    public let changed: Bool

    /// The effects to run, in this order.
    public let effects: [Effect]

    @usableFromInline
    init(changed: Bool, effects: [Effect]) {
        self.changed = changed
        self.effects = effects
    }

    /// Publishes the model, which was changed in place, and runs `effects`, in order.
    @inlinable
    public static func next(effects: [Effect] = []) -> Change<Effect> {
        Change(changed: true, effects: effects)
    }

    /// Runs `effects`, in order; the model was left as it was and is not published.
    @inlinable
    public static func dispatchEffects(_ effects: [Effect]) -> Change<Effect> {
        Change(changed: false, effects: effects)
    }

    /// The model was left as it was and nothing is to be run.
    @inlinable
    public static var noChange: Change<Effect> {
        Change(changed: false, effects: [])
    }
}

extension Change: Sendable where Effect: Sendable {}

extension Change: Equatable where Effect: Equatable {}
