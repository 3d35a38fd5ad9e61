public import Dispatch

/// An incomplete route: its effects are selected, their handler is not set yet.
///
/// Do not name this type; complete it with one of its `to` methods.
public struct _PartialEffectRouter<Effect, EffectParameters, Event>: Sendable {
    let router: EffectRouter<Effect, Event>
    let extraction: EffectExtraction<Effect, EffectParameters>
    let site: CallSite
    var queue: DispatchQueue?
    var execution = ExecutionPolicy.concurrently

    init(
        router: EffectRouter<Effect, Event>, extraction: EffectExtraction<Effect, EffectParameters>, site: CallSite
    ) {
        self.router = router
        self.extraction = extraction
        self.site = site
    }

    /// Runs the handler on `queue`.
    ///
    /// A synchronous handler and the inputs of a connectable are called there; an async handler runs there between
    /// suspension points. Otherwise they run on the thread that accepts the effect, and async handlers on Swift's own
    /// threads.
    public func on(queue: DispatchQueue) -> Self {
        var partial = self
        partial.queue = queue
        return partial
    }

    /// Runs the effects of the route according to `policy`: see ``ExecutionPolicy``.
    ///
    /// It applies to handlers that end: closures, async closures and effect handlers, on a queue or not. A
    /// ``Connectable`` has no end, so a route to one with a policy is a programmer error.
    public func executing(_ policy: ExecutionPolicy) -> Self {
        if let complaint = policy.complaint { site.fail(complaint) }
        var partial = self
        partial.execution = policy
        return partial
    }

    /// The router with this route, whose effects are bound to handlers by `bind`.
    func complete(
        direct: DirectRoutes<Effect, Event>.Run? = nil, plain: DirectRoutes<Effect, Event>.Plain? = nil,
        connect: (@Sendable (@escaping Consumer<Event>) -> any Disposable)? = nil, fixedPolicy: FixedPolicy? = nil,
        bind: @escaping @Sendable (EffectParameters) -> ResolvedRoute<Effect, Event>
    ) -> EffectRouter<Effect, Event> {
        let justRuns = queue == nil && execution == .concurrently
        return router.adding(
            Route(
                site: site, recognise: extraction.recognise, bind: extraction.binding(bind),
                direct: justRuns ? direct : nil, plain: justRuns ? plain : nil, fixedPolicy: fixedPolicy,
                connect: connect))
    }

    /// Extracts the parameters of the route's effects; `nil` if a user function does that.
    @usableFromInline
    var caseWitnesses: EnumWitnesses? {
        extraction.recognise == nil ? nil : EnumWitnesses(of: Effect.self)
    }

    /// The router with this route, to a closure that may make an event.
    @usableFromInline
    func complete(
        event: @escaping @Sendable (EffectParameters) -> Event?, direct: DirectRoutes<Effect, Event>.Run?,
        plain: DirectRoutes<Effect, Event>.Plain?
    ) -> EffectRouter<Effect, Event> {
        complete(direct: direct, plain: plain) { parameters in
            nonisolated(unsafe) let parameters = parameters
            return .event { event(parameters) }
        }
    }

    /// The router with this route, to a closure that makes no event.
    @usableFromInline
    func complete(
        action: @escaping @Sendable (EffectParameters) -> Void, direct: DirectRoutes<Effect, Event>.Run?,
        plain: DirectRoutes<Effect, Event>.Plain?
    ) -> EffectRouter<Effect, Event> {
        complete(direct: direct, plain: plain) { parameters in
            nonisolated(unsafe) let parameters = parameters
            return .action { action(parameters) }
        }
    }

    /// The router with this route, to a closure that answers through a callback.
    @usableFromInline
    func complete(
        handle: @escaping @Sendable (EffectParameters, EffectCallback<Event>) -> any Disposable,
        direct: DirectRoutes<Effect, Event>.Run?
    ) -> EffectRouter<Effect, Event> {
        complete(direct: direct) { parameters in
            nonisolated(unsafe) let parameters = parameters
            return .handler { callback in handle(parameters, callback) }
        }
    }

    /// The router with this route, to a handler in this process.
    func complete(
        direct: DirectRoutes<Effect, Event>.Run? = nil, plain: DirectRoutes<Effect, Event>.Plain? = nil,
        handler: @escaping @Sendable (EffectParameters) -> HandlerRoute<Event>.Body
    ) -> EffectRouter<Effect, Event> {
        let (queue, execution) = (queue, execution)
        return complete(direct: direct, plain: plain) { parameters in
            .handler(HandlerRoute(body: handler(parameters), queue: queue, execution: execution))
        }
    }
}
