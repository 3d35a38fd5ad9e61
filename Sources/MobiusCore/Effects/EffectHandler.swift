/// Runs the effects of one kind.
@preconcurrency
public protocol EffectHandler: Sendable {
    /// What it needs to know about an effect.
    associatedtype EffectParameters
    /// What it answers with.
    associatedtype Event

    /// Starts one effect.
    ///
    /// Send any number of events through `callback`, from any thread, then end it. Disposing of the result asks the
    /// handler to stop; what it sends after that is ignored.
    func handle(_ effectParameters: EffectParameters, _ callback: EffectCallback<Event>) -> any Disposable
}
