import Dispatch

/// An incomplete route, whose closures run on the main actor.
///
/// Do not name this type; complete it with one of its `to` methods.
public struct _MainActorPartialEffectRouter<Effect, EffectParameters, Event>: Sendable {
    let partial: _PartialEffectRouter<Effect, EffectParameters, Event>

    /// Runs the effects of the route according to `policy`: see ``ExecutionPolicy``.
    public func executing(_ policy: ExecutionPolicy) -> Self {
        Self(partial: partial.executing(policy))
    }

    /// Routes to a closure that sends no events.
    ///
    /// It is called on the main queue, after the effect has been accepted, even if that happens on the main thread.
    @preconcurrency
    public func to(
        _ fireAndForget: @escaping @MainActor @Sendable (EffectParameters) -> Void
    ) -> EffectRouter<Effect, Event> {
        partial.complete { parameters in
            nonisolated(unsafe) let parameters = parameters
            return .mainActor(action: { fireAndForget(parameters) })
        }
    }

    /// Routes to a closure that answers with one event, or with none; it is called on the main queue.
    @preconcurrency
    public func toEvent(
        _ eventClosure: @escaping @MainActor @Sendable (EffectParameters) -> Event?
    ) -> EffectRouter<Effect, Event> {
        partial.complete { parameters in
            nonisolated(unsafe) let parameters = parameters
            return .mainActor(event: { eventClosure(parameters) })
        }
    }

    /// Routes to a closure that answers through a callback, as ``EffectHandler/handle(_:_:)`` does.
    ///
    /// It is called on the main queue; its result is disposed of on the thread that stops the effect.
    @preconcurrency
    public func to(
        _ handle: @escaping @MainActor @Sendable (EffectParameters, EffectCallback<Event>) -> any Disposable
    ) -> EffectRouter<Effect, Event> {
        partial.complete { parameters in
            nonisolated(unsafe) let parameters = parameters
            return .mainActor(handle: { callback in handle(parameters, callback) })
        }
    }

    /// Routes to an async closure that sends no events, in a task on the main actor.
    @preconcurrency
    public func to(
        _ fireAndForget: @escaping @MainActor @Sendable (EffectParameters) async -> Void
    ) -> EffectRouter<Effect, Event> {
        partial.complete { parameters in
            nonisolated(unsafe) let parameters = parameters
            return .mainActor(task: { _ in await fireAndForget(parameters) })
        }
    }

    /// Routes to an async closure that answers with one event, or with none, in a task on the main actor.
    @preconcurrency
    public func toEvent(
        _ eventClosure: @escaping @MainActor @Sendable (EffectParameters) async -> Event?
    ) -> EffectRouter<Effect, Event> {
        partial.complete { parameters in
            nonisolated(unsafe) let parameters = parameters
            return .mainActorTask(event: { await eventClosure(parameters) })
        }
    }

    /// Routes to a closure that returns a sequence of events, which is iterated on the main actor.
    ///
    /// Otherwise it is as ``_PartialEffectRouter/toEvents(_:)``.
    @preconcurrency
    public func toEvents<Events: AsyncSequence & SendableMetatype>(
        _ events: @escaping @MainActor @Sendable (EffectParameters) async -> Events
    ) -> EffectRouter<Effect, Event> where Events.Element == Event, Events.Failure == Never {
        partial.complete { parameters in
            nonisolated(unsafe) let parameters = parameters
            return .mainActorTask(events: { await events(parameters) })
        }
    }

    /// Routes to a closure that returns a sequence of events, where either may throw.
    ///
    /// Otherwise it is as ``_PartialEffectRouter/toEvents(_:onError:)``; the sequence is iterated on the main actor.
    @preconcurrency
    public func toEvents<Events: AsyncSequence & SendableMetatype>(
        _ events: @escaping @MainActor @Sendable (EffectParameters) async throws -> Events,
        onError: @escaping @MainActor @Sendable (EffectParameters, any Error) -> Event?
    ) -> EffectRouter<Effect, Event> where Events.Element == Event {
        partial.complete { parameters in
            nonisolated(unsafe) let parameters = parameters
            return .mainActorTask(
                events: { try await events(parameters) }, onError: { error in onError(parameters, error) })
        }
    }
}

extension _PartialEffectRouter {
    /// Runs the closures of the route on the main actor, so that they may use its state without `await`.
    ///
    /// Effects run there in their order. The main queue must be running: by `dispatchMain()`, a run loop, or an async
    /// `main`. A queue that was given with ``on(queue:)`` is not used.
    public func onMainActor() -> _MainActorPartialEffectRouter<Effect, EffectParameters, Event> {
        _MainActorPartialEffectRouter(partial: on(queue: .main))
    }
}
