extension EffectRouter {
    /// A router that routes all effects by one closure, so that the compiler reports a missing case.
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
    /// effect, and must only choose: the work belongs in the closures that it returns. Policies given with
    /// ``EffectAction/executing(_:file:line:)`` apply to the effects of one case. Do not add further routes, because
    /// each effect needs exactly one route.
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
