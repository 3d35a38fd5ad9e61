public import MobiusWire

/// A summary of a journal: its identity, epochs and loops.
public struct JournalInfo: Sendable {
    /// One opening of the journal by a coordinator.
    public struct Epoch: Equatable, Sendable {
        /// Its number, from 1.
        public let epoch: UInt64
        /// The build of the program that opened it.
        public let build: String

        /// Describes an opening.
        package init(epoch: UInt64, build: String) {
            self.epoch = epoch
            self.build = build
        }
    }

    /// One loop.
    public struct Loop: Equatable, Sendable {
        /// Its name.
        public let loop: LoopID
        /// The first event that is kept; `nil` when the loop has not begun.
        public let firstSequence: UInt64?
        /// The last event; `nil` when the loop has not begun.
        public let lastSequence: UInt64?
        /// The number of kept events and notes.
        public let records: Int
        /// Whether compaction has deleted earlier records.
        public let isCompacted: Bool
        /// The sequence numbers of the events after which snapshots were taken, oldest first.
        public let snapshots: [UInt64]
        /// The number of its dead letters.
        public let deadLetters: Int

        /// Describes a loop.
        package init(
            loop: LoopID, firstSequence: UInt64?, lastSequence: UInt64?, records: Int, isCompacted: Bool,
            snapshots: [UInt64], deadLetters: Int
        ) {
            self.loop = loop
            self.firstSequence = firstSequence
            self.lastSequence = lastSequence
            self.records = records
            self.isCompacted = isCompacted
            self.snapshots = snapshots
            self.deadLetters = deadLetters
        }
    }

    /// The journal's identity, drawn when it was made.
    public let identity: JournalID
    /// The name of the program that it belongs to.
    public let application: String
    /// The build of that program that made it.
    public let createdBy: String
    /// The version of the format.
    public let format: Int
    /// The size of the file and its log, or of the tables, in bytes.
    public let bytes: Int
    /// The process that has the journal open; `nil` when none has, when it cannot be determined, and for a database.
    public let holder: Int?
    /// Every epoch, in order.
    public let epochs: [Epoch]
    /// Every loop, in the order in which they began.
    public let loops: [Loop]

    /// Describes a journal.
    package init(
        identity: JournalID, application: String, createdBy: String, format: Int, bytes: Int, holder: Int?,
        epochs: [Epoch], loops: [Loop]
    ) {
        self.identity = identity
        self.application = application
        self.createdBy = createdBy
        self.format = format
        self.bytes = bytes
        self.holder = holder
        self.epochs = epochs
        self.loops = loops
    }
}
