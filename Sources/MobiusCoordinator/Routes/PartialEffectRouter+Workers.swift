public import MobiusCore
public import MobiusEngine

extension _PartialEffectRouter {
    /// Routes effects to the workers of a pool.
    ///
    /// The effect is sent once the event that asked for it is on disk. It runs at least once: when its worker is lost, it
    /// goes to another one under the same ``MobiusWire/EffectID``. What the worker's handler answers comes back as events.
    ///
    /// - Parameters:
    ///   - pool: The name under which workers serve it, 1…255 bytes of UTF-8.
    ///   - timeout: How long an attempt may take from its dispatch to its end; `nil` for no limit. An attempt that
    ///     takes longer is cancelled and the effect has failed.
    ///   - attempts: After how many lost workers or retryable failures the effect has failed, at least 1.
    ///   - onFailure: The event of an effect that failed for good. It must be pure: it is called once, in the
    ///     coordinator, and its event is journaled.
    public func toWorkers(
        _ pool: String, timeout: Duration? = .seconds(60), attempts: Int = 5,
        onFailure: @escaping @Sendable (EffectParameters, EffectFailure) -> Event
    ) -> EffectRouter<Effect, Event> {
        precondition(
            (1...255).contains(pool.utf8.count), "The name of a pool has 1 to 255 bytes: \"\(pool)\" has not.")
        let plan = EffectPlan(destination: .pool(pool), timeout: timeout, maximumAttempts: attempts)
        return toRemote(policy: plan) { parameters, failure in
            guard let failure = failure as? EffectFailure else {
                preconditionFailure("A route to workers hears of failures as EffectFailure.")
            }
            return onFailure(parameters, failure)
        }
    }
}
