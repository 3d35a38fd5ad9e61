extension _PartialEffectRouter {
    /// Routes to another process; the runtime that offers this to users implements it.
    ///
    /// `policy` makes the runtime's value in ``RemoteRoute``; `answer` converts a value of the runtime, such as a
    /// failure, into the user's event. Only a router that is connected by that runtime can run such a route.
    package func toRemote(
        policy: @escaping @Sendable (EffectParameters) -> any Sendable,
        answer: @escaping @Sendable (EffectParameters, any Sendable) -> Event?
    ) -> EffectRouter<Effect, Event> {
        complete(policy: policy, answer: answer, fixed: nil)
    }

    /// The same with one policy for all effects of the route.
    package func toRemote(
        fixed policy: any Sendable, answer: @escaping @Sendable (EffectParameters, any Sendable) -> Event?
    ) -> EffectRouter<Effect, Event> {
        complete(policy: { _ in policy }, answer: answer, fixed: execution == .concurrently ? FixedPolicy(policy) : nil)
    }

    private func complete(
        policy: @escaping @Sendable (EffectParameters) -> any Sendable,
        answer: @escaping @Sendable (EffectParameters, any Sendable) -> Event?, fixed: FixedPolicy?
    ) -> EffectRouter<Effect, Event> {
        let execution = execution
        return complete(fixedPolicy: fixed) { parameters in
            nonisolated(unsafe) let parameters = parameters
            return .remote(
                RemoteRoute(
                    policy: policy(parameters), execution: execution,
                    answer: { news in answer(parameters, news) }))
        }
    }
}
