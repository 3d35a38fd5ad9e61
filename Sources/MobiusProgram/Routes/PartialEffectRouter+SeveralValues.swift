public import MobiusCore
public import MobiusEngine

// Cases with two or three values: the closure takes them apart, so that each has a name of its own. Swift drops the
// labels of a case's values when the case is given to `routeCase`, so a tuple would have only numbers.
extension _PartialEffectRouter {
    /// Routes effects with two values to the workers of a pool: see ``toWorkers(_:timeout:attempts:onFailure:)``.
    ///
    /// - Parameters:
    ///   - pool: The name of the pool, 1…255 bytes of UTF-8.
    ///   - timeout: The time that an attempt may take; `nil` for no limit.
    ///   - attempts: The number of attempts, at least 1.
    ///   - onFailure: The event of an effect that failed for good, from its two values and the failure; it must be pure.
    public func toWorkers<First, Second>(
        _ pool: String, timeout: Duration? = .seconds(60), attempts: Int = 5,
        onFailure: @escaping @Sendable (First, Second, EffectFailure) -> Event
    ) -> EffectRouter<Effect, Event> where EffectParameters == (First, Second) {
        toWorkers(pool, policy: .simple(timeout: timeout, attempts: attempts), onFailure: onFailure)
    }

    /// Routes effects with two values to the workers of a pool: see ``toWorkers(_:policy:affinity:onFailure:)``.
    ///
    /// - Parameters:
    ///   - pool: The name of the pool, 1…255 bytes of UTF-8.
    ///   - policy: Time-outs, retries, delivery, priority and limits.
    ///   - affinity: A key of the two values: effects with equal keys go to the same worker; it must be pure.
    ///   - onFailure: The event of an effect that failed for good, from its two values and the failure; it must be pure.
    public func toWorkers<First, Second>(
        _ pool: String, policy: EffectPolicy, affinity: (@Sendable (First, Second) -> String)? = nil,
        onFailure: @escaping @Sendable (First, Second, EffectFailure) -> Event
    ) -> EffectRouter<Effect, Event> where EffectParameters == (First, Second) {
        let key = affinity.map { key in { @Sendable (values: (First, Second)) in key(values.0, values.1) } }
        return toWorkers(pool, policy: policy, affinity: key) { (values: (First, Second), failure: EffectFailure) in
            onFailure(values.0, values.1, failure)
        }
    }

    /// Routes effects with three values to the workers of a pool: see ``toWorkers(_:timeout:attempts:onFailure:)``.
    ///
    /// - Parameters:
    ///   - pool: The name of the pool, 1…255 bytes of UTF-8.
    ///   - timeout: The time that an attempt may take; `nil` for no limit.
    ///   - attempts: The number of attempts, at least 1.
    ///   - onFailure: The event of an effect that failed for good, from its values and the failure; it must be pure.
    public func toWorkers<First, Second, Third>(
        _ pool: String, timeout: Duration? = .seconds(60), attempts: Int = 5,
        onFailure: @escaping @Sendable (First, Second, Third, EffectFailure) -> Event
    ) -> EffectRouter<Effect, Event> where EffectParameters == (First, Second, Third) {
        toWorkers(pool, policy: .simple(timeout: timeout, attempts: attempts), onFailure: onFailure)
    }

    /// Routes effects with three values to the workers of a pool: see ``toWorkers(_:policy:affinity:onFailure:)``.
    ///
    /// - Parameters:
    ///   - pool: The name of the pool, 1…255 bytes of UTF-8.
    ///   - policy: Time-outs, retries, delivery, priority and limits.
    ///   - affinity: A key of the three values: effects with equal keys go to the same worker; it must be pure.
    ///   - onFailure: The event of an effect that failed for good, from its values and the failure; it must be pure.
    public func toWorkers<First, Second, Third>(
        _ pool: String, policy: EffectPolicy, affinity: (@Sendable (First, Second, Third) -> String)? = nil,
        onFailure: @escaping @Sendable (First, Second, Third, EffectFailure) -> Event
    ) -> EffectRouter<Effect, Event> where EffectParameters == (First, Second, Third) {
        let key = affinity.map { key in
            { @Sendable (values: (First, Second, Third)) in key(values.0, values.1, values.2) }
        }
        return toWorkers(pool, policy: policy, affinity: key) {
            (values: (First, Second, Third), failure: EffectFailure) in
            onFailure(values.0, values.1, values.2, failure)
        }
    }
}
