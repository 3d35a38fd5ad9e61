/// A program whose functions know their loop's name, the event's time and number, and a chance that a replay repeats.
///
/// ```swift
/// enum Raffle: ContextLoopProgram {
///     struct Model: Codable, Equatable, Sendable {
///         var name: String
///         var guests: [String: Int64] = [:]
///         var winner: String?
///     }
///
///     enum Event: Codable, Sendable { case entered(String), drawn }
///     enum Effect: Codable, Equatable, Sendable { case congratulate(String, ticket: String) }
///
///     static func initiate(_ context: LoopContext) -> First<Model, Effect> {
///         First(model: Model(name: String(context.key)))
///     }
///
///     static func update(_ model: Model, _ event: Event, _ context: LoopContext) -> Next<Model, Effect> {
///         var model = model
///         switch event {
///         case .entered(let guest):
///             model.guests[guest] = context.milliseconds
///             return .next(model)
///         case .drawn:
///             var random = context.random
///             guard let winner = model.guests.keys.sorted().randomElement(using: &random) else { return .noChange }
///             model.winner = winner
///             return .next(model, effects: [.congratulate(winner, ticket: context.id())])
///         }
///     }
/// }
/// ```
///
/// Its functions are as pure as those of any ``LoopProgram``: a replay gives them an equal ``LoopContext``.
public protocol ContextLoopProgram: LoopProgram {
    // Said again, so that the types are found in the signatures of these functions.
    /// The state of a loop.
    associatedtype Model
    /// The type of events.
    associatedtype Event
    /// The type of effects.
    associatedtype Effect

    /// The model and effects that follow from `event`.
    static func update(_ model: Model, _ event: Event, _ context: LoopContext) -> Next<Model, Effect>

    /// Returns the start of a new loop.
    static func initiate(_ context: LoopContext) -> First<Model, Effect>
}

extension ContextLoopProgram {
    /// Returns the start of a loop with the default ``LoopContext``: for tests.
    public static func initiate() -> First<Model, Effect> { initiate(LoopContext()) }

    /// The model and effects that follow from `event` with the default ``LoopContext``: for tests.
    public static func update(_ model: Model, _ event: Event) -> Next<Model, Effect> {
        update(model, event, LoopContext())
    }

    /// Calls ``initiate(_:)``.
    @inlinable
    public static func first(in context: LoopContext) -> First<Model, Effect> { initiate(context) }

    /// Calls ``update(_:_:_:)`` and stores the model that it returns.
    @inlinable
    public static func step(_ model: inout Model, _ event: Event, _ context: LoopContext) -> Change<Effect> {
        Change(applying: update(model, event, context), to: &model)
    }

    /// Whether the program uses contexts: it does.
    @inlinable public static var _usesContext: Bool { true }
}

/// A program with a context that changes its model in place: a ``ContextLoopProgram`` in the form of an ``InPlaceLoopProgram``.
public protocol InPlaceContextLoopProgram: ContextLoopProgram {
    // Said again, so that the types are found in the signatures of these functions.
    /// The state of a loop.
    associatedtype Model
    /// The type of events.
    associatedtype Event
    /// The type of effects.
    associatedtype Effect

    /// Applies `event` to `model` in place.
    ///
    /// Return ``Change/noChange`` or ``Change/dispatchEffects(_:)`` only if the model was left as it was.
    static func update(_ model: inout Model, _ event: Event, _ context: LoopContext) -> Change<Effect>
}

extension InPlaceContextLoopProgram {
    /// The result of `event` for `model`: runs the in-place update on a copy.
    @inlinable
    public static func update(_ model: Model, _ event: Event, _ context: LoopContext) -> Next<Model, Effect> {
        var copy = model
        let change: Change<Effect> = update(&copy, event, context)
        return Next(model: change.changed ? copy : nil, effects: change.effects)
    }

    /// Forwards to the in-place update.
    @inlinable
    public static func step(_ model: inout Model, _ event: Event, _ context: LoopContext) -> Change<Effect> {
        update(&model, event, context)
    }
}
