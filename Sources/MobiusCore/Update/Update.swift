import Foundation
import Synchronization

/// A loop's pure function from a model and an event to the next model and effects.
///
/// It has two forms, equal in meaning. `(Model, Event) -> Next` returns the new model; every collection it touches is
/// copied, because the caller still holds the old value. `(inout Model, Event) -> Change` changes the model in place,
/// and its cost depends only on the change.
public struct Update<Model, Event, Effect>: Sendable {
    @usableFromInline
    enum Form: Sendable {
        case pure(@Sendable (Model, Event) -> Next<Model, Effect>)
        case inPlace(@Sendable (inout Model, Event) -> Change<Effect>)
    }

    @usableFromInline
    let form: Form

    /// An update that returns the new model.
    @preconcurrency
    @inlinable
    public init(_ update: @escaping @Sendable (Model, Event) -> Next<Model, Effect>) {
        form = .pure(update)
    }

    /// An update that changes the model in place.
    ///
    /// Its result must depend on its arguments only, as in the other form. A trailing closure that fits both forms,
    /// such as `Update { _, _ in .noChange }`, is taken as the other form.
    @_disfavoredOverload
    @preconcurrency
    @inlinable
    public init(inPlace update: @escaping @Sendable (inout Model, Event) -> Change<Effect>) {
        form = .inPlace(update)
    }

    /// Returns the result of applying `event` to `model`, which itself does not change.
    @inlinable
    public func update(model: Model, event: Event) -> Next<Model, Effect> {
        switch form {
        case .pure(let update):
            return update(model, event)
        case .inPlace(let update):
            var copy = model
            let change = update(&copy, event)
            return Next(model: change.changed ? copy : nil, effects: change.effects)
        }
    }

    /// Returns the result of applying `event` to `model`, which itself does not change.
    @inlinable
    public func callAsFunction(model: Model, event: Event) -> Next<Model, Effect> {
        update(model: model, event: event)
    }

    /// Applies `event` to `model` where it is.
    ///
    /// Runtimes call this method: with an in-place update nothing is copied.
    @inlinable
    public func step(_ model: inout Model, _ event: Event) -> Change<Effect> {
        switch form {
        case .pure(let update):
            return Change(applying: update(model, event), to: &model)
        case .inPlace(let update):
            return update(&model, event)
        }
    }
}

extension Update where Model: Codable & Sendable, Event: Codable & Sendable, Effect: Codable & Sendable {
    /// The update of a program, in the form that the program has it.
    ///
    /// A ``ContextLoopProgram`` gets the loop's name `main`, the current time, and the number of the call of this update: what
    /// a loop needs that runs in one process and is not replayed.
    public init<Program: LoopProgram>(_ program: Program.Type)
    where Program.Model == Model, Program.Event == Event, Program.Effect == Effect {
        guard Program._usesContext else {
            self.init(inPlace: { model, event in Program.step(&model, event) })
            return
        }
        let calls = Lock<UInt64>(0)
        self.init(inPlace: { model, event in
            let number = calls.withLock { calls in
                calls += 1
                return calls
            }
            return Program.step(&model, event, LoopContext(number: number, time: Date()))
        })
    }

    /// The update of a program for the same context each time: for tests.
    @inlinable
    public init<Program: LoopProgram>(_ program: Program.Type, in context: LoopContext)
    where Program.Model == Model, Program.Event == Event, Program.Effect == Effect {
        self.init(inPlace: { model, event in Program.step(&model, event, context) })
    }
}
