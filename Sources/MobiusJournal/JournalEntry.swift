import MobiusWire

/// One record with its place and the epoch and build that wrote it.
public struct JournalEntry: Equatable, Sendable {
    /// The event's sequence number, or that of the event before a note.
    public let sequence: UInt64
    /// 0 for an event; the notes after it count from 1.
    public let part: UInt32
    /// The epoch that wrote it.
    public let epoch: UInt64
    /// The build of the program that wrote it.
    public let build: String
    /// The record.
    public let record: JournalRecord

    /// Describes a record and its place.
    public init(sequence: UInt64, part: UInt32, epoch: UInt64, build: String, record: JournalRecord) {
        self.sequence = sequence
        self.part = part
        self.epoch = epoch
        self.build = build
        self.record = record
    }
}

/// The entries of a loop that ``JournalReading/entries(of:_:)`` reads.
public struct JournalRange: Hashable, Sendable {
    /// The sequence number of the first entry, or of the next one that exists.
    public var sequence: UInt64
    /// The part of the first entry, or the next one that exists.
    public var part: UInt32
    /// The sequence number of the last entry.
    public var last: UInt64
    /// The most entries, at least 1.
    public var limit: Int
    /// The payload bytes after which no further entry is read.
    public var bytes: Int

    /// Describes a range.
    public init(from sequence: UInt64 = 0, part: UInt32 = 0, to last: UInt64 = .max, limit: Int, bytes: Int = .max) {
        precondition(limit > 0, "The limit must be at least 1.")
        self.sequence = sequence
        self.part = part
        self.last = last
        self.limit = limit
        self.bytes = bytes
    }
}

/// Entries of a loop, in commit order.
public struct JournalPage: Equatable, Sendable {
    /// The entries.
    public var entries: [JournalEntry]
    /// The sequence number of the first entry that is kept; `nil` when none is.
    public var first: UInt64?
    /// Whether the range has further entries behind the last.
    public var more: Bool

    /// Makes a page.
    public init(_ entries: [JournalEntry] = [], first: UInt64? = nil, more: Bool = false) {
        self.entries = entries
        self.first = first
        self.more = more
    }

    /// Adds an entry unless the page is full.
    ///
    /// - Returns: whether it was added; otherwise ``more`` is set.
    package mutating func add(_ entry: @autoclosure () -> JournalEntry, _ range: JournalRange, _ bytes: inout Int)
        -> Bool
    {
        guard entries.count < range.limit, entries.isEmpty || bytes < range.bytes else {
            more = true
            return false
        }
        let entry = entry()
        bytes = bytes.addingReportingOverflow(entry.record.allBytes).partialValue
        entries.append(entry)
        return true
    }
}

extension JournalRecord {
    /// The bytes of its payloads.
    fileprivate var allBytes: Int {
        switch self {
        case .event(let event): event.payloadBytes
        case .note(_, .deadLettered(let letter)): letter.effect.bytes.count
        case .note(_, .requeued(let effect, _, _)): effect.bytes.count
        case .note: 0
        }
    }
}
