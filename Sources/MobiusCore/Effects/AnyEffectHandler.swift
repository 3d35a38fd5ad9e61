/// An effect handler whose type is known by its parameters and events only.
public struct AnyEffectHandler<EffectParameters, Event>: EffectHandler {
    private let handleClosure: @Sendable (EffectParameters, EffectCallback<Event>) -> any Disposable

    /// A handler made of a closure.
    @preconcurrency
    public init(handle: @escaping @Sendable (EffectParameters, EffectCallback<Event>) -> any Disposable) {
        handleClosure = handle
    }

    /// Wraps `handler`.
    public init<Handler: EffectHandler>(handler: Handler)
    where Handler.EffectParameters == EffectParameters, Handler.Event == Event {
        handleClosure = { parameters, callback in handler.handle(parameters, callback) }
    }

    /// Starts one effect with the handler inside.
    public func handle(_ parameters: EffectParameters, _ callback: EffectCallback<Event>) -> any Disposable {
        handleClosure(parameters, callback)
    }
}
