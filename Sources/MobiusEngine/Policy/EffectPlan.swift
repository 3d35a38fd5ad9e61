public import MobiusWire

/// How one effect is carried out: what its route says, without the route's closures.
public struct EffectPlan: Equatable, Sendable {
    /// Who carries it out.
    public enum Destination: Hashable, Sendable {
        /// A handler in the coordinating process.
        case local
        /// Any worker of this pool.
        case pool(String)
        /// The coordinator itself, which keeps the time.
        indirect case timer(TimerSchedule)
        /// The coordinator itself, which ends other effects.
        case cancel
    }

    // Shared by all effects of a route: a plan is larger than most effects.
    private var words: Words

    /// Describes a plan.
    public init(destination: Destination, policy: EffectPolicy, affinity: String? = nil) {
        self.init(destination: destination, sharing: SharedPolicy(policy), affinity: affinity)
    }

    /// Describes a plan with the policy that says nothing special.
    public init(destination: Destination) {
        self.init(destination: destination, sharing: .default)
    }

    package init(destination: Destination, sharing policy: SharedPolicy, affinity: String? = nil) {
        words = Words(destination: destination, policy: policy, affinity: affinity)
    }

    /// Who carries it out.
    public var destination: Destination {
        _read { yield words.destination }
        set { words = Words(destination: newValue, policy: words.policy, affinity: words.affinity) }
    }

    /// How it is carried out, when workers do.
    public var policy: EffectPolicy { words.policy.policy }
    // What is asked for each effect: through the policy, all of that would be copied.
    var delivery: EffectPolicy.Delivery { words.policy.policy.delivery }
    var timeouts: EffectTimeouts { words.policy.policy.timeouts }
    var priority: Int { words.policy.policy.priority }
    var limit: EffectLimit? { words.policy.policy.limit }
    var hasLimit: Bool { words.policy.hasLimit }
    /// Whether the lane that its effects wait in follows from their priority alone.
    var waitsByPriority: Bool { !words.policy.hasLimit && words.affinity == nil }

    /// Effects with equal keys go to one worker while the pool's workers stay the same; `nil` for any worker.
    public var affinity: String? {
        get { words.affinity }
        set { words = Words(destination: words.destination, policy: words.policy, affinity: newValue) }
    }

    /// What a plan says, once for all that say the same.
    private final class Words: Sendable {
        let destination: Destination
        let policy: SharedPolicy
        let affinity: String?

        init(destination: Destination, policy: SharedPolicy, affinity: String?) {
            self.destination = destination
            self.policy = policy
            self.affinity = affinity
        }
    }

    /// Whether they say the same.
    public static func == (one: EffectPlan, other: EffectPlan) -> Bool {
        one.words === other.words
            || one.destination == other.destination && one.policy == other.policy && one.affinity == other.affinity
    }
}

/// A policy that many plans share.
package final class SharedPolicy: Equatable, Sendable {
    static let `default` = SharedPolicy(EffectPolicy())

    package let policy: EffectPolicy
    /// Whether it has a limit: of one without, nothing need be counted.
    let hasLimit: Bool

    package init(_ policy: EffectPolicy) {
        self.policy = policy
        hasLimit = policy.limit != nil
    }

    package static func == (one: SharedPolicy, other: SharedPolicy) -> Bool {
        one === other || one.policy == other.policy
    }
}

/// An effect that `update` asked for, with its plan.
public struct PlannedEffect: Equatable, Sendable {
    /// What to do, as bytes.
    public var effect: Payload
    /// How.
    public var plan: EffectPlan

    /// Joins an effect and its plan.
    public init(effect: Payload, plan: EffectPlan) {
        self.effect = effect
        self.plan = plan
    }
}

/// Why an effect failed for good; the route's `onFailure` makes an event of it.
public enum EffectFailure: Hashable, Sendable, CustomStringConvertible {
    /// It ran out of time, on the worker of this name if an attempt was running.
    ///
    /// A worker without a name is called by its incarnation.
    case timedOut(EffectTimeout, worker: String? = nil)
    /// Every attempt lost its worker; so many were made.
    case workerLost(attempts: Int)
    /// A handler gave up, or the retries of one that could be repeated are used up.
    case failed(reason: String)
    /// An effect that must run at most once was given to a worker that was lost, or ran out of time: it may have
    /// happened or not.
    case outcomeUnknown

    /// A sentence for people.
    public var description: String {
        switch self {
        case .timedOut(let timeout, let worker): timeout.rawValue + (worker.map { " on worker \($0)" } ?? "")
        case .workerLost(let attempts): "the worker was lost in each of \(attempts) attempts"
        case .failed(let reason): reason
        case .outcomeUnknown: "the worker was lost, and whether it was done is unknown"
        }
    }
}
