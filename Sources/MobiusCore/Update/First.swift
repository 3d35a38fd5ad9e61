/// The start of a loop: its first model and the effects that start with it.
///
/// ```swift
/// static func initiate() -> First<Model, Effect> {
///     First(model: Model(), effects: [.load])
/// }
/// ```
public struct First<Model, Effect> {
    /// The model that the loop starts with.
    public let model: Model

    /// The effects to run at the start, in this order.
    public let effects: [Effect]

    /// A start from `model` that runs `effects`, in order.
    @inlinable
    public init(model: Model, effects: [Effect] = []) {
        self.model = model
        self.effects = effects
    }
}

extension First: Sendable where Model: Sendable, Effect: Sendable {}

extension First: Equatable where Model: Equatable, Effect: Equatable {}
