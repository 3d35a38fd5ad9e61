public import MobiusCore

extension EffectAction {
    /// Runs an async closure that receives the effect's context, may throw, and returns one event or none: see
    /// `_PartialEffectRouter.toWork`.
    public static func toWork(
        file: StaticString = #file, line: UInt = #line,
        _ work: @escaping @Sendable (EffectContext) async throws -> Event?
    ) -> EffectAction {
        toTask { callback in await Work.perform(callback, file: file, line: line, work) }
    }

    /// Runs an async closure that receives the effect's context, may throw, and sends any number of events: see
    /// `_PartialEffectRouter.toWork`.
    public static func toWork(
        file: StaticString = #file, line: UInt = #line,
        _ work:
            @escaping @Sendable (EffectContext, _ send: @escaping @Sendable (Event) -> Void) async throws -> Void
    ) -> EffectAction {
        toTask { callback in
            await Work.perform(callback, file: file, line: line) { context -> Event? in
                try await work(context) { callback.send($0) }
                return nil
            }
        }
    }
}
