extension _PartialEffectRouter {
    /// Routes to a closure that selects the running effects to cancel.
    ///
    /// ```swift
    /// .routeCase(Effect.stopLoading).cancels { id, effect in effect == .load(id) }
    /// ```
    ///
    /// The closure is called once for each running effect of the same connection of the router, oldest first. Effects
    /// for which it returns `true` are cancelled: tasks are cancelled, handlers' disposables are disposed of, waiting
    /// effects never begin, and later events are not delivered. (An event that another thread is delivering at that
    /// moment counts as sent before.) The cancelling effect ends at once, without an event. A worker cancels only its
    /// own effects. Inputs of a ``Connectable`` cannot be cancelled in a loop.
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

extension _PartialEffectRouter where EffectParameters == Void {
    /// Routes a case without a payload to a closure that selects the running effects to cancel.
    ///
    /// ```swift
    /// .routeCase(Effect.stopReloading).cancels { effect in effect == .reload }
    /// ```
    ///
    /// There is nothing to select by but the effect under way; otherwise it is as for a case with a payload.
    @preconcurrency
    public func cancels(
        _ isCancelled: @escaping @Sendable (_ effectUnderWay: Effect) -> Bool
    ) -> EffectRouter<Effect, Event> {
        cancels { _, effect in isCancelled(effect) }
    }
}
