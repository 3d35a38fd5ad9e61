/// Finds the route of an effect, in a time that does not grow with the number of `routeCase` routes.
///
/// For each case of the effect type it asks every route once, remembers the answer, and then goes by the tag alone.
/// Other routes are functions of the user's, which have to be asked about every effect.
final class RouteTable<Effect, Event>: Sendable {
    /// The routes that take an effect.
    enum Outcome {
        case none
        case one(index: Int, ResolvedRoute<Effect, Event>)
        case many([Int])
    }

    let routes: [Route<Effect, Event>]
    private let caseRoutes: [Int]
    private let functionRoutes: [Int]
    private let witnesses: EnumWitnesses?
    private let verdicts: CaseVerdicts

    init(routes: [Route<Effect, Event>], cases: EnumDescription?) {
        self.routes = routes
        caseRoutes = routes.indices.filter { routes[$0].recognise != nil }
        functionRoutes = routes.indices.filter { routes[$0].recognise == nil }
        witnesses = caseRoutes.isEmpty ? nil : EnumWitnesses(of: Effect.self)
        verdicts = CaseVerdicts(cases: cases?.cases.count ?? 0)
    }

    /// The routes that take `effect`.
    func find(_ effect: Effect) -> Outcome {
        var outcome = Outcome.none
        if let witnesses {
            let tag = witnesses.tag(of: effect)
            switch verdicts.verdict(on: tag, learn: { takers(of: effect, tag: tag) }) {
            case .none: break
            case .one(let index, let recognised): add(index, recognised, of: effect, to: &outcome)
            case .many(let indices): outcome = .many(indices)
            }
        }
        for index in functionRoutes { add(index, nil, of: effect, to: &outcome) }
        return outcome
    }

    private func add(_ index: Int, _ recognised: RecognisedCase?, of effect: Effect, to outcome: inout Outcome) {
        guard let route = routes[index].bind(effect, recognised) else { return }
        switch outcome {
        case .none: outcome = .one(index: index, route)
        case .one(let other, _): outcome = .many([other, index])
        case .many(let others): outcome = .many(others + [index])
        }
    }

    private func takers(of effect: Effect, tag: Int) -> [(index: Int, RecognisedCase)] {
        caseRoutes.compactMap { index in
            routes[index].recognise?(effect, tag).map { (index, $0) }
        }
    }
}
