/// One route of a router; only its own closures know the type of its parameters.
struct Route<Effect, Event>: Sendable {
    /// Where the user wrote it.
    let site: CallSite
    /// Whether an effect's case is the route's: see ``EffectExtraction``.
    let recognise: (@Sendable (Effect, _ tag: Int) -> RecognisedCase?)?
    /// The route with the parameters of an effect bound; `nil` if it does not take that effect.
    let bind: @Sendable (Effect, RecognisedCase?) -> ResolvedRoute<Event>?
    /// Connects the connectable of the route, if it has one.
    let connect: (@Sendable (@escaping Consumer<Event>) -> any Disposable)?
}
