// The order of the overloads matters to the compiler, which tries them as they are declared: with the asynchronous ones first, or
// in another extension, it takes seconds for a long chain of routes. The label of `to(async:)` keeps the overloads of
// `.to(log)` at four, fewer than Foundation's of `log`, which it would otherwise combine first. `Tests/Checks/Routes` holds it to that.

// Parameters need not be `Sendable` (see ``UncheckedTransfer``): the effect was transferred with them, and only a bound
// handler, which runs once, holds them. They are captured without a wrapper, because a wrapper would be one more
// generic type to look up for every effect.

extension _PartialEffectRouter {
    /// Routes to an effect handler.
    @inlinable
    public func to<Handler: EffectHandler>(_ effectHandler: Handler) -> EffectRouter<Effect, Event>
    where Handler.EffectParameters == EffectParameters, Handler.Event == Event {
        to { parameters, callback in effectHandler.handle(parameters, callback) }
    }

    /// Routes to a closure that answers through a callback, as ``EffectHandler/handle(_:_:)`` does.
    @preconcurrency
    @inlinable
    public func to(
        _ handle: @escaping @Sendable (EffectParameters, EffectCallback<Event>) -> any Disposable
    ) -> EffectRouter<Effect, Event> {
        guard let witnesses = caseWitnesses else { return complete(handle: handle, direct: nil) }
        return complete(handle: handle) { effect, recognised, effects in
            if effects.areCancellable { return false }
            effects.start { callback in
                handle(witnesses.payload(of: effect, recognised, as: EffectParameters.self), callback)
            }
            return true
        }
    }

    /// Routes to a closure that sends no events.
    @preconcurrency
    @inlinable
    public func to(
        _ fireAndForget: @escaping @Sendable (EffectParameters) -> Void
    ) -> EffectRouter<Effect, Event> {
        guard let witnesses = caseWitnesses else { return complete(action: fireAndForget, direct: nil, plain: nil) }
        return complete(action: fireAndForget) { effect, recognised, _ in
            fireAndForget(witnesses.payload(of: effect, recognised, as: EffectParameters.self))
            return true
        } plain: { effect, recognised, _ in
            fireAndForget(witnesses.payload(of: effect, recognised, as: EffectParameters.self))
        }
    }

    /// Routes to a closure that answers with one event, or with none.
    @preconcurrency
    @inlinable
    public func toEvent(
        _ eventClosure: @escaping @Sendable (EffectParameters) -> Event?
    ) -> EffectRouter<Effect, Event> {
        guard let witnesses = caseWitnesses else { return complete(event: eventClosure, direct: nil, plain: nil) }
        return complete(event: eventClosure) { effect, recognised, effects in
            let parameters = witnesses.payload(of: effect, recognised, as: EffectParameters.self)
            if let event = eventClosure(parameters) { effects.outlet.deliver(event) }
            return true
        } plain: { effect, recognised, answer in
            let parameters = witnesses.payload(of: effect, recognised, as: EffectParameters.self)
            if let event = eventClosure(parameters) { answer(event) }
        }
    }

    /// Routes to a connectable.
    ///
    /// In a loop it is connected once, with the router, and gets every effect of the route. A worker connects it for
    /// each effect, which lasts until it is cancelled.
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

    /// Routes to an async closure that sends no events.
    ///
    /// It runs in a task of its own, which is cancelled when the effect is disposed of. A function is passed with the label:
    /// `.to(async: upload)`.
    @preconcurrency
    public func to(
        async fireAndForget: @escaping @Sendable (EffectParameters) async -> Void
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
