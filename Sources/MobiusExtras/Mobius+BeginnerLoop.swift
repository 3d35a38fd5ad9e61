public import MobiusCore

extension Mobius {
    /// A loop without effects, of an update that returns the next model: for first steps and for small things.
    ///
    /// Every event publishes a model, changed or not.
    @preconcurrency
    public static func beginnerLoop<Model, Event>(
        update: @escaping @Sendable (Model, Event) -> Model
    ) -> Builder<Model, Event, Never> {
        loop(update: { model, event in .next(update(model, event)) }, effectHandler: unreachableHandler())
    }

    /// A loop without effects, of an update that changes the model where it is.
    ///
    /// Every event publishes a model, changed or not; an event costs as much as its change, however large the model.
    @preconcurrency
    public static func beginnerLoop<Model, Event>(
        inPlace update: @escaping @Sendable (inout Model, Event) -> Void
    ) -> Builder<Model, Event, Never> {
        loop(
            update: Update(inPlace: { model, event in
                update(&model, event)
                return .next()
            }), effectHandler: unreachableHandler())
    }

    /// What a loop without effects has for an effect handler.
    private static func unreachableHandler<Event>() -> AnyConnectable<Never, Event> {
        AnyConnectable { _ in Connection(acceptClosure: { _ in }, disposeClosure: {}) }
    }
}
