/// Finds the route of an effect, in a time that does not grow with the number of `routeCase` routes.
///
/// For each case of the effect type it tests every route once and caches the result by the tag. Other routes are user
/// functions, which are called for every effect.
@usableFromInline
final class RouteTable<Effect, Event>: Sendable {
    /// The routes that take an effect.
    enum Outcome {
        case none
        case one(index: Int, ResolvedRoute<Effect, Event>)
        case many([Int])
    }

    let routes: [Route<Effect, Event>]
    @usableFromInline let direct: DirectRoutes<Effect, Event>?
    private let caseRoutes: [Int]
    private let functionRoutes: [Int]
    private let fixedPolicies: [FixedPolicy?]
    private let witnesses: EnumWitnesses?
    private let verdicts: CaseVerdicts

    init(routes: [Route<Effect, Event>], cases: EnumDescription?) {
        self.routes = routes
        caseRoutes = routes.indices.filter { routes[$0].recognise != nil }
        functionRoutes = routes.indices.filter { routes[$0].recognise == nil }
        fixedPolicies = routes.map(\.fixedPolicy)
        let verdicts = CaseVerdicts(cases: cases?.cases.count ?? 0)
        let witnesses = caseRoutes.isEmpty ? nil : EnumWitnesses(of: Effect.self)
        self.verdicts = verdicts
        self.witnesses = witnesses
        direct =
            functionRoutes.isEmpty
            ? witnesses.map { DirectRoutes(routes, witnesses: $0, verdicts: verdicts) } : nil
    }

    /// The routes that take `effect`.
    func find(_ effect: Effect) -> Outcome {
        var outcome = Outcome.none
        if let witnesses {
            let tag = witnesses.tag(of: effect)
            var verdict = verdicts.verdict(on: tag)
            if verdict.word == CaseVerdicts.Verdict.unknown.word { verdict = learn(effect, tag: tag) }
            if let index = verdict.route {
                add(index, RecognisedCase(tag: tag, isIndirect: verdict.isIndirect), of: effect, to: &outcome)
            } else {
                let takers = takers(of: effect, tag: tag)
                if takers.count > 1 { outcome = .many(takers.map(\.index)) }
            }
        }
        for index in functionRoutes { add(index, nil, of: effect, to: &outcome) }
        return outcome
    }

    /// The policy of the one route that takes `effect`, when that is the same for all effects of a known case.
    ///
    /// It is found by the case alone: nothing is bound.
    func fixedPolicy(of effect: Effect) -> FixedPolicy? {
        guard functionRoutes.isEmpty, let witnesses,
            let index = verdicts.verdict(on: witnesses.tag(of: effect)).route
        else { return nil }
        return fixedPolicies[index]
    }

    private func add(_ index: Int, _ recognised: RecognisedCase?, of effect: Effect, to outcome: inout Outcome) {
        guard let route = routes[index].bind(effect, recognised) else { return }
        switch outcome {
        case .none: outcome = .one(index: index, route)
        case .one(let other, _): outcome = .many([other, index])
        case .many(let others): outcome = .many(others + [index])
        }
    }

    private func learn(_ effect: Effect, tag: Int) -> CaseVerdicts.Verdict {
        let takers = takers(of: effect, tag: tag)
        let verdict: CaseVerdicts.Verdict =
            takers.count == 1 ? .init(route: takers[0].index, isIndirect: takers[0].case.isIndirect) : .notOne
        verdicts.keep(verdict, on: tag)
        return verdict
    }

    private func takers(of effect: Effect, tag: Int) -> [(index: Int, case: RecognisedCase)] {
        caseRoutes.compactMap { index in
            routes[index].recognise?(effect, tag).map { (index, $0) }
        }
    }
}
