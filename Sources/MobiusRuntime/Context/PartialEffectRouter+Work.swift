public import MobiusCore

extension _PartialEffectRouter {
    /// Routes to an async closure that knows its effect's context, may fail, and answers with one event or with none.
    ///
    /// ```swift
    /// .routeCase(Effect.charge).toWork { order, context in
    ///     .charged(receipt: try await bank.charge(order.cents, key: context.idempotencyKey))
    /// }
    /// ```
    ///
    /// It runs in a task of its own, which is cancelled when the effect is. An effect that has nothing to say is over with
    /// `return nil`. What the closure throws ends the attempt:
    ///
    /// - ``EffectFailed`` says why, and whether and when another attempt may do better.
    /// - `CancellationError`, once the effect was cancelled, ends it without an event.
    /// - Any other error is a failure that may pass. Its type and description become the reason, up to 1,024 bytes; of
    ///   `DecodingError` and `EncodingError`, which hold values, only the place.
    ///
    /// What follows a failure is said by the route in the coordinator that sent the effect: another attempt after a pause,
    /// or the event of its `onFailure`. An event that is returned after a cancellation is reported all the same; the
    /// coordinator drops it if it gave the effect up.
    ///
    /// In a loop without a runtime, that is one with the router itself as effect handler, there is nobody to try again:
    /// an error that is not the end of a cancelled effect stops the program with a sentence, see `MobiusHooks`. The
    /// context's name is made up there, a new one for each effect.
    public func toWork(
        file: StaticString = #file, line: UInt = #line,
        _ work: @escaping @Sendable (EffectParameters, EffectContext) async throws -> Event?
    ) -> EffectRouter<Effect, Event> {
        toTask { parameters, callback in
            await Work.perform(callback, file: file, line: line) { try await work(parameters, $0) }
        }
    }

    /// Routes to an async closure that knows its effect's context, may fail, and answers with any number of events.
    ///
    /// ```swift
    /// .routeCase(Effect.copy).toWork { files, context, send in
    ///     for file in files {
    ///         try await copy(file)
    ///         send(.copied(file))
    ///     }
    /// }
    /// ```
    ///
    /// `send` may be called from any thread until the closure has returned. Events arrive in their order. Each is applied
    /// at once, also when the attempt fails later; the next attempt begins from the start, so its events may repeat
    /// earlier ones.
    public func toWork(
        file: StaticString = #file, line: UInt = #line,
        _ work:
            @escaping @Sendable (EffectParameters, EffectContext, _ send: @escaping @Sendable (Event) -> Void)
            async throws -> Void
    ) -> EffectRouter<Effect, Event> {
        toTask { parameters, callback in
            await Work.perform(callback, file: file, line: line) { context -> Event? in
                try await work(parameters, context) { callback.send($0) }
                return nil
            }
        }
    }
}
