public import Dispatch

/// The handling of one effect, which the closure of an exhaustive ``EffectRouter`` returns.
///
/// Its static members are the kinds of handlers that routes have; the effect's payload is captured by their closures.
public struct EffectAction<Effect, Event>: Sendable {
    /// The handler, where it runs, and its policy.
    var route: ResolvedRoute<Effect, Event>

    init(_ body: HandlerRoute<Event>.Body, queue: DispatchQueue? = nil) {
        route = .handler(HandlerRoute(body: body, queue: queue, execution: .concurrently))
    }

    init(_ route: ResolvedRoute<Effect, Event>) {
        self.route = route
    }

    /// Nothing is done.
    public static var nothing: EffectAction {
        EffectAction(.action {})
    }

    /// Calls a closure that sends no events.
    @preconcurrency
    public static func to(_ fireAndForget: @escaping @Sendable () -> Void) -> EffectAction {
        EffectAction(.action(fireAndForget))
    }

    /// Calls a closure that answers through a callback, as ``EffectHandler/handle(_:_:)`` does.
    @preconcurrency
    public static func to(
        _ handle: @escaping @Sendable (EffectCallback<Event>) -> any Disposable
    ) -> EffectAction {
        EffectAction(.handler(handle))
    }

    /// Passes `parameters` to an effect handler.
    public static func to<Handler: EffectHandler>(
        _ effectHandler: Handler, with parameters: Handler.EffectParameters
    ) -> EffectAction where Handler.Event == Event {
        let parameters = UncheckedTransfer(parameters)
        return EffectAction(.handler { callback in effectHandler.handle(parameters.value, callback) })
    }

    /// Calls a closure that answers with one event, or with none.
    @preconcurrency
    public static func toEvent(_ eventClosure: @escaping @Sendable () -> Event?) -> EffectAction {
        EffectAction(.event(eventClosure))
    }

    /// Runs an async closure that sends no events, in a task of its own.
    @preconcurrency
    public static func to(_ fireAndForget: @escaping @Sendable () async -> Void) -> EffectAction {
        EffectAction(.task(TaskBody { _ in await fireAndForget() }))
    }

    /// Runs an async closure that answers with one event, or with none, in a task of its own.
    @preconcurrency
    public static func toEvent(_ eventClosure: @escaping @Sendable () async -> Event?) -> EffectAction {
        EffectAction(.task(event: eventClosure))
    }

    /// Sends the elements of a sequence, as `_PartialEffectRouter.toEvents(_:)` does.
    @preconcurrency
    public static func toEvents<Events: AsyncSequence & SendableMetatype>(
        _ events: @escaping @Sendable () async -> Events
    ) -> EffectAction where Events.Element == Event, Events.Failure == Never {
        EffectAction(.task(events: events))
    }

    /// Sends the elements of a sequence that may throw, as `_PartialEffectRouter.toEvents(_:onError:)` does.
    @preconcurrency
    public static func toEvents<Events: AsyncSequence & SendableMetatype>(
        _ events: @escaping @Sendable () async throws -> Events,
        onError: @escaping @Sendable (any Error) -> Event?
    ) -> EffectAction where Events.Element == Event {
        EffectAction(.task(events: events, onError: onError))
    }

    /// Cancels the running effects for which the closure returns `true`, as `_PartialEffectRouter.cancels(_:)` does.
    @preconcurrency
    public static func cancels(
        _ isCancelled: @escaping @Sendable (_ effectUnderWay: Effect) -> Bool
    ) -> EffectAction {
        EffectAction(.cancels(CancelRoute(matches: isCancelled)))
    }

    /// Runs the handler on `queue`, as `_PartialEffectRouter.on(queue:)` does.
    public func on(queue: DispatchQueue) -> EffectAction {
        changing { HandlerRoute(body: $0.body, queue: queue, execution: $0.execution) }
    }

    /// Runs the effects of the same case according to `policy`: see ``ExecutionPolicy``.
    ///
    /// Effects that are not enums count as one case.
    public func executing(
        _ policy: ExecutionPolicy, file: StaticString = #file, line: UInt = #line
    ) -> EffectAction {
        if let complaint = policy.complaint { CallSite(file: file, line: line).fail(complaint) }
        if case .remote(let remote) = route {
            return EffectAction(
                .remote(RemoteRoute(policy: remote.policy, execution: policy, answer: remote.answer)))
        }
        return changing { HandlerRoute(body: $0.body, queue: $0.queue, execution: policy) }
    }

    /// Sends the effect to another process: see `_PartialEffectRouter.toRemote(policy:answer:)`.
    package static func toRemote(
        policy: any Sendable, answer: @escaping @Sendable (any Sendable) -> Event?
    ) -> EffectAction {
        EffectAction(.remote(RemoteRoute(policy: policy, execution: .concurrently, answer: answer)))
    }

    private func changing(_ change: (HandlerRoute<Event>) -> HandlerRoute<Event>) -> EffectAction {
        guard case .handler(let handler) = route else { return self }
        return EffectAction(.handler(change(handler)))
    }
}
