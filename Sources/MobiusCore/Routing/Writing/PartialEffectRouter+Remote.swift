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
        let execution = execution
        return complete { parameters in
            nonisolated(unsafe) let parameters = parameters
            return .remote(
                RemoteRoute(
                    policy: policy(parameters), execution: execution,
                    answer: { news in answer(parameters, news) }))
        }
    }
}
