/// The policy by which the effects of a route run in other processes.
///
/// ```swift
/// .routeCase(Purchase.Effect.charge).toWorkers(
///     "payments",
///     policy: EffectPolicy(
///         timeouts: EffectTimeouts(startToClose: .seconds(30)), retry: RetryPolicy(attempts: 3),
///         limit: EffectLimit("payment-api", concurrency: 10))
/// ) { item, failure in .refused(item, failure.description) }
/// ```
/// A route without a policy has all defaults.
public struct EffectPolicy: Hashable, Sendable {
    /// The handling of an effect whose worker is lost during an attempt.
    public enum Delivery: Hashable, Sendable {
        /// It runs again, under the same idempotency key.
        case atLeastOnce
        /// It does not run again: it fails with ``EffectFailure/outcomeUnknown``.
        ///
        /// Each effect costs one more commit, which must be on disk before the effect is sent.
        case atMostOnce
    }

    /// The handling of an effect whose worker is lost during an attempt.
    public var delivery: Delivery
    /// Its time-outs.
    public var timeouts: EffectTimeouts
    /// Retries after a failure.
    public var retry: RetryPolicy
    /// Of the effects that wait in a pool, those with the highest priority are dispatched first; 0 by default.
    public var priority: Int
    /// A limit, which routes can share; `nil` for none but the workers' concurrency.
    public var limit: EffectLimit?
    /// A limit that applies to each key of the route by itself; `nil` for none.
    ///
    /// It needs a route with a `key`. Its names are apart from those of ``limit``, and an effect needs room under both. It holds
    /// per shard: one with ``EffectLimit/Scope/cluster`` stops the program, because keys come and go without end.
    public var limitPerKey: EffectLimit? {
        didSet { Self.check(limitPerKey) }
    }
    /// Whether an effect that fails for good is kept as a dead letter, which operators can inspect and retry.
    public var keepsDeadLetters: Bool

    /// Describes a policy.
    public init(
        delivery: Delivery = .atLeastOnce, timeouts: EffectTimeouts = EffectTimeouts(),
        retry: RetryPolicy = RetryPolicy(), priority: Int = 0, limit: EffectLimit? = nil,
        limitPerKey: EffectLimit? = nil, keepsDeadLetters: Bool = true
    ) {
        self.delivery = delivery
        self.timeouts = timeouts
        self.retry = retry
        self.priority = priority
        self.limit = limit
        self.limitPerKey = limitPerKey
        self.keepsDeadLetters = keepsDeadLetters
        Self.check(limitPerKey)
    }

    private static func check(_ limitPerKey: EffectLimit?) {
        precondition(
            limitPerKey?.scope != .cluster,
            "A limit per key holds in each shard by itself: leave its scope at .shard, or use `limit`.")
    }
}

/// The time-outs of an effect; `nil` for no limit.
///
/// The coordinator measures them; those from the effect's event continue over restarts. An attempt that
/// times out is cancelled at its worker.
public struct EffectTimeouts: Hashable, Sendable {
    /// From the event to the first attempt's dispatch, its commit included; on expiry the effect fails.
    public var scheduleToStart: Duration?
    /// From an attempt's dispatch to its end; see ``RetryPolicy/onTimeout``.
    public var startToClose: Duration?
    /// From the event to the effect's end, with its commit, all attempts and pauses; on expiry the effect fails.
    public var scheduleToClose: Duration?
    /// From one report of progress of a running handler to the next; see ``RetryPolicy/onTimeout``.
    ///
    /// The expiry is detected up to a heartbeat (1 s) late, because progress is sent with heartbeats.
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

/// The time-out that expired.
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

/// The times at which an effect is retried, and their number.
///
/// Failures are counted in the journal, so the count survives a coordinator's restart and a worker's loss.
public struct RetryPolicy: Hashable, Sendable {
    /// The number of failed attempts after which the effect has failed, at least 1; lost workers count.
    public var attempts: Int
    /// The pause after the first failure.
    public var initial: Duration
    /// The factor of each further pause, at least 1.
    public var factor: Double
    /// The longest pause.
    public var maximum: Duration
    /// The longest pause that a handler may set; a longer one is shortened to it: a day.
    public var longestNamed = Duration.seconds(86_400)
    /// The random share of a pause, 0…1, so that effects that failed together are not retried together.
    public var jitter: Double
    /// Whether an attempt that timed out is followed by another one; otherwise its effect has failed.
    public var onTimeout: Bool

    /// Describes retries; without arguments, five attempts with pauses of 1, 2, 4 and 8 s, less up to a fifth.
    ///
    /// After the loss of a worker there is no pause: its effects go to others at once.
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

    /// Exactly one attempt.
    public static let never = RetryPolicy(attempts: 1)

    /// The pause after this number of failures, at least 1; `chance` is drawn from 0…1.
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
        // At most about 950,000 years, which fits into milliseconds.
        let pause = min(Self.seconds(initial) * power, Self.seconds(maximum), 3e13)
        return .milliseconds(Int64((pause * (1 - jitter * chance) * 1000).rounded()))
    }

    private static func seconds(_ duration: Duration) -> Double {
        let (seconds, attoseconds) = duration.components
        return Double(seconds) + Double(attoseconds) / 1e18
    }
}

/// A limit for the effects of one route, or of several routes that use the same name.
///
/// ```swift
/// let mail = EffectLimit("mail", concurrency: 5)  // five at a time
/// let api = EffectLimit("api", rate: .init(100, per: .seconds(60), burst: 10))  // 100 a minute, ten at once
/// let licence = EffectLimit("licence", concurrency: 3, scope: .cluster)  // three in all shards together
/// ```
/// It applies across all workers, in one shard or in all: see ``Scope``. Effects blocked by a limit do not block others.
public struct EffectLimit: Hashable, Sendable {
    /// The scope of a limit, when several coordinators share the shards of a journal.
    public enum Scope: Hashable, Sendable {
        /// In each shard by itself: with N shards, N times the limit may run in all.
        ///
        /// `mobius cluster split` refuses to divide a shard while such limits are used, unless it is told that they may grow.
        case shard
        /// In all shards together: they share its units out between them, through the database.
        ///
        /// A shard whose effects wait gets its fair share of free and unused units within seconds, of units in use when the effects
        /// under them end, and of those of a rate within two periods, without tokens. At no time is there more in all than the limit
        /// allows, but for what a worker brings that reconnects later than the grace time after a take-over, and for the
        /// bucket of a rate, which may be full again after a take-over. Without a cluster it is the same as ``shard``.
        case cluster
    }

    /// A number of dispatches per period, as a token bucket.
    ///
    /// In a period after an idle one begin the burst and what the rate allows beside it: up to twice the count with the burst that is
    /// the default, and the count itself with a burst of 1.
    public struct Rate: Hashable, Sendable {
        /// The number of dispatches, at least 1.
        public var count: Int
        /// The period, greater than zero.
        public var time: Duration
        /// The number of dispatches that may start at once after an idle period, from 1 to the count.
        ///
        /// Under a limit of a cluster, as many may in each shard that has so many units of the rate.
        public var burst: Int

        /// Describes a rate.
        ///
        /// - Parameters:
        ///   - count: The number of dispatches in a period.
        ///   - time: The period.
        ///   - burst: The number of dispatches that may start at once after an idle period; `nil` for the count.
        public init(_ count: Int, per time: Duration, burst: Int? = nil) {
            precondition(
                count >= 1 && time > .zero,
                "A rate is at least one effect in some time: write Rate(10, per: .seconds(1)).")
            precondition(
                1...count ~= burst ?? count,
                "A burst is at least one effect, and at most the rate's: write Rate(10, per: .seconds(1), burst: 1).")
            self.count = count
            self.time = time
            self.burst = burst ?? count
        }
    }

    /// The name by which routes share it.
    public var name: String
    /// The number of effects that may run at once; `nil` for any number.
    public var concurrency: Int?
    /// The rate at which attempts may begin; `nil` for any rate.
    public var rate: Rate?
    /// The scope in which it holds.
    public var scope: Scope

    /// Describes a limit; routes that share a name should have equal limits, because the one used last counts.
    ///
    /// Their scope must be the same: in each shard the first one used since its coordinator took it decides.
    ///
    /// - Parameters:
    ///   - name: The name by which routes share it.
    ///   - concurrency: The number of effects that may run at once; `nil` for any number.
    ///   - rate: The rate at which attempts may begin; `nil` for any rate.
    ///   - scope: The scope in which it holds: in each shard by itself, unless it says otherwise.
    public init(_ name: String, concurrency: Int? = nil, rate: Rate? = nil, scope: Scope = .shard) {
        precondition(concurrency ?? 1 >= 1, "A limit of less than one effect at a time would stop them all.")
        self.name = name
        self.concurrency = concurrency
        self.rate = rate
        self.scope = scope
    }
}
