/// The version of a loop's model: the one after this event of this journal.
public struct ModelVersion: Hashable, Sendable, Codable {
    /// The journal, because another one counts its events anew.
    public var journal: JournalID
    /// The number of the last event that was applied; the loop's start is 0.
    public var sequence: UInt64

    /// Names a version.
    public init(journal: JournalID, sequence: UInt64) {
        self.journal = journal
        self.sequence = sequence
    }
}

/// A model of a loop, without its payload.
public struct ModelSummary: Hashable, Sendable, Codable {
    /// The loop.
    public var loop: LoopID
    /// The number of the last event in it.
    public var sequence: UInt64
    /// The journal that numbered the event.
    public var journal: JournalID
    /// The build of the program that made it, up to 255 bytes.
    public var build: String
    /// Whether the program masked some of its contents.
    @Sparse public var isMasked: Bool
    /// Whether the loop is held in quarantine, so that this is its last good model.
    @Sparse public var isHeld: Bool

    /// Describes a model.
    public init(loop: LoopID, version: ModelVersion, build: String, isMasked: Bool = false, isHeld: Bool = false) {
        self.loop = loop
        (sequence, journal) = (version.sequence, version.journal)
        self.build = build
        self.isMasked = isMasked
        self.isHeld = isHeld
    }

    /// The version of the loop's model.
    public var version: ModelVersion {
        get { ModelVersion(journal: journal, sequence: sequence) }
        set { (sequence, journal) = (newValue.sequence, newValue.journal) }
    }
}
