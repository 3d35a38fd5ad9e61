/// How a route recognises its effects and takes their parameters out.
enum EffectExtraction<Effect, Parameters>: Sendable {
    /// A function of the user's, which has to be asked about every effect.
    case function(@Sendable (Effect) -> Parameters?)

    /// The route goes by the effect's case.
    ///
    /// `recognise` says whether the case with this tag (that of the effect given) is the route's. The answer for a tag
    /// never changes, so it is asked once. `payload` takes the parameters of effects of that case out.
    case enumCase(
        recognise: @Sendable (Effect, _ tag: Int) -> RecognisedCase?,
        payload: @Sendable (Effect, RecognisedCase) -> Parameters)

    /// See ``enumCase(recognise:payload:)``; `nil` for a route that wants to see every effect.
    var recognise: (@Sendable (Effect, _ tag: Int) -> RecognisedCase?)? {
        switch self {
        case .function: nil
        case .enumCase(let recognise, _): recognise
        }
    }

    /// What to do with an effect, given what to do with its parameters; `nil` for effects that are not the route's.
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
