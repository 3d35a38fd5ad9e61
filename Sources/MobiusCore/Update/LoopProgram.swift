/// The pure part of an app: its model, its events, its effects, and its update.
///
/// ```swift
/// enum Greeter: LoopProgram {
///     struct Model: Codable, Sendable { var greetings: [String] = [] }
///     enum Event: Codable, Sendable { case arrived(String), greeted(String) }
///     enum Effect: Codable, Sendable { case greet(String) }
///
///     static func initiate() -> First<Model, Effect> { First(model: Model()) }
///
///     static func update(_ model: Model, _ event: Event) -> Next<Model, Effect> {
///         switch event {
///         case .arrived(let name): .dispatchEffects([.greet(name)])
///         case .greeted(let words): .next(Model(greetings: model.greetings + [words]))
///         }
///     }
/// }
/// ```
/// Coordinator and workers import the same program. Everything in it is a value, so that models, events and effects can
/// be stored in a journal and sent between processes. Its functions are pure: their results depend on their arguments
/// only (no clock, no random numbers, no input or output), because a journal is replayed through them.
public protocol LoopProgram: Sendable {
    /// The state of a loop.
    associatedtype Model: Codable & Sendable
    /// The type of events: everything that can happen to a loop.
    associatedtype Event: Codable & Sendable
    /// The type of effects: everything that a loop can ask for.
    associatedtype Effect: Codable & Sendable

    /// Returns the start of a new loop.
    ///
    /// It is called once per loop; a loop that resumes from its journal starts from its last model.
    static func initiate() -> First<Model, Effect>

    /// The model and effects that follow from `event`.
    static func update(_ model: Model, _ event: Event) -> Next<Model, Effect>

    /// Applies `event` to `model` in place.
    ///
    /// Runtimes call this method. The default calls ``update(_:_:)``; programs with large models conform to
    /// ``InPlaceLoopProgram`` instead of writing it themselves.
    static func step(_ model: inout Model, _ event: Event) -> Change<Effect>
}

extension LoopProgram {
    /// Calls ``update(_:_:)`` and stores the model that it returns.
    @inlinable
    public static func step(_ model: inout Model, _ event: Event) -> Change<Effect> {
        Change(applying: update(model, event), to: &model)
    }
}
