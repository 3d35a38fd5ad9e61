public import MobiusWire

/// The configuration of a coordinator machine.
public struct CoordinatorConfiguration: Equatable, Sendable {
    /// The journal it writes.
    public var journal: JournalID
    /// The number of this start on the journal.
    public var epoch: UInt64
    /// The times of sessions.
    public var timing: SessionTiming
    /// The largest payload, in bytes: 4 MiB.
    public var maximumPayload: UInt32
    /// The bytes of payload after which a message to a worker is sent and the next one begun: 256 KiB.
    public var batchBytes: Int
    /// The number of outside events' keys that each loop remembers: a million.
    public var rememberedKeys: Int
    /// Outside events waiting for their commit at which further ones get `busy`: 10,000.
    public var maximumIntake: Int
    /// Pending effects at which outside events get `busy`: a million.
    public var maximumBacklog: Int
    /// Loops, ended ones included, at which no further one may begin: two million.
    public var maximumLoops = CoordinatorConfiguration.defaultMaximumLoops
    /// The kinds of its loops, where it runs several programs.
    package var kinds = LoopKinds()
    /// Records waiting for their commit at which intake stops: 100,000.
    ///
    /// Reports that arrive then are treated as lost, so workers keep them, and outside events get `busy`. A worker's
    /// messages still count as signs of life.
    public var maximumUncommitted = 100_000
    /// The same for the bytes of their payloads: 64 MiB.
    public var maximumUncommittedBytes = 64 << 20
    /// The most deadlines that one round handles: others are handled in between, and what they record is bounded.
    package var deadlinesPerRound = 1024
    /// The time for which the journal keeps what it has of a loop after the loop's end; `nil` for ever.
    public var keepEnded: Duration?
    /// Whether workers may put trace contexts into their reports.
    public var takesTraces = false
    /// The coding of new effects: workers that cannot read it are refused; `nil` admits all.
    public var contentType: String?
    /// The names of the types of effects that go to each pool: a new worker without handlers for one of them is refused.
    ///
    /// Pools that it does not name admit all.
    public var effectTypes: [String: Set<String>] = [:]
    /// The time for which a loop without pending effects stays in memory after its last event or request; `nil`, the
    /// default, for ever.
    public var idleAfter: Duration?
    /// The shard of the journal that it runs.
    public var shard: UInt32 = 0
    /// The number of shards of the journal: 1 to `ClusterMap.maximumShards`.
    public var shards: UInt32 = 1
    /// Whether limits of ``EffectLimit/Scope/cluster`` hold for all shards together.
    ///
    /// Then it goes by the units that ``CoordinatorInput/share(_:)`` grants. Otherwise they hold for it alone.
    public var sharesLimits = false
    /// Draws the jitter of pauses.
    public var seed: UInt64

    /// The keys of each loop that are in memory: also, whatever their number, those that the journal may not know yet.
    var keysInMemory: Int { max(rememberedKeys, maximumIntake) }

    /// The default number of outside events' keys that a loop remembers.
    public static let defaultRememberedKeys = 1_000_000
    /// The default number of loops at which no further one may begin.
    public static let defaultMaximumLoops = 2_000_000

    /// Describes a coordinator.
    public init(
        journal: JournalID, epoch: UInt64, timing: SessionTiming = SessionTiming(),
        maximumPayload: UInt32 = PayloadLimit.standard,
        batchBytes: Int = 256 << 10, rememberedKeys: Int = CoordinatorConfiguration.defaultRememberedKeys,
        maximumIntake: Int = 10_000, maximumBacklog: Int = 1_000_000, seed: UInt64 = 0
    ) {
        self.journal = journal
        self.epoch = epoch
        self.timing = timing
        self.maximumPayload = maximumPayload
        self.batchBytes = batchBytes
        self.rememberedKeys = rememberedKeys
        self.maximumIntake = maximumIntake
        self.maximumBacklog = maximumBacklog
        self.seed = seed
    }
}
