extension _PartialEffectRouter {
    /// Routes to a closure that says which effects under way are to be cancelled.
    ///
    /// ```swift
    /// .routeCase(Effect.stopLoading).cancels { id, effect in effect == .load(id) }
    /// ```
    ///
    /// The closure is asked once about each effect that the same connection of the router has under way, oldest first.
    /// Those it returns `true` for are cancelled: tasks are cancelled, what effect handlers returned is disposed of,
    /// effects that wait for their turn never begin, and nothing they send from then on is delivered. (An event that
    /// another thread is delivering at that moment counts as sent before.) The effect that cancels is over at once,
    /// without an event. A worker cancels among the effects it has itself. Inputs of a ``Connectable`` cannot be
    /// cancelled in a loop.
    @preconcurrency
    public func cancels(
        _ isCancelled: @escaping @Sendable (EffectParameters, _ effectUnderWay: Effect) -> Bool
    ) -> EffectRouter<Effect, Event> {
        complete { parameters in
            nonisolated(unsafe) let parameters = parameters
            return .cancels(CancelRoute { effect in isCancelled(parameters, effect) })
        }.keepingEffectsUnderWay()
    }
}
