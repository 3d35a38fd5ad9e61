/// One route of a router; only its own closures know the type of its parameters.
struct Route<Effect, Event>: Sendable {
    /// Where the user wrote it.
    let site: CallSite
    /// Whether an effect's case is the route's: see ``EffectExtraction``.
    let recognise: (@Sendable (Effect, _ tag: Int) -> RecognisedCase?)?
    /// The route with the parameters of an effect bound; `nil` if it does not take that effect.
    let bind: @Sendable (Effect, RecognisedCase?) -> ResolvedRoute<Effect, Event>?
    /// Runs the handler at once, if that is all there is to do: see ``DirectRoutes``.
    var direct: DirectRoutes<Effect, Event>.Run?
    /// Whether one closure of the user's routes all cases, so that each case is a route as far as policies go.
    var isExhaustive = false
    /// The policy of a route that leaves the process, if it is the same for all effects.
    var fixedPolicy: FixedPolicy?
    /// Connects the connectable of the route, if it has one.
    var connect: (@Sendable (@escaping Consumer<Event>) -> any Disposable)?
}
