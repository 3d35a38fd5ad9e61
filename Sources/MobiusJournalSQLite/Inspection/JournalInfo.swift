public import MobiusJournal
public import MobiusWire

/// What a journal is, and how much is in it.
public struct JournalInfo: Sendable {
    /// One opening of the journal by a coordinator.
    public struct Epoch: Equatable, Sendable {
        /// Its number, from 1.
        public let epoch: UInt64
        /// The build of the program that opened it.
        public let build: String
    }

    /// One loop.
    public struct Loop: Equatable, Sendable {
        /// Its name.
        public let loop: LoopID
        /// The first event that is kept; `nil` when the loop has not begun.
        public let firstSequence: UInt64?
        /// The last event; `nil` when the loop has not begun.
        public let lastSequence: UInt64?
        /// How many events and notes are kept.
        public let records: Int
        /// Whether compaction has deleted earlier ones.
        public let isCompacted: Bool
        /// The events that the snapshots stand after, oldest first.
        public let snapshots: [UInt64]
        /// How many dead letters it has.
        public let deadLetters: Int
    }

    /// The journal's own name.
    public let identity: JournalID
    /// The name of the program that it belongs to.
    public let application: String
    /// The build of that program that made it.
    public let createdBy: String
    /// The format of its tables.
    public let format: Int
    /// The size of its file and log.
    public let bytes: Int
    /// The process that has it open, as far as can be told.
    public let holder: Int?
    /// Every opening, in order.
    public let epochs: [Epoch]
    /// Every loop, in the order in which they began.
    public let loops: [Loop]
}

/// One record, with where it stands and who wrote it.
public struct JournalEntry: Equatable, Sendable {
    /// The event's sequence number, or that of the event before a note.
    public let sequence: UInt64
    /// 0 for an event; notes count on from it.
    public let part: UInt32
    /// The epoch that wrote it.
    public let epoch: UInt64
    /// The build of the program that did.
    public let build: String
    /// What was written.
    public let record: JournalRecord
}
