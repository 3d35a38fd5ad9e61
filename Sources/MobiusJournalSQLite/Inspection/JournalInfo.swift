public import MobiusWire

/// A summary of a journal: its identity, epochs and loops.
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
        /// The number of kept events and notes.
        public let records: Int
        /// Whether compaction has deleted earlier records.
        public let isCompacted: Bool
        /// The sequence numbers of the events after which snapshots were taken, oldest first.
        public let snapshots: [UInt64]
        /// The number of its dead letters.
        public let deadLetters: Int
    }

    /// The journal's identity, drawn when the file was made.
    public let identity: JournalID
    /// The name of the program that it belongs to.
    public let application: String
    /// The build of that program that made the file.
    public let createdBy: String
    /// The version of the file format.
    public let format: Int
    /// The size of the file and its log in bytes.
    public let bytes: Int
    /// The process that has the journal open; `nil` when none has, or when it cannot be determined.
    public let holder: Int?
    /// Every epoch, in order.
    public let epochs: [Epoch]
    /// Every loop, in the order in which they began.
    public let loops: [Loop]
}
