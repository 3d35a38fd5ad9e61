public import MobiusCore

extension Mobius {
    /// A loop without effects, of an update that returns the next model: for beginners and small cases.
    ///
    /// Every event publishes a model, changed or not.
    @preconcurrency
    public static func beginnerLoop<Model, Event>(
        update: @escaping @Sendable (Model, Event) -> Model
    ) -> Builder<Model, Event, Never> {
        loop(update: { model, event in .next(update(model, event)) }, effectHandler: unreachableHandler())
    }

    /// A loop without effects, of an update that changes the model in place.
    ///
    /// Every event publishes a model, changed or not; the cost of an event does not depend on the size of the model.
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

    /// The effect handler of a loop without effects.
    private static func unreachableHandler<Event>() -> AnyConnectable<Never, Event> {
        AnyConnectable { _ in Connection(acceptClosure: { _ in }, disposeClosure: {}) }
    }
}
