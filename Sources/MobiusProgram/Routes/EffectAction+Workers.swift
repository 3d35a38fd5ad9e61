public import MobiusCore
public import MobiusEngine

extension EffectAction {
    /// Sends the effect to the workers of a pool, in an exhaustive router: see
    /// ``MobiusCore/_PartialEffectRouter/toWorkers(_:timeout:attempts:onFailure:)``.
    public static func toWorkers(
        _ pool: String, timeout: Duration? = .seconds(60), attempts: Int = 5,
        onFailure: @escaping @Sendable (EffectFailure) -> Event
    ) -> EffectAction {
        toWorkers(pool, policy: .simple(timeout: timeout, attempts: attempts), onFailure: onFailure)
    }

    /// Sends the effect to the workers of a pool, in an exhaustive router: see
    /// ``MobiusCore/_PartialEffectRouter/toWorkers(_:policy:affinity:key:onFailure:)``.
    public static func toWorkers(
        _ pool: String, policy: EffectPolicy, affinity: String? = nil, key: String? = nil,
        onFailure: @escaping @Sendable (EffectFailure) -> Event
    ) -> EffectAction {
        EffectPlan.requireName(ofPool: pool)
        EffectPlan.requireKey(for: policy, isGiven: key != nil)
        let plan = EffectPlan(destination: .pool(pool), policy: policy, affinity: affinity, key: key)
        return toRemote(policy: plan) { news in EffectFailure(news).map(onFailure) }
    }

    /// Answers with an event at the timer's time, in an exhaustive router: see
    /// ``MobiusCore/_PartialEffectRouter/toTimer(_:onFire:)-(TimerSchedule,_)``.
    public static func toTimer(_ schedule: TimerSchedule, onFire: @escaping @Sendable () -> Event) -> EffectAction {
        toRemote(policy: EffectPlan(destination: .timer(schedule))) { news in news is TimerFired ? onFire() : nil }
    }
}
