extension EffectRouter {
    /// A router that routes all effects by one closure, so that the compiler finds a forgotten case.
    ///
    /// ```swift
    /// EffectRouter<Effect, Event> { effect in
    ///     switch effect {
    ///     case .save(let document): .toEvent { .saved(store(document)) }
    ///     case .log(let line): .to { print(line) }
    ///     case .beep: .nothing
    ///     }
    /// }
    /// ```
    ///
    /// It can be used wherever a router can. `action` is called once for each effect, on the thread that has the
    /// effect, and must only choose: the work belongs into the closures that it returns. Policies given with
    /// ``EffectAction/executing(_:file:line:)`` hold for the effects of one case. More routes may follow only for
    /// effects that no value of the type can be, since each effect needs exactly one route.
    @preconcurrency
    public init(
        file: StaticString = #file, line: UInt = #line,
        _ action: @escaping @Sendable (Effect) -> EffectAction<Effect, Event>
    ) {
        let site = CallSite(file: file, line: line)
        self = EffectRouter(file: file, line: line).adding(
            Route(
                site: site, recognise: nil, bind: { effect, _ in action(effect).route }, isExhaustive: true)
        ).keepingEffectsUnderWay()
    }
}
