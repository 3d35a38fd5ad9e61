public import MobiusWire

/// What a coordinator machine is told at its start.
public struct CoordinatorConfiguration: Equatable, Sendable {
    /// The journal it writes.
    public var journal: JournalID
    /// The number of this start on the journal.
    public var epoch: UInt64
    /// How long both sides wait for each other.
    public var timing: SessionTiming
    /// The largest payload, in bytes: 4 MiB.
    public var maximumPayload: UInt32
    /// After how many bytes of payload a message to a worker is sent and the next begun: 256 KiB.
    public var batchBytes: Int
    /// How many keys of outside events each loop remembers: a million.
    public var rememberedKeys: Int
    /// How many events from outside may wait for their commit before senders are told that it is busy: 10,000.
    public var maximumIntake: Int
    /// With how many effects that have not ended senders from outside are told that it is busy: a million.
    public var maximumBacklog: Int
    /// How many records may wait for their commit before nothing more is taken in: 100,000.
    ///
    /// Reports of workers that come meanwhile count as lost on their way, so workers keep them, and senders from outside are
    /// told that it is busy. What a worker sends says that it lives all the same.
    public var maximumUncommitted = 100_000
    /// The same for the bytes of their payloads: 64 MiB.
    public var maximumUncommittedBytes = 64 << 20
    /// Whether workers are told that trace contexts in their reports are taken.
    public var takesTraces = false
    /// What new effects are coded in: workers that read other codings only are refused; `nil` takes all.
    public var contentType: String?
    /// Draws the jitter of pauses.
    public var seed: UInt64

    /// How many keys of outside events a loop remembers, unless it is told otherwise.
    public static let defaultRememberedKeys = 1_000_000

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
