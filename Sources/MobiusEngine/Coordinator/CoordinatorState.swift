import MobiusJournal
import MobiusWire

// A coordinator machine's state of loops and of uncommitted records.

typealias LoopSlot = SlotTable<LoopID, LoopState>.Slot

struct LoopState: SlotValue {
    var nextSequence: UInt64
    /// Keys of outside events, so that the same key is applied once.
    var outsideKeys: RecentSet<ExactText>
    /// Whether the journal had more keys at the start than these.
    var forgetsKeys = false
    /// The number of its effects that have not ended.
    var pending = 0
    /// The time at which its last event was applied, if that is known.
    var lastEvent: WallTime?
    /// The first event that may have asked for its pending effects; none asked for more than `width` of them.
    var oldest: UInt64 = 0
    var width: UInt32 = 0
    /// Its start, which is later than 0 after it has begun again.
    var began: UInt64 = 0
    /// The time at which it was last used, by an event, a request or its return to memory.
    var lastUse = Moment(nanoseconds: 0)
    /// Whether it is being stored as idle, and was not used since.
    var isLeaving = false
    /// Whether it waits to be examined for idleness: once at a time, or it might leave twice, the second time too early.
    var isWatched = false

    static let nothing = LoopState(nextSequence: 0, outsideKeys: RecentSet(limit: 0))

    /// The events that may have asked for its pending effects.
    var events: Range<UInt64> { min(oldest, nextSequence)..<nextSequence }

    /// At how many places its pending effects may be.
    var window: UInt64 {
        let (places, overflow) = (events.upperBound - events.lowerBound).multipliedReportingOverflow(by: UInt64(width))
        return overflow ? .max : places
    }

    /// Counts effects that the event `sequence` asks for.
    mutating func ask(_ count: Int, by sequence: UInt64) {
        if pending == 0 { (oldest, width) = (sequence, 0) }
        pending += count
        width = max(width, UInt32(clamping: count))
    }

    /// Counts an effect of any earlier event that is pending again.
    mutating func askAgain(_ id: EffectID) {
        if pending == 0 { (oldest, width) = (id.sequence, 0) }
        pending += 1
        oldest = min(oldest, id.sequence)
        width = max(width, id.index.saturatingAdding(1))
    }

    /// Counts and returns the number of the next event.
    mutating func takeSequence() -> UInt64 {
        defer { nextSequence += 1 }
        return nextSequence
    }
}

/// Uncommitted records, and what their commit releases.
struct JournalBatch: Equatable, Sendable {
    enum PostCommitAction: Equatable, Sendable {
        /// A placeholder for an action that was moved out.
        case nothing
        case release(EffectSlot)
        /// The start of this attempt is on disk: its order may be sent.
        case start(AttemptID, Incarnation)
        /// The report on the effect in this slot is on disk; if it `ends` the effect, the effect is removed.
        case ack(Incarnation, ReportID, EffectSlot?, ends: Bool)
        /// The reason for taking this attempt from its worker is on disk: the worker gets CANCEL.
        case cancel(Incarnation, AttemptID)
        /// The reason why this attempt is obsolete is on disk: its worker gets STALE.
        case stale(Incarnation, AttemptID)
        /// All events before this failure are on disk: the effect is retried after a pause.
        case retry(Incarnation, ReportID, pause: Duration)
        /// An event from outside is on disk.
        case confirmEvent(RequestID, EventConfirmation)
        /// An event from outside with this key was on disk before.
        // Indirect, to keep all actions small.
        indirect case confirmAgain(RequestID, LoopID, key: String, event: Payload)
        /// An operator's change was on disk before.
        case confirm(RequestID, repeated: Bool)
        /// An operator's change is on disk.
        case done(RequestID)
        case forget(EffectID)
        /// The reason why this request is refused is on disk.
        case refuse(RequestID, ClientRefusal)
        /// The end of this loop is on disk.
        case ended(LoopID)
        /// The end of this attempt, of a handler in this process, is on disk.
        case cancelLocal(AttemptID)
        /// An event of a handler in this process, with this number of bytes, is on disk: it may send another.
        case acknowledge(AttemptID, bytes: Int)
    }

    var records: [JournalRecord] = []
    /// The bytes of their events.
    var bytes = 0
    var postCommitActions: [PostCommitAction] = []

    var isEmpty: Bool { records.isEmpty && postCommitActions.isEmpty }
}

/// The last report of a worker's attempt, without an event.
struct EventlessCompletion: Equatable, Sendable {
    let worker: Incarnation
    let report: ReportID
    let effect: EffectSlot
}

/// The actions and counts that the commit of a ticket releases.
struct InFlight: Equatable, Sendable {
    let ticket: Ticket
    /// The number of records, and the bytes of their events.
    let records: Int
    let bytes: Int
    var postCommitActions: [JournalBatch.PostCommitAction]
}
