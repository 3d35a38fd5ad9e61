extension EffectRouter {
    /// The route of `effect`, with its parameters bound.
    ///
    /// For runtimes that run effects themselves; it runs nothing and raises no error.
    package func resolve(_ effect: Effect) -> RouteResolution<Effect, Event> {
        switch table.find(effect) {
        case .none: .none
        case .one(_, let route): .one(route)
        case .many(let indices): .many(indices.count)
        }
    }

    /// The policy of an effect's route, if the route leaves the process, runs its effects concurrently, has one policy
    /// for all of them, and is known; otherwise use ``resolve(_:)``.
    ///
    /// A closure, because a method of a generic structure looks its own type up at each call.
    package var fixedPolicy: (Effect) -> FixedPolicy? {
        { [table] effect in table.fixedPolicy(of: effect) }
    }

    /// The policies of the routes that leave the process and are the same for all their effects.
    package var fixedPolicies: [FixedPolicy] { table.routes.compactMap(\.fixedPolicy) }

    /// The error message for an effect without exactly one route; it names the case, never the payload.
    package func complaint(about effect: Effect) -> String? {
        switch table.find(effect) {
        case .none: complaint(aboutUnrouted: effect)
        case .one: nil
        case .many(let indices): complaint(about: effect, routes: indices)
        }
    }

    func complaint(aboutUnrouted effect: Effect) -> String {
        """
        No route takes the effect \(name(of: effect)). Each effect needs exactly one: add \
        .routeCase(\(name(of: effect))).to { … } to the EffectRouter made at \(site).
        """
    }

    func complaint(about effect: Effect, routes indices: [Int]) -> String {
        let sites = indices.map { "\(table.routes[$0].site)" }.joined(separator: ", ")
        return """
            \(indices.count) routes take the effect \(name(of: effect)): \(sites). Each effect needs exactly one: \
            remove the others.
            """
    }

    func complaint(aboutRemote effect: Effect, route index: Int) -> String {
        """
        The effect \(name(of: effect)) is routed to other processes at \(table.routes[index].site), and a loop \
        inside this process cannot send it there. Give the loop a WorkerPool of the routes as its effect handler, run \
        it in a coordinator, or route the effect to a handler with .to or .toEvent.
        """
    }

    /// `Effect.greet`: type and case.
    private func name(of effect: Effect) -> String {
        guard let cases, let tag = tag(of: effect) else { return "\(Effect.self)" }
        return "\(Effect.self).\(cases.cases[tag].name)"
    }

    /// The number of the effect's case; `nil` for effects that are not enums.
    func tag(of effect: Effect) -> Int? {
        guard let cases, !cases.cases.isEmpty else { return nil }
        return EnumWitnesses(of: Effect.self).tag(of: effect)
    }
}
