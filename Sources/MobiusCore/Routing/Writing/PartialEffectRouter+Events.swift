extension _PartialEffectRouter {
    /// Routes to a closure that returns a sequence of events, sync or async.
    ///
    /// ```swift
    /// .routeCase(Effect.watch).toEvents { id in database.changes(of: id).map { .changed($0) } }
    /// ```
    ///
    /// Each element is sent as it comes, in order; the effect ends with the sequence. A separate task iterates it, and
    /// is cancelled when the effect is disposed of: no event of a cancelled task is delivered. For sequences that throw
    /// see ``toEvents(_:onError:)``.
    @preconcurrency
    public func toEvents<Events: AsyncSequence & SendableMetatype>(
        _ events: @escaping @Sendable (EffectParameters) async -> Events
    ) -> EffectRouter<Effect, Event> where Events.Element == Event, Events.Failure == Never {
        complete { parameters in
            nonisolated(unsafe) let parameters = parameters
            return .task(events: { await events(parameters) })
        }
    }

    /// Routes to a closure that returns a sequence of events, where either may throw.
    ///
    /// Like ``toEvents(_:)``; an error ends the effect with the event that `onError` returns, if any. Errors after a
    /// cancellation are ignored.
    @preconcurrency
    public func toEvents<Events: AsyncSequence & SendableMetatype>(
        _ events: @escaping @Sendable (EffectParameters) async throws -> Events,
        onError: @escaping @Sendable (EffectParameters, any Error) -> Event?
    ) -> EffectRouter<Effect, Event> where Events.Element == Event {
        complete { parameters in
            nonisolated(unsafe) let parameters = parameters
            return .task(
                events: { try await events(parameters) }, onError: { error in onError(parameters, error) })
        }
    }
}

extension EffectCallback {
    /// Sends the elements of a sequence as they come, until it ends, this callback has ended, or the task is cancelled.
    nonisolated(nonsending) func send<Outputs: AsyncSequence>(
        contentsOf outputs: Outputs
    ) async throws(Outputs.Failure) where Outputs.Element == Output {
        var iterator = outputs.makeAsyncIterator()
        while !Task.isCancelled, !ended, let output = try await iterator.next(isolation: #isolation) {
            await pace?()
            guard !Task.isCancelled else { return }
            send(output)
        }
    }
}
