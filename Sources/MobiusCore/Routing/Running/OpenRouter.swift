import Synchronization

/// A router in use: the state of one connection, or of one worker process.
///
/// The state is the waiting effects (see ``ExecutionPolicy``), and the running ones, for routes that cancel. It may be
/// used from any thread.
package final class OpenRouter<Effect, Event>: Sendable {
    /// Policies apply to the effects of one route, or of one case if one closure routes all.
    private struct LaneID: Hashable {
        let route: Int
        let tag: Int?
        let policy: ExecutionPolicy
    }

    private struct State {
        var isClosed = false
        var lanes: [LaneID: ExecutionLane] = [:]
    }

    package let router: EffectRouter<Effect, Event>
    private let state = Lock(State())
    /// `nil` for routers without a route that cancels, to avoid the cost.
    private let underWay: CancellableEffects<Effect>?
    /// The fast path, if handlers cannot be cancelled.
    private let direct: DirectRoutes<Effect, Event>?

    /// Opens `router`.
    package init(_ router: EffectRouter<Effect, Event>) {
        self.router = router
        underWay = router.keepsEffectsUnderWay ? CancellableEffects() : nil
        direct = underWay == nil ? router.table.direct : nil
    }

    /// The synchronous closure that is the whole handler of `effect`, to be called with the effect and its case.
    ///
    /// The fast path, if the handler need not wait and cannot be cancelled. Otherwise `nil`; use ``resolve(_:)``.
    package func plain(
        _ effect: Effect
    ) -> (call: @Sendable (Effect, RecognisedCase, _ answer: (Event) -> Void) -> Void, of: RecognisedCase)? {
        direct?.plain(effect)
    }

    /// The route of `effect`, with its parameters bound, as ``EffectRouter/resolve(_:)`` finds it.
    ///
    /// The handler obeys the policy of its route, and can be cancelled by ``cancel(where:)`` once it has been run.
    package func resolve(_ effect: Effect) -> RouteResolution<Effect, Event> {
        switch router.table.find(effect) {
        case .none: .none
        case .one(let index, .handler(let handler)): .one(.handler(managed(handler, of: effect, route: index)))
        case .one(_, let route): .one(route)
        case .many(let indices): .many(indices.count)
        }
    }

    /// Cancels the running effects for which `isCancelled` returns true, oldest first.
    ///
    /// Their callbacks end without an event before their handlers are stopped.
    package func cancel(where isCancelled: (Effect) -> Bool) {
        underWay?.cancel(where: isCancelled)
    }

    /// Begins no more effects that wait for their turn.
    package func close() {
        let lanes = state.withLock { state in
            state.isClosed = true
            return Array(state.lanes.values)
        }
        for lane in lanes { lane.close() }
    }

    /// The handler, which runs according to its policy.
    func managed(_ handler: HandlerRoute<Event>, of effect: Effect, route: Int) -> HandlerRoute<Event> {
        let underWay = underWay
        guard underWay != nil || handler.execution != .concurrently else { return handler }
        let lane = lane(of: handler, effect, route: route)
        let effect = UncheckedTransfer(effect)
        var managed = handler
        managed.manage = { handler, callback in
            let id = underWay?.reserve()
            let run = ManagedRun(handler, callback, in: lane) {
                if let id { underWay?.remove(id) }
            }
            if let id { underWay?.add(effect.value, run, as: id) }
            if let lane {
                lane.admit(run)
            } else {
                _ = run.begin()
            }
            return run
        }
        return managed
    }

    private func lane(of handler: HandlerRoute<Event>, _ effect: Effect, route: Int) -> ExecutionLane? {
        guard handler.execution != .concurrently else { return nil }
        let id = LaneID(
            route: route, tag: router.table.routes[route].isExhaustive ? router.tag(of: effect) : nil,
            policy: handler.execution)
        return state.withLock { state in
            if let lane = state.lanes[id] { return lane }
            let lane = ExecutionLane(handler.execution)
            if state.isClosed { lane.close() }
            state.lanes[id] = lane
            return lane
        }
    }
}
