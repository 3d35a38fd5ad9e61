public import MobiusCore
public import MobiusEngine

extension EffectAction {
    /// Sends the effect to the workers of a pool, in an exhaustive router: see
    /// ``MobiusCore/_PartialEffectRouter/toWorkers(_:timeout:attempts:onFailure:)``.
    public static func toWorkers(
        _ pool: String, timeout: Duration? = .seconds(60), attempts: Int = 5,
        onFailure: @escaping @Sendable (EffectFailure) -> Event
    ) -> EffectAction {
        toRemote(policy: EffectPlan(pool: pool, timeout: timeout, attempts: attempts)) { failure in
            onFailure(.of(failure))
        }
    }
}
