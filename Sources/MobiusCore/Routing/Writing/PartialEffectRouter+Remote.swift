extension _PartialEffectRouter {
    /// Routes to other processes, in a way that only the runtime knows that offers it to users.
    ///
    /// `policy` is what that runtime finds in ``RemoteRoute``; `onFailure` turns a failure, of a type it knows, into
    /// the event that the user wants of it. A loop inside this process cannot run such a route, unless the router is
    /// connected by that runtime.
    package func toRemote(
        policy: any Sendable,
        onFailure: @escaping @Sendable (EffectParameters, any Sendable) -> Event
    ) -> EffectRouter<Effect, Event> {
        let execution = execution
        return complete { parameters in
            nonisolated(unsafe) let parameters = parameters
            return .remote(
                RemoteRoute(
                    policy: policy, execution: execution,
                    onFailure: { failure in onFailure(parameters, failure) }))
        }
    }
}
