/// One route of a router; only its own closures depend on the type of its parameters.
// A class, because generic code would copy all of a structure at every use.
final class Route<Effect, Event>: Sendable {
    /// The line of user code that made it.
    let site: CallSite
    /// Whether an effect's case is the route's: see ``EffectExtraction``.
    let recognise: (@Sendable (Effect, _ tag: Int) -> RecognisedCase?)?
    /// The route with the parameters of an effect bound; `nil` if it does not take that effect.
    let bind: @Sendable (Effect, RecognisedCase?) -> ResolvedRoute<Effect, Event>?
    /// Runs the handler directly, if nothing else is needed: see ``DirectRoutes``.
    let direct: DirectRoutes<Effect, Event>.Run?
    /// The whole handler, if it is a synchronous closure: see ``DirectRoutes``.
    let plain: DirectRoutes<Effect, Event>.Plain?
    /// Whether one user closure routes all cases, so that policies apply to each case.
    let isExhaustive: Bool
    /// The policy of a route that leaves the process, if it is the same for all effects.
    let fixedPolicy: FixedPolicy?
    /// Connects the connectable of the route, if it has one.
    let connect: (@Sendable (@escaping Consumer<Event>) -> any Disposable)?

    init(
        site: CallSite, recognise: (@Sendable (Effect, _ tag: Int) -> RecognisedCase?)?,
        bind: @escaping @Sendable (Effect, RecognisedCase?) -> ResolvedRoute<Effect, Event>?,
        direct: DirectRoutes<Effect, Event>.Run? = nil, plain: DirectRoutes<Effect, Event>.Plain? = nil,
        isExhaustive: Bool = false, fixedPolicy: FixedPolicy? = nil,
        connect: (@Sendable (@escaping Consumer<Event>) -> any Disposable)? = nil
    ) {
        self.site = site
        self.recognise = recognise
        self.bind = bind
        self.direct = direct
        self.plain = plain
        self.isExhaustive = isExhaustive
        self.fixedPolicy = fixedPolicy
        self.connect = connect
    }
}
