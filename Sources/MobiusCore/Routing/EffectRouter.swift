/// Maps effects to handlers: each effect has exactly one route.
///
/// ```swift
/// EffectRouter<Effect, Event>()
///     .routeCase(Effect.fetch).toEvent { url in .fetched(await download(url)) }
///     .routeCase(Effect.log).to { line in print(line) }
/// ```
///
/// A router is a value: each `to` returns a new one with one more route. An effect that no route takes, or more than
/// one, is a programmer error (see ``MobiusHooks``).
public struct EffectRouter<Effect, Event>: Sendable {
    let site: CallSite
    let cases: EnumDescription?
    let table: RouteTable<Effect, Event>
    /// Whether it has a route that cancels others.
    private(set) var keepsEffectsUnderWay = false

    /// A router without routes; the message about an effect without a route names `file` and `line`.
    public init(file: StaticString = #file, line: UInt = #line) {
        let cases = EnumDescription(Effect.self)
        self.init(
            site: CallSite(file: file, line: line), cases: cases, table: RouteTable(routes: [], cases: cases))
    }

    private init(site: CallSite, cases: EnumDescription?, table: RouteTable<Effect, Event>) {
        self.site = site
        self.cases = cases
        self.table = table
    }

    /// This router with one more route.
    func adding(_ route: Route<Effect, Event>) -> EffectRouter<Effect, Event> {
        var router = EffectRouter(
            site: site, cases: cases, table: RouteTable(routes: table.routes + [route], cases: cases))
        router.keepsEffectsUnderWay = keepsEffectsUnderWay
        return router
    }

    /// This router, whose connections record the running effects.
    func keepingEffectsUnderWay() -> EffectRouter<Effect, Event> {
        var router = self
        router.keepsEffectsUnderWay = true
        return router
    }

    /// Routes the effects that `extractParameters` returns parameters for.
    ///
    /// It is called once for each effect, whichever route takes it, on the thread that has the effect.
    @preconcurrency
    public func routeEffects<EffectParameters>(
        withParameters extractParameters: @escaping @Sendable (Effect) -> EffectParameters?,
        file: StaticString = #file, line: UInt = #line
    ) -> _PartialEffectRouter<Effect, EffectParameters, Event> {
        _PartialEffectRouter(
            router: self, extraction: .function(extractParameters),
            site: CallSite(file: file, line: line))
    }
}

extension EffectRouter where Effect: Equatable & SendableMetatype {
    /// Routes the effects that equal `constant`, which is also the parameter.
    public func routeEffects(
        equalTo constant: Effect, file: StaticString = #file, line: UInt = #line
    ) -> _PartialEffectRouter<Effect, Effect, Event> {
        let constant = UncheckedTransfer(constant)
        return routeEffects(
            withParameters: { effect in effect == constant.value ? effect : nil }, file: file, line: line)
    }
}
