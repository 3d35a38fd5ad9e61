/// How the effects of a route are carried out in other processes: everything but where.
///
/// Every default is what a route without a policy does.
public struct EffectPolicy: Hashable, Sendable {
    /// What may happen to an effect whose worker is lost in the middle.
    public enum Delivery: Hashable, Sendable {
        /// It runs again, under the same idempotency key.
        case atLeastOnce
        /// It does not run again: it fails with ``EffectFailure/outcomeUnknown``.
        ///
        /// Each effect costs one more commit, which must be on disk before its order leaves.
        case atMostOnce
    }

    /// What may happen when a worker is lost in the middle.
    public var delivery: Delivery
    /// How long its parts may take.
    public var timeouts: EffectTimeouts
    /// What happens after a failure that may pass.
    public var retry: RetryPolicy
    /// Of the effects that wait in a pool, those of the highest priority go first; 0 unless said otherwise.
    public var priority: Int
    /// What it shares with the effects of other routes; `nil` for no limit but the workers' own.
    public var limit: EffectLimit?
    /// Whether an effect that fails for good is kept as a dead letter, for operators to look at and to try again.
    public var keepsDeadLetters: Bool

    /// Describes a policy.
    public init(
        delivery: Delivery = .atLeastOnce, timeouts: EffectTimeouts = EffectTimeouts(),
        retry: RetryPolicy = RetryPolicy(), priority: Int = 0, limit: EffectLimit? = nil,
        keepsDeadLetters: Bool = true
    ) {
        self.delivery = delivery
        self.timeouts = timeouts
        self.retry = retry
        self.priority = priority
        self.limit = limit
        self.keepsDeadLetters = keepsDeadLetters
    }
}

/// How long the parts of an effect's life may take; `nil` for no limit.
///
/// They are counted by the coordinator, from the commit of the event that asked for the effect, over its restarts. An
/// attempt that runs out of time is cancelled at its worker.
public struct EffectTimeouts: Hashable, Sendable {
    /// From the commit to the first attempt's dispatch; its end ends the effect.
    public var scheduleToStart: Duration?
    /// From an attempt's dispatch to its end; see ``RetryPolicy/onTimeout``.
    public var startToClose: Duration?
    /// From the commit to the effect's end, all attempts and pauses together; its end ends the effect.
    public var scheduleToClose: Duration?
    /// From one sign of progress of a running handler to the next; see ``RetryPolicy/onTimeout``.
    ///
    /// It is noticed up to a heartbeat (1 s) late, because that brings the news.
    public var progress: Duration?

    /// Describes time-outs; without arguments, an attempt may take a minute.
    public init(
        scheduleToStart: Duration? = nil, startToClose: Duration? = .seconds(60), scheduleToClose: Duration? = nil,
        progress: Duration? = nil
    ) {
        self.scheduleToStart = scheduleToStart
        self.startToClose = startToClose
        self.scheduleToClose = scheduleToClose
        self.progress = progress
    }
}

/// What ran out of time.
public enum EffectTimeout: String, Hashable, Sendable, CaseIterable {
    /// No worker took the effect in time.
    case scheduleToStart = "no worker took it in time"
    /// An attempt took too long.
    case startToClose = "the handler did not answer in time"
    /// The effect took too long, all attempts together.
    case scheduleToClose = "it was not done in time"
    /// A running handler reported no progress for too long.
    case progress = "the handler reported no progress in time"
}

/// When and how often an effect is tried again.
///
/// Failures are counted in the journal, so neither a coordinator's restart nor a worker's death makes them forgotten.
public struct RetryPolicy: Hashable, Sendable {
    /// After how many failed attempts the effect has failed, at least 1; lost workers count.
    public var attempts: Int
    /// The pause after the first failure.
    public var initial: Duration
    /// How much longer each further pause is, at least 1.
    public var factor: Double
    /// The longest pause.
    public var maximum: Duration
    /// The longest pause that a handler may name; a longer one is cut: a day.
    public var longestNamed = Duration.seconds(86_400)
    /// Which part of a pause is left to chance, 0…1, so that what failed together does not come back together.
    public var jitter: Double
    /// Whether an attempt that ran out of time is followed by another one; otherwise its effect has failed.
    public var onTimeout: Bool

    /// Describes retries; without arguments, five attempts with pauses of 1, 2, 4 and 8 s, less up to a fifth.
    ///
    /// A worker that is lost is no reason to wait: its effects go to others at once.
    public init(
        attempts: Int = 5, initial: Duration = .seconds(1), factor: Double = 2, maximum: Duration = .seconds(60),
        jitter: Double = 0.2, onTimeout: Bool = false
    ) {
        self.attempts = max(1, attempts)
        self.initial = max(.zero, initial)
        self.factor = factor.isFinite ? max(1, factor) : 1
        self.maximum = max(.zero, maximum)
        self.jitter = jitter.isFinite ? min(1, max(0, jitter)) : 0
        self.onTimeout = onTimeout
    }

    /// One attempt, no matter how it ends.
    public static let never = RetryPolicy(attempts: 1)

    /// The pause after so many failures, at least 1; `chance` is drawn from 0…1.
    package func pause(afterFailures failures: Int, chance: Double) -> Duration {
        guard initial > .zero else { return .zero }
        var power = 1.0
        var square = factor
        var exponent = max(0, failures - 1)
        while exponent > 0 {
            if exponent & 1 == 1 { power *= square }
            square *= square
            exponent >>= 1
        }
        // A million years is enough for everybody, and fits into milliseconds.
        let pause = min(Self.seconds(initial) * power, Self.seconds(maximum), 3e13)
        return .milliseconds(Int64((pause * (1 - jitter * chance) * 1000).rounded()))
    }

    private static func seconds(_ duration: Duration) -> Double {
        let (seconds, attoseconds) = duration.components
        return Double(seconds) + Double(attoseconds) / 1e18
    }
}

/// A limit that the effects of one route keep, or of several that name the same one.
///
/// It holds over all workers. What it holds back holds back nothing else.
public struct EffectLimit: Hashable, Sendable {
    /// So many dispatches in so much time, a token bucket: after a quiet while, all of them may come at once.
    public struct Rate: Hashable, Sendable {
        /// How many, at least 1.
        public var count: Int
        /// In how much time, more than none.
        public var time: Duration

        /// Describes a rate.
        public init(_ count: Int, per time: Duration) {
            precondition(
                count >= 1 && time > .zero,
                "A rate is at least one effect in some time: write Rate(10, per: .seconds(1)).")
            self.count = count
            self.time = time
        }
    }

    /// The name under which routes share it.
    public var name: String
    /// How many may run at once; `nil` for any number.
    public var concurrency: Int?
    /// How many attempts may begin in a time; `nil` for any number.
    public var rate: Rate?

    /// Describes a limit; routes that share a name should say the same of it, for the newest word counts.
    public init(_ name: String, concurrency: Int? = nil, rate: Rate? = nil) {
        precondition(concurrency ?? 1 >= 1, "A limit of less than one effect at a time would stop them all.")
        self.name = name
        self.concurrency = concurrency
        self.rate = rate
    }
}
