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

    /// Routes one case without payload.
    public func routeCase(
        _ enumCase: Effect, file: StaticString = #file, line: UInt = #line
    ) -> _PartialEffectRouter<Effect, Void, Event> {
        let site = CallSite(file: file, line: line)
        guard let constant = CaseConstant(enumCase, cases: cases) else {
            site.fail(
                """
                routeCase(_:) was given a value of \(Effect.self), which must be an Equatable type or a case without \
                payload. Give it the case itself, as in routeCase(\(Effect.self).someCase), or use \
                routeEffects(withParameters:).
                """)
        }
        return routeCase(constant, site: site)
    }

    private func routeCase(
        _ constant: CaseConstant, site: CallSite
    ) -> _PartialEffectRouter<Effect, Void, Event> {
        _PartialEffectRouter(
            router: self,
            extraction: .enumCase(
                recognise: { _, tag in
                    tag == constant.tag ? RecognisedCase(tag: tag, isIndirect: false) : nil
                },
                payload: { _, _ in }),
            site: site)
    }
}

extension EffectRouter where Effect: Equatable & SendableMetatype {
    /// Routes one case without payload, or else the effects that equal `enumCase`.
    public func routeCase(
        _ enumCase: Effect, file: StaticString = #file, line: UInt = #line
    ) -> _PartialEffectRouter<Effect, Void, Event> {
        if let constant = CaseConstant(enumCase, cases: cases) {
            return routeCase(constant, site: CallSite(file: file, line: line))
        }
        let value = UncheckedTransfer(enumCase)
        return routeEffects(withParameters: { $0 == value.value ? () : nil }, file: file, line: line)
    }
}
