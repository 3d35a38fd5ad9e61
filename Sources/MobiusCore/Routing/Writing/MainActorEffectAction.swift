import Dispatch

/// An incomplete action of an exhaustive router, whose closures run on the main actor.
///
/// Do not name this type; complete it with one of its `to` methods.
public struct _MainActorEffectAction<Effect, Event>: Sendable {
    /// Calls a closure that sends no events, on the main queue.
    @preconcurrency
    public func to(_ fireAndForget: @escaping @MainActor @Sendable () -> Void) -> EffectAction<Effect, Event> {
        EffectAction(.mainActor(action: fireAndForget), queue: .main)
    }

    /// Calls a closure that answers with one event, or with none, on the main queue.
    @preconcurrency
    public func toEvent(
        _ eventClosure: @escaping @MainActor @Sendable () -> Event?
    ) -> EffectAction<Effect, Event> {
        EffectAction(.mainActor(event: eventClosure), queue: .main)
    }

    /// Calls a closure that answers through a callback, on the main queue.
    @preconcurrency
    public func to(
        _ handle: @escaping @MainActor @Sendable (EffectCallback<Event>) -> any Disposable
    ) -> EffectAction<Effect, Event> {
        EffectAction(.mainActor(handle: handle), queue: .main)
    }

    /// Runs an async closure that sends no events, in a task on the main actor.
    @preconcurrency
    public func to(_ fireAndForget: @escaping @MainActor @Sendable () async -> Void) -> EffectAction<Effect, Event> {
        EffectAction(.mainActor(task: { _ in await fireAndForget() }), queue: .main)
    }

    /// Runs an async closure that answers with one event, or with none, in a task on the main actor.
    @preconcurrency
    public func toEvent(
        _ eventClosure: @escaping @MainActor @Sendable () async -> Event?
    ) -> EffectAction<Effect, Event> {
        EffectAction(.mainActorTask(event: eventClosure), queue: .main)
    }

    /// Sends the elements of a sequence, which is iterated on the main actor.
    @preconcurrency
    public func toEvents<Events: AsyncSequence & SendableMetatype>(
        _ events: @escaping @MainActor @Sendable () async -> Events
    ) -> EffectAction<Effect, Event> where Events.Element == Event, Events.Failure == Never {
        EffectAction(.mainActorTask(events: events), queue: .main)
    }

    /// Sends the elements of a sequence that may throw, which is iterated on the main actor.
    @preconcurrency
    public func toEvents<Events: AsyncSequence & SendableMetatype>(
        _ events: @escaping @MainActor @Sendable () async throws -> Events,
        onError: @escaping @MainActor @Sendable (any Error) -> Event?
    ) -> EffectAction<Effect, Event> where Events.Element == Event {
        EffectAction(.mainActorTask(events: events, onError: onError), queue: .main)
    }
}

extension EffectAction {
    /// Begins an action whose closure runs on the main actor: `.onMainActor().to { … }`.
    ///
    /// See `_PartialEffectRouter.onMainActor()`.
    public static func onMainActor() -> _MainActorEffectAction<Effect, Event> {
        _MainActorEffectAction()
    }
}
