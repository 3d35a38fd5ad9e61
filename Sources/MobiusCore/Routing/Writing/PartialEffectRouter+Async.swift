extension _PartialEffectRouter {
    /// Routes to an async closure that sends no events.
    ///
    /// It runs in a task of its own, which is cancelled when the effect is disposed of.
    @preconcurrency
    public func to(
        _ fireAndForget: @escaping @Sendable (EffectParameters) async -> Void
    ) -> EffectRouter<Effect, Event> {
        complete { parameters in
            nonisolated(unsafe) let parameters = parameters
            return .task(TaskBody { _ in await fireAndForget(parameters) })
        }
    }

    /// Routes to an async closure that answers with one event, or with none; errors are events too.
    ///
    /// It runs in its own task, which is cancelled when the effect is disposed of; the result of a cancelled task is
    /// ignored.
    @preconcurrency
    public func toEvent(
        _ eventClosure: @escaping @Sendable (EffectParameters) async -> Event?
    ) -> EffectRouter<Effect, Event> {
        complete { parameters in
            nonisolated(unsafe) let parameters = parameters
            return .task(event: { await eventClosure(parameters) })
        }
    }
}
