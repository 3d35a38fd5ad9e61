// The same methods without the file and line of the call, so that they can be passed as functions. Plain calls prefer
// the overloads with file and line.

extension EffectRouter {
    /// See ``init(file:line:)``.
    @_disfavoredOverload
    public init() {
        self.init(file: #file, line: #line)
    }

    /// See ``routeEffects(withParameters:file:line:)``.
    @_disfavoredOverload
    @preconcurrency
    public func routeEffects<EffectParameters>(
        withParameters extractParameters: @escaping @Sendable (Effect) -> EffectParameters?
    ) -> _PartialEffectRouter<Effect, EffectParameters, Event> {
        routeEffects(withParameters: extractParameters, file: #file, line: #line)
    }

    // The label, which calls do not have, spares them an overload: with it the compiler's work would double with every route
    // of a chain in an async function.

    /// See `routeCase(_:file:line:)`; as a function it is `router.routeCase`, without a label.
    @_disfavoredOverload
    @preconcurrency
    public func routeCase<EffectParameters>(
        reference enumCase: @escaping @Sendable (EffectParameters) -> Effect
    ) -> _PartialEffectRouter<Effect, EffectParameters, Event> {
        routeCase(enumCase, file: #file, line: #line)
    }

    /// See `routeCase(_:file:line:)`; as a function it is `router.routeCase`, without a label.
    @_disfavoredOverload
    public func routeCase(reference enumCase: Effect) -> _PartialEffectRouter<Effect, Void, Event> {
        routeCase(enumCase, file: #file, line: #line)
    }
}

extension EffectRouter where Effect: Equatable & SendableMetatype {
    /// See ``routeEffects(equalTo:file:line:)``.
    @_disfavoredOverload
    public func routeEffects(equalTo constant: Effect) -> _PartialEffectRouter<Effect, Effect, Event> {
        routeEffects(equalTo: constant, file: #file, line: #line)
    }
}
