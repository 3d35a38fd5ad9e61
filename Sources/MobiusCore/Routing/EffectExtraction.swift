/// A route's way to recognise its effects and to extract their parameters.
enum EffectExtraction<Effect, Parameters>: Sendable {
    /// A user function, which is called for every effect.
    case function(@Sendable (Effect) -> Parameters?)

    /// The route matches the effect's case.
    ///
    /// `recognise` returns whether the route matches the case with this tag (that of the given effect). The answer for
    /// a tag never changes, so it is called once per tag. `payload` extracts the parameters of effects of that case.
    case enumCase(
        recognise: @Sendable (Effect, _ tag: Int) -> RecognisedCase?,
        payload: @Sendable (Effect, RecognisedCase) -> Parameters)

    /// See ``enumCase(recognise:payload:)``; `nil` for a route whose function is called for every effect.
    var recognise: (@Sendable (Effect, _ tag: Int) -> RecognisedCase?)? {
        switch self {
        case .function: nil
        case .enumCase(let recognise, _): recognise
        }
    }

    /// Binds an effect's parameters to `bind`; `nil` for effects that the route does not match.
    func binding<Bound>(
        _ bind: @escaping @Sendable (Parameters) -> Bound
    ) -> @Sendable (Effect, RecognisedCase?) -> Bound? {
        switch self {
        case .function(let extract):
            return { effect, _ in
                guard let parameters = extract(effect) else { return nil }
                return bind(parameters)
            }
        case .enumCase(_, let payload):
            return { effect, recognised in
                guard let recognised else { return nil }
                return bind(payload(effect, recognised))
            }
        }
    }
}
