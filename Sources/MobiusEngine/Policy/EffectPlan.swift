public import MobiusWire

/// The plan of one effect: its route's settings, without the route's closures.
public struct EffectPlan: Equatable, Sendable {
    /// The destination of an effect.
    public enum Destination: Hashable, Sendable {
        /// A handler in the coordinating process.
        case local
        /// Any worker of this pool.
        case pool(String)
        /// The coordinator's timers.
        indirect case timer(TimerSchedule)
        /// The coordinator, which cancels other effects.
        case cancel
        /// The sender of the event: the effect ends with the event's commit, and never runs.
        indirect case sender(SenderReply)
        /// Another loop of the coordinator, or the same one, for which the effect is an event.
        case loop(LoopID)
        /// The same, but what that loop tells the sender of the event comes back as an event, with which the effect ends.
        case ask(LoopID)
        /// Another loop, once this one has ended: until then the effect does nothing. That loop gets an event or, if it `ends`, ends, too;
        /// none begins for it.
        case atEnd(LoopID, ends: Bool)
        /// The coordinator, which ends the loop.
        case endLoop(mayBeginAgain: Bool)
    }

    // Shared by all effects of a route, because a plan is larger than most effects.
    private var words: Words

    /// Describes a plan.
    public init(destination: Destination, policy: EffectPolicy, affinity: String? = nil, key: String? = nil) {
        self.init(destination: destination, sharing: SharedPolicy(policy), affinity: affinity, key: key)
    }

    /// Describes a plan with the default policy.
    public init(destination: Destination) {
        self.init(destination: destination, sharing: .default)
    }

    package init(
        destination: Destination, sharing policy: SharedPolicy, affinity: String? = nil, key: String? = nil
    ) {
        words = Words(
            destination: destination, policy: policy, affinity: affinity, key: key.map { ExactText($0) })
    }

    /// The destination of the effect.
    public var destination: Destination {
        _read { yield words.destination }
        set {
            words = Words(destination: newValue, policy: words.policy, affinity: words.affinity, key: words.key)
        }
    }

    /// Its policy, for workers.
    public var policy: EffectPolicy { words.policy.policy }
    // Read for each effect: access through the policy would copy all of it.
    var delivery: EffectPolicy.Delivery { words.policy.policy.delivery }
    var timeouts: EffectTimeouts { words.policy.policy.timeouts }
    /// Whether it has a time-out that counts from its event.
    var hasSchedule: Bool { words.policy.hasSchedule }
    /// The time-outs of an attempt in nanoseconds: a `Duration` has 128 bits, and is divided for each use.
    var attemptTime: Int64? { words.policy.attemptTime }
    var progressTime: Int64? { words.policy.progressTime }
    var priority: Int { words.policy.policy.priority }
    var limit: EffectLimit? { words.policy.policy.limit }
    var hasLimit: Bool { words.policy.hasLimit }
    /// The loop for which the effect is an event, or its end.
    package var recipient: LoopID? {
        switch words.destination {
        case .loop(let loop), .ask(let loop), .atEnd(let loop, _): loop
        case .local, .pool, .timer, .cancel, .sender, .endLoop: nil
        }
    }
    /// Whether that loop's answer comes back.
    package var asks: Bool { if case .ask = words.destination { true } else { false } }
    /// Whether it waits for the end of its loop.
    package var waitsForEnd: Bool { if case .atEnd = words.destination { true } else { false } }
    /// The way in which it reaches its recipient.
    package var errand: LoopErrand {
        switch words.destination {
        case .ask: .question
        case .atEnd(_, ends: false): .eventAtEnd
        case .atEnd(_, ends: true): .end
        default: .event
        }
    }
    /// Whether it is for the sender of its event.
    package var isForSender: Bool { words.isForSender }
    /// Whether its effects have neither limit, affinity nor key: their lane depends on their priority only.
    var isPlain: Bool { !words.policy.hasLimit && words.affinity == nil && words.key == nil }

    /// Effects with equal keys go to the same worker while the pool's workers stay the same; `nil` for any worker.
    public var affinity: String? {
        get { words.affinity }
        set {
            words = Words(destination: words.destination, policy: words.policy, affinity: newValue, key: words.key)
        }
    }

    /// Effects of one pool are shared out fairly between keys, and ``EffectPolicy/limitPerKey`` applies to each key by
    /// itself; `nil` for none: all such effects count as those of one key.
    public var key: String? { words.key?.text }
    var exactKey: ExactText? { words.key }
    /// The limit of its key, and the name under which that is counted.
    var keyedLimit: (name: KeyedLimit, limit: EffectLimit)? {
        guard let key = words.key, let limit = words.policy.policy.limitPerKey else { return nil }
        return (KeyedLimit(name: limit.name, key: key), limit)
    }

    /// The shared contents of equal plans.
    private final class Words: Sendable {
        let destination: Destination
        let policy: SharedPolicy
        let affinity: String?
        let key: ExactText?
        /// Read for each effect.
        let isForSender: Bool

        init(destination: Destination, policy: SharedPolicy, affinity: String?, key: ExactText?) {
            self.destination = destination
            self.policy = policy
            self.affinity = affinity
            self.key = key
            isForSender = if case .sender = destination { true } else { false }
        }
    }

    /// Whether both plans are equal.
    public static func == (one: EffectPlan, other: EffectPlan) -> Bool {
        one.words === other.words
            || one.destination == other.destination && one.policy == other.policy && one.affinity == other.affinity
                && one.exactKey == other.exactKey
    }
}

/// What an effect is for another loop.
package enum LoopErrand: Equatable, Sendable {
    /// An event, with which the loop may begin.
    case event
    /// The same, whose answer comes back.
    case question
    /// An event that the sender left for its own end; no loop begins with it.
    case eventAtEnd
    /// The loop's end, which the sender left for its own.
    case end

    /// Whether a loop that does not exist may begin.
    package var begins: Bool { self == .event || self == .question }

    /// The reason for an ``end``, for the history of the loop that ends.
    package static func whyItEnds(with loop: LoopID) -> String {
        "the loop \(loop) has ended, and takes this one along"
    }
}

/// A policy that many plans share.
package final class SharedPolicy: Equatable, Sendable {
    static let `default` = SharedPolicy(EffectPolicy())

    package let policy: EffectPolicy
    /// Whether it has a limit; without one, nothing is counted.
    let hasLimit: Bool
    let hasSchedule: Bool
    let attemptTime: Int64?
    let progressTime: Int64?

    package init(_ policy: EffectPolicy) {
        self.policy = policy
        let timeouts = policy.timeouts
        hasSchedule = timeouts.scheduleToStart != nil || timeouts.scheduleToClose != nil
        attemptTime = timeouts.startToClose?.saturatedNanoseconds
        progressTime = timeouts.progress?.saturatedNanoseconds
        hasLimit = policy.limit != nil || policy.limitPerKey != nil
    }

    package static func == (one: SharedPolicy, other: SharedPolicy) -> Bool {
        one === other || one.policy == other.policy
    }
}

/// An effect that `update` asked for, with its plan.
public struct PlannedEffect: Equatable, Sendable {
    /// The effect's payload.
    public var effect: Payload
    /// How.
    public var plan: EffectPlan

    /// Joins an effect and its plan.
    public init(effect: Payload, plan: EffectPlan) {
        self.effect = effect
        self.plan = plan
    }
}

/// The reason why an effect failed for good; the route's `onFailure` turns it into an event.
public enum EffectFailure: Hashable, Sendable, CustomStringConvertible {
    /// It ran out of time, on the worker of this name if an attempt was running.
    ///
    /// A worker without a name is identified by its incarnation.
    case timedOut(EffectTimeout, worker: String? = nil)
    /// The worker was lost in each attempt; the number of attempts.
    case workerLost(attempts: Int)
    /// A handler failed for good, or the retries are used up.
    case failed(reason: String)
    /// An effect that must run at most once was given to a worker that was lost, or ran out of time: the work may or
    /// may not have been done.
    case outcomeUnknown

    /// A message for people.
    public var description: String {
        switch self {
        case .timedOut(let timeout, let worker): timeout.rawValue + (worker.map { " on worker \($0)" } ?? "")
        case .workerLost(let attempts): "the worker was lost in each of \(attempts) attempts"
        case .failed(let reason): reason
        case .outcomeUnknown: "the worker was lost, and whether it was done is unknown"
        }
    }
}
