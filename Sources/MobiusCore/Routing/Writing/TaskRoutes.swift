// For runtimes that offer another form of async handlers.

extension _PartialEffectRouter {
    /// Routes to an async closure that answers through a callback, which ends when the closure returns.
    ///
    /// It runs as the closure of ``toEvent(_:)`` does, in a task of its own.
    package func toTask(
        _ work: @escaping @Sendable (EffectParameters, EffectCallback<Event>) async -> Void
    ) -> EffectRouter<Effect, Event> {
        complete { parameters in
            nonisolated(unsafe) let parameters = parameters
            return .task(TaskBody { callback in await work(parameters, callback) })
        }
    }
}

extension EffectAction {
    /// Runs an async closure that answers through a callback, which ends when the closure returns.
    package static func toTask(_ work: @escaping @Sendable (EffectCallback<Event>) async -> Void) -> EffectAction {
        EffectAction(.task(TaskBody(work: work)))
    }
}
