// The bodies of async handlers and of those on the main actor, for routes and for actions of exhaustive routers.

extension HandlerRoute.Body {
    /// A task that may make one event, which is ignored after a cancellation.
    static func task(event: @escaping @Sendable () async -> Event?) -> Self {
        .task(
            TaskBody { callback in
                if let event = await event(), !Task.isCancelled { callback.end(with: [event]) }
            })
    }

    /// A task that sends the elements of a sequence.
    static func task<Events: AsyncSequence & SendableMetatype>(
        events: @escaping @Sendable () async -> Events
    ) -> Self where Events.Element == Event, Events.Failure == Never {
        .task(TaskBody { callback in await callback.send(contentsOf: await events()) })
    }

    /// A task that sends the elements of a sequence, and what is made of its error.
    static func task<Events: AsyncSequence & SendableMetatype>(
        events: @escaping @Sendable () async throws -> Events, onError: @escaping @Sendable (any Error) -> Event?
    ) -> Self where Events.Element == Event {
        .task(
            TaskBody { callback in
                do {
                    try await callback.send(contentsOf: try await events())
                } catch {
                    guard !Task.isCancelled, let event = onError(error) else { return }
                    callback.end(with: [event])
                }
            })
    }

    // Synchronous closures below run on the main queue, where the main actor may be assumed.

    /// A closure on the main actor that sends no events.
    static func mainActor(action: @escaping @MainActor @Sendable () -> Void) -> Self {
        .action { MainActor.assumeIsolated { action() } }
    }

    /// A closure on the main actor that may make one event.
    static func mainActor(event: @escaping @MainActor @Sendable () -> Event?) -> Self {
        .event { MainActor.assumeIsolated { UncheckedTransfer(event()) }.value }
    }

    /// A closure on the main actor that answers through a callback.
    static func mainActor(
        handle: @escaping @MainActor @Sendable (EffectCallback<Event>) -> any Disposable
    ) -> Self {
        .handler { callback in MainActor.assumeIsolated { handle(callback) } }
    }

    /// A task on the main actor.
    static func mainActor(task work: @escaping @MainActor @Sendable (EffectCallback<Event>) async -> Void) -> Self {
        .task(TaskBody(isOnMainActor: true) { @MainActor callback in await work(callback) })
    }

    /// A task on the main actor that may make one event.
    static func mainActorTask(event: @escaping @MainActor @Sendable () async -> Event?) -> Self {
        .mainActor(task: { callback in
            if let event = await event(), !Task.isCancelled { callback.end(with: [event]) }
        })
    }

    /// A task on the main actor that sends the elements of a sequence.
    static func mainActorTask<Events: AsyncSequence & SendableMetatype>(
        events: @escaping @MainActor @Sendable () async -> Events
    ) -> Self where Events.Element == Event, Events.Failure == Never {
        .mainActor(task: { callback in await callback.send(contentsOf: await events()) })
    }

    /// A task on the main actor that sends the elements of a sequence, and what is made of its error.
    static func mainActorTask<Events: AsyncSequence & SendableMetatype>(
        events: @escaping @MainActor @Sendable () async throws -> Events,
        onError: @escaping @MainActor @Sendable (any Error) -> Event?
    ) -> Self where Events.Element == Event {
        .mainActor(task: { callback in
            do {
                try await callback.send(contentsOf: try await events())
            } catch {
                guard !Task.isCancelled, let event = onError(error) else { return }
                callback.end(with: [event])
            }
        })
    }
}
