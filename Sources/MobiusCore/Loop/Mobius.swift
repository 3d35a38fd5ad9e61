/// The entry point for making loops: `Mobius.loop(update:effectHandler:)`.
///
/// ```swift
/// let loop = Mobius.loop(update: Greeter.update, effectHandler: router)
///     .withLogger(SimpleLogger(tag: "greeter"))
///     .start(from: Greeter.Model())
/// loop.addObserver { model in print(model.greetings) }
/// loop.dispatchEvent(.arrived("Ada"))
/// ```
public enum Mobius {
    /// A loop of this update and this effect handler, ready to be configured and started.
    ///
    /// An ``EffectRouter`` is an effect handler.
    @inlinable
    public static func loop<Model, Event, Effect, EffectHandler: Connectable>(
        update: Update<Model, Event, Effect>, effectHandler: EffectHandler
    ) -> Builder<Model, Event, Effect> where EffectHandler.Input == Effect, EffectHandler.Output == Event {
        Builder(update: update, effectHandler: AnyConnectable(effectHandler))
    }

    /// A loop of this update and this effect handler, ready to be configured and started.
    @preconcurrency
    @inlinable
    public static func loop<Model, Event, Effect, EffectHandler: Connectable>(
        update: @escaping @Sendable (Model, Event) -> Next<Model, Effect>, effectHandler: EffectHandler
    ) -> Builder<Model, Event, Effect> where EffectHandler.Input == Effect, EffectHandler.Output == Event {
        loop(update: Update(update), effectHandler: effectHandler)
    }

    /// A loop of this program, which also runs in a coordinator, and this effect handler.
    ///
    /// Start it from ``LoopProgram/initiate()``, or from your own model.
    @inlinable
    public static func loop<Program: LoopProgram, EffectHandler: Connectable>(
        _ program: Program.Type, effectHandler: EffectHandler
    ) -> Builder<Program.Model, Program.Event, Program.Effect>
    where EffectHandler.Input == Program.Effect, EffectHandler.Output == Program.Event {
        loop(update: Update(program), effectHandler: effectHandler)
    }
}
