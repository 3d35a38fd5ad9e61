public import MobiusCore
public import MobiusEngine

extension _PartialEffectRouter {
    /// Routes effects to the workers of a pool.
    ///
    /// In a ``Coordinator`` the effect is sent once the event that asked for it is on disk; in a ``WorkerPool``, which
    /// has no journal, at once. It runs at least once: when its worker is lost, it goes to another one under the same
    /// ``MobiusWire/EffectID``. What the worker's handler answers comes back as events.
    ///
    /// - Parameters:
    ///   - pool: The name under which workers serve it, 1…255 bytes of UTF-8.
    ///   - timeout: How long an attempt may take from its dispatch to its end; `nil` for no limit. An attempt that
    ///     takes longer is cancelled and the effect has failed.
    ///   - attempts: After how many lost workers or retryable failures the effect has failed, at least 1.
    ///   - onFailure: The event of an effect that failed for good. It must be pure: it is called once, in the
    ///     coordinating process, and a coordinator writes its event to the journal.
    public func toWorkers(
        _ pool: String, timeout: Duration? = .seconds(60), attempts: Int = 5,
        onFailure: @escaping @Sendable (EffectParameters, EffectFailure) -> Event
    ) -> EffectRouter<Effect, Event> {
        toRemote(policy: EffectPlan(pool: pool, timeout: timeout, attempts: attempts)) { parameters, failure in
            onFailure(parameters, .of(failure))
        }
    }
}

extension EffectPlan {
    /// The plan of a route to workers.
    init(pool: String, timeout: Duration?, attempts: Int) {
        precondition(
            (1...255).contains(pool.utf8.count), "The name of a pool has 1 to 255 bytes: \"\(pool)\" has not.")
        self.init(destination: .pool(pool), timeout: timeout, maximumAttempts: attempts)
    }
}

extension EffectFailure {
    /// The failure that a coordinator or a pool tells a route of.
    static func of(_ failure: any Sendable) -> EffectFailure {
        guard let failure = failure as? EffectFailure else {
            preconditionFailure("A route to workers hears of failures as EffectFailure.")
        }
        return failure
    }
}
