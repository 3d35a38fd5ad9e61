public import Dispatch

/// A route that is being written: which effects it takes is said, what happens to them is not.
///
/// Clients do not name this type; they go on with one of its `to` methods.
public struct _PartialEffectRouter<Effect, EffectParameters, Event>: Sendable {
    let router: EffectRouter<Effect, Event>
    let extraction: EffectExtraction<Effect, EffectParameters>
    let queue: DispatchQueue?
    let site: CallSite

    /// Runs the handler on `queue`.
    ///
    /// A plain handler and the inputs of a connectable are called there; an async handler runs there between
    /// suspensions. Without it they run on the thread that has the effect, and async handlers on Swift's own threads.
    public func on(queue: DispatchQueue) -> Self {
        Self(router: router, extraction: extraction, queue: queue, site: site)
    }

    /// The router with this route, whose effects are bound to handlers by `bind`.
    func complete(
        connect: (@Sendable (@escaping Consumer<Event>) -> any Disposable)? = nil,
        bind: @escaping @Sendable (EffectParameters) -> ResolvedRoute<Event>
    ) -> EffectRouter<Effect, Event> {
        router.adding(
            Route(site: site, recognise: extraction.recognise, bind: extraction.binding(bind), connect: connect))
    }

    /// The router with this route, to a handler in this process.
    func complete(
        handler: @escaping @Sendable (EffectParameters) -> HandlerRoute<Event>.Body
    ) -> EffectRouter<Effect, Event> {
        let queue = queue
        return complete { parameters in .handler(HandlerRoute(body: handler(parameters), queue: queue)) }
    }
}
