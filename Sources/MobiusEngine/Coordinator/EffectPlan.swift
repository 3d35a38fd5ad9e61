public import MobiusWire

/// How an effect is carried out: what its route says, without the route's closures.
public struct EffectPlan: Equatable, Sendable {
    /// Who runs it.
    public enum Destination: Hashable, Sendable {
        /// A handler in the coordinating process.
        case local
        /// Any worker of this pool.
        case pool(String)
    }

    /// Who runs it.
    public var destination: Destination
    /// How long one attempt may take from its dispatch to its end; `nil` for no limit.
    public var timeout: Duration?
    /// After how many lost workers or retryable failures the effect has failed, at least 1.
    public var maximumAttempts: Int

    /// Describes a plan.
    public init(destination: Destination, timeout: Duration? = nil, maximumAttempts: Int = 5) {
        self.destination = destination
        self.timeout = timeout
        self.maximumAttempts = max(1, maximumAttempts)
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
    /// Its attempt took longer than the route's timeout.
    case timedOut
    /// Every attempt lost its worker; so many were made.
    case workerLost(attempts: Int)
    /// A handler gave up, or the retries of one that could be repeated are used up.
    case failed(reason: String)

    /// A sentence for people.
    public var description: String {
        switch self {
        case .timedOut: "the handler did not answer in time"
        case .workerLost(let attempts): "the worker was lost in each of \(attempts) attempts"
        case .failed(let reason): reason
        }
    }
}
