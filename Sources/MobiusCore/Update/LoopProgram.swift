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
/// only (no clock, no random numbers, no input or output), because a journal is replayed through them. One that needs its
/// loop's name, the time or chance conforms to ``ContextLoopProgram``.
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

    /// Returns the start of a new loop.
    ///
    /// Runtimes call this method. The default calls ``initiate()``.
    static func first(in context: LoopContext) -> First<Model, Effect>

    /// Applies `event` to `model` in place.
    ///
    /// Runtimes call this method. The default calls ``step(_:_:)``.
    static func step(_ model: inout Model, _ event: Event, _ context: LoopContext) -> Change<Effect>

    /// Whether the program uses contexts, which runtimes make for those only; the default is `false`.
    static var _usesContext: Bool { get }
}

extension LoopProgram {
    /// Calls ``update(_:_:)`` and stores the model that it returns.
    @inlinable
    public static func step(_ model: inout Model, _ event: Event) -> Change<Effect> {
        Change(applying: update(model, event), to: &model)
    }

    /// Calls ``initiate()``.
    @inlinable
    public static func first(in context: LoopContext) -> First<Model, Effect> { initiate() }

    /// Calls ``step(_:_:)``.
    @inlinable
    public static func step(_ model: inout Model, _ event: Event, _ context: LoopContext) -> Change<Effect> {
        step(&model, event)
    }

    /// Whether the program uses contexts: it does not.
    @inlinable public static var _usesContext: Bool { false }
}
