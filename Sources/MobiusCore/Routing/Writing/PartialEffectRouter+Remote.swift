extension _PartialEffectRouter {
    /// Routes out of this process, in a way that only the runtime knows that offers it to users.
    ///
    /// `policy` makes what that runtime finds in ``RemoteRoute``; `answer` turns what the runtime tells, such as a
    /// failure, of a type it knows, into the event that the user wants of it. A loop inside this process cannot run such
    /// a route, unless the router is connected by that runtime.
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
