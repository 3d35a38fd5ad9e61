public import MobiusCore
public import MobiusEngine

extension _PartialEffectRouter {
    /// Routes effects to the workers of a pool, with a time-out and a number of attempts.
    ///
    /// In a coordinator the effect is sent once the event that asked for it is on disk; in a worker pool, which has no
    /// journal, at once. It runs at least once: when its worker is lost, it goes to another one under the same
    /// ``MobiusWire/EffectID``. The handler's answers come back as events.
    ///
    /// - Parameters:
    ///   - pool: The name of the pool, 1…255 bytes of UTF-8.
    ///   - timeout: The time that an attempt may take from its dispatch to its end; `nil` for no limit. An attempt that
    ///     takes longer is cancelled and the effect has failed.
    ///   - attempts: The number of lost workers or retryable failures after which the effect has failed, at least 1.
    ///   - onFailure: The event of an effect that failed for good. It must be pure: it is called in the coordinating
    ///     process, and a coordinator writes its event to the journal.
    public func toWorkers(
        _ pool: String, timeout: Duration? = .seconds(60), attempts: Int = 5,
        onFailure: @escaping @Sendable (EffectParameters, EffectFailure) -> Event
    ) -> EffectRouter<Effect, Event> {
        toWorkers(pool, policy: .simple(timeout: timeout, attempts: attempts), onFailure: onFailure)
    }

    /// A route to workers without its closure, so that the compiler says what is missing.
    @available(*, unavailable, message: "add the event of a failure: .toWorkers(…) { parameters, failure in … }")
    public func toWorkers(
        _ pool: String, timeout: Duration? = .seconds(60), attempts: Int = 5
    ) -> EffectRouter<Effect, Event> {
        preconditionFailure("A route to workers needs the event of a failure.")
    }

    /// Routes effects to the workers of a pool, with a full policy.
    ///
    /// - Parameters:
    ///   - pool: The name of the pool, 1…255 bytes of UTF-8.
    ///   - policy: Time-outs, retries, delivery, priority and limits.
    ///   - affinity: A key of the effect: effects with equal keys go to the same worker, which can cache data for them,
    ///     while the set of the pool's workers stays the same. They wait when that worker is full. It must be pure.
    ///   - key: Whom the effect is for, such as a tenant: a pool's effects are shared out fairly between keys, however
    ///     many effects of one wait, and the policy's ``MobiusEngine/EffectPolicy/limitPerKey`` applies to each key by
    ///     itself. Effects without a key count as those of one key. It must be pure.
    ///   - onFailure: The event of an effect that failed for good. It must be pure: it is called in the coordinating
    ///     process, and a coordinator writes its event to the journal.
    public func toWorkers(
        _ pool: String, policy: EffectPolicy, affinity: (@Sendable (EffectParameters) -> String)? = nil,
        key: (@Sendable (EffectParameters) -> String)? = nil,
        onFailure: @escaping @Sendable (EffectParameters, EffectFailure) -> Event
    ) -> EffectRouter<Effect, Event> {
        EffectPlan.requireName(ofPool: pool)
        EffectPlan.requireKey(for: policy, isGiven: key != nil)
        let policy = SharedPolicy(policy)
        let answer: @Sendable (EffectParameters, any Sendable) -> Event? = { parameters, news in
            EffectFailure(news).map { onFailure(parameters, $0) }
        }
        guard affinity != nil || key != nil else {
            return toRemote(fixed: EffectPlan(destination: .pool(pool), sharing: policy), answer: answer)
        }
        return toRemote(
            policy: { parameters in
                EffectPlan(
                    destination: .pool(pool), sharing: policy, affinity: affinity?(parameters), key: key?(parameters))
            }, answer: answer)
    }
}

extension EffectPolicy {
    /// The policy of a route with only these settings.
    static func simple(timeout: Duration?, attempts: Int) -> EffectPolicy {
        EffectPolicy(timeouts: EffectTimeouts(startToClose: timeout), retry: RetryPolicy(attempts: attempts))
    }
}

extension EffectPlan {
    static func requireName(ofPool pool: String) {
        precondition(
            (1...255).contains(pool.utf8.count), "The name of a pool has 1 to 255 bytes: \"\(pool)\" has not.")
    }

    static func requireKey(for policy: EffectPolicy, isGiven: Bool) {
        precondition(
            isGiven || policy.limitPerKey == nil,
            "A limit per key needs a key: add key: to the route, or set limit instead of limitPerKey.")
    }
}
