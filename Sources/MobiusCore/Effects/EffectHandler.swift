/// Runs the effects of one kind.
@preconcurrency
public protocol EffectHandler: Sendable {
    /// The parameters of an effect.
    associatedtype EffectParameters
    /// The events that it sends.
    associatedtype Event

    /// Starts one effect.
    ///
    /// Send any number of events through `callback`, from any thread, then end it. Disposing of the result asks the
    /// handler to stop; what it sends after that is ignored.
    func handle(_ effectParameters: EffectParameters, _ callback: EffectCallback<Event>) -> any Disposable
}
