public import MobiusCore

extension _PartialEffectRouter {
    /// Routes to an async closure that receives the effect's context, may throw, and returns one event or none.
    ///
    /// ```swift
    /// .routeCase(Effect.charge).toWork { order, context in
    ///     .charged(receipt: try await bank.charge(order.cents, key: context.idempotencyKey))
    /// }
    /// ```
    ///
    /// It runs in a task of its own, which is cancelled when the effect is. `return nil` ends the effect without an
    /// event. An error that the closure throws ends the attempt:
    ///
    /// - ``EffectFailed`` gives the reason, and whether and when another attempt may succeed.
    /// - `CancellationError`, once the effect was cancelled, ends it without an event.
    /// - Any other error is a retryable failure. Its type and description become the reason, up to 1,024 bytes; for
    ///   `DecodingError` and `EncodingError`, which hold values, type and coding path.
    ///
    /// The route in the coordinator that sent the effect decides what follows a failure: another attempt after a pause,
    /// or the event of its `onFailure`. An event that is returned after a cancellation is still reported; the
    /// coordinator drops it if it gave the effect up.
    ///
    /// In a loop without a runtime, whose effect handler is the router itself, nothing can retry an effect: an error
    /// other than the end of a cancelled effect stops the program with a message, see `MobiusHooks`. The context's id
    /// is then made up, a new one for each effect.
    public func toWork(
        file: StaticString = #file, line: UInt = #line,
        _ work: @escaping @Sendable (EffectParameters, EffectContext) async throws -> Event?
    ) -> EffectRouter<Effect, Event> {
        toTask { parameters, callback in
            await Work.perform(callback, file: file, line: line) { try await work(parameters, $0) }
        }
    }

    /// Routes to an async closure that receives the effect's context, may throw, and sends any number of events.
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
    /// `send` may be called from any thread until the closure has returned. Events arrive in the order in which they
    /// were sent. Each is applied at once, even if the attempt fails later; the next attempt begins from the start, so
    /// its events may repeat earlier ones.
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
