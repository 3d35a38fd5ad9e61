/// The result of an update: the new model, if any, and the effects to run.
///
/// ```swift
/// switch event {
/// case .renamed(let text): .next(Model(text: text))  // a new model
/// case .cleared: .next(Model(), effects: [.save(Model())])  // a new model, and an effect
/// case .saveTapped: .dispatchEffects([.save(model)])  // an effect; the model stays
/// case .saved: .noChange
/// }
/// ```
/// A new model is published to observers even when it equals the last one.
public struct Next<Model, Effect> {
    /// The new model, or `nil` if the model stays as it is (and is not published again).
    public let model: Model?

    /// The effects to run, in this order.
    public let effects: [Effect]

    @usableFromInline
    init(model: Model?, effects: [Effect]) {
        self.model = model
        self.effects = effects
    }

    /// Replaces the model and runs `effects`, in order.
    @inlinable
    public static func next(_ model: Model, effects: [Effect] = []) -> Next<Model, Effect> {
        Next(model: model, effects: effects)
    }

    /// Keeps the model and runs `effects`, in order; nothing is published.
    @inlinable
    public static func dispatchEffects(_ effects: [Effect]) -> Next<Model, Effect> {
        Next(model: nil, effects: effects)
    }

    /// Keeps the model and runs nothing.
    @inlinable
    public static var noChange: Next<Model, Effect> {
        Next(model: nil, effects: [])
    }
}

extension Next: Sendable where Model: Sendable, Effect: Sendable {}

extension Next: Equatable where Model: Equatable, Effect: Equatable {}

extension Next: CustomDebugStringConvertible {
    /// The model and the effects as a pair: `("m", [e])`, or `(nil, [e])` without a model.
    public var debugDescription: String {
        let model = model.map { String(reflecting: $0) } ?? "nil"
        return "(\(model), \(effects))"
    }
}
