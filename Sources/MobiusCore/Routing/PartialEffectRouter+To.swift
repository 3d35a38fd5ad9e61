// Parameters need not be `Sendable` (see ``UncheckedTransfer``): the effect was given away with them, and a bound
// handler, which runs once, is all that holds them. They are captured as they are and not in a wrapper, because a
// wrapper would be one more generic type to ask the runtime for, at every effect.

extension _PartialEffectRouter {
    /// Routes to an effect handler.
    public func to<Handler: EffectHandler>(_ effectHandler: Handler) -> EffectRouter<Effect, Event>
    where Handler.EffectParameters == EffectParameters, Handler.Event == Event {
        to { parameters, callback in effectHandler.handle(parameters, callback) }
    }

    /// Routes to a closure that answers through a callback, as ``EffectHandler/handle(_:_:)`` does.
    @preconcurrency
    public func to(
        _ handle: @escaping @Sendable (EffectParameters, EffectCallback<Event>) -> any Disposable
    ) -> EffectRouter<Effect, Event> {
        complete { parameters in
            nonisolated(unsafe) let parameters = parameters
            return .handler { callback in handle(parameters, callback) }
        }
    }

    /// Routes to a closure that sends no events.
    @preconcurrency
    public func to(
        _ fireAndForget: @escaping @Sendable (EffectParameters) -> Void
    ) -> EffectRouter<Effect, Event> {
        complete { parameters in
            nonisolated(unsafe) let parameters = parameters
            return .action { fireAndForget(parameters) }
        }
    }

    /// Routes to a closure that answers with one event, or with none.
    @preconcurrency
    public func toEvent(
        _ eventClosure: @escaping @Sendable (EffectParameters) -> Event?
    ) -> EffectRouter<Effect, Event> {
        complete { parameters in
            nonisolated(unsafe) let parameters = parameters
            return .event { eventClosure(parameters) }
        }
    }

    /// Routes to a connectable.
    ///
    /// In a loop it is connected once, when the router is, and gets every effect of the route. A worker connects it
    /// anew for each effect, which lasts until it is cancelled.
    public func to<C: Connectable>(_ connectable: C) -> EffectRouter<Effect, Event>
    where C.Input == EffectParameters, C.Output == Event {
        if execution != .concurrently {
            site.fail("The inputs of a connectable have no end to wait for: leave out .executing here.")
        }
        let connectable = AnyConnectable(connectable)
        let queue = queue
        return complete(
            connect: { consumer in connectable.connect(consumer) },
            bind: { parameters in
                .handler(
                    HandlerRoute(
                        body: .connectable(BoundConnectable(connectable, parameters)), queue: queue,
                        execution: .concurrently))
            })
    }
}
