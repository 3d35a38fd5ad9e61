extension EffectRouter {
    /// Routes one case of an enum, with its payload as the parameters.
    ///
    /// ```swift
    /// EffectRouter<Effect, Event>()
    ///     .routeCase(Effect.greet).toEvent { name in .greeted(name) }  // case greet(String)
    ///     .routeCase(Effect.move).to { x, y in move(x, y) }  // case move(x: Int, y: Int)
    /// ```
    ///
    /// `enumCase` must be the case's own constructor. Payloads with functions inside (other than `() -> Void`) or
    /// metatypes cannot be extracted at run time: use ``routeEffects(withParameters:file:line:)`` for those.
    @preconcurrency
    public func routeCase<EffectParameters>(
        _ enumCase: @escaping @Sendable (EffectParameters) -> Effect,
        file: StaticString = #file, line: UInt = #line
    ) -> _PartialEffectRouter<Effect, EffectParameters, Event> {
        let site = CallSite(file: file, line: line)
        let constructor = CaseConstructor(enumCase, cases: cases, site: site)
        return _PartialEffectRouter(
            router: self,
            extraction: .enumCase(
                recognise: { effect, tag in constructor.recognise(effect, tag: tag) },
                payload: { effect, recognised in constructor.payload(of: effect, recognised) }),
            site: site)
    }

    // One function for all types, because one more for `Equatable` ones would double the compiler's work with every route.

    /// Routes one case without payload.
    ///
    /// Given a value with a payload, or one that is no enum, it routes the effects that equal it; then the type must be
    /// `Equatable`.
    public func routeCase(
        _ enumCase: Effect, file: StaticString = #file, line: UInt = #line
    ) -> _PartialEffectRouter<Effect, Void, Event> {
        let site = CallSite(file: file, line: line)
        guard let constant = CaseConstant(enumCase, cases: cases) else {
            guard let isEqual = Self.comparison(with: enumCase) else {
                site.fail(
                    """
                    routeCase(_:) was given a value of \(Effect.self), which must be an Equatable type or a case without \
                    payload. Give it the case itself, as in routeCase(\(Effect.self).someCase), or use \
                    routeEffects(withParameters:).
                    """)
            }
            return _PartialEffectRouter(router: self, extraction: .function { isEqual($0) ? () : nil }, site: site)
        }
        return _PartialEffectRouter(
            router: self,
            extraction: .enumCase(
                recognise: { _, tag in
                    tag == constant.tag ? RecognisedCase(tag: tag, isIndirect: false) : nil
                },
                payload: { _, _ in }),
            site: site)
    }

    /// Compares effects with `value`; `nil` if their type is not `Equatable`.
    private static func comparison(with value: Effect) -> (@Sendable (Effect) -> Bool)? {
        func comparison<Value: Equatable>(_: Value.Type) -> (Effect) -> Bool {
            let value = unsafeBitCast(value, to: Value.self)  // `Value` is `Effect`
            return { effect in unsafeBitCast(effect, to: Value.self) == value }
        }
        guard let type = Effect.self as? any Equatable.Type else { return nil }
        nonisolated(unsafe) let isEqual = comparison(type)  // effects are transferred: see `UncheckedTransfer`
        return { effect in isEqual(effect) }
    }
}
