import MobiusJournal
import MobiusWire

// What a coordinator machine keeps about loops, and about records on their way to the disk.

struct LoopState: SlotValue {
    var nextSequence: UInt64
    /// Keys of outside events, so that the same key is applied once.
    var outsideKeys: RecentSet<ExactText>
    /// Whether the journal knew more keys at the start than these.
    var forgetsKeys = false

    static let nothing = LoopState(nextSequence: 0, outsideKeys: RecentSet(limit: 0))

    /// The number of the next event, which is counted.
    mutating func takeSequence() -> UInt64 {
        defer { nextSequence += 1 }
        return nextSequence
    }
}

/// Records on their way to the disk, and what their commit sets free.
struct JournalBatch: Equatable, Sendable {
    enum Settlement: Equatable, Sendable {
        /// What stands where one was moved out.
        case nothing
        case release(EffectSlot)
        /// That this attempt began is on disk: its order may leave.
        case start(AttemptID, Incarnation)
        /// The report on the effect in this slot is on disk; when it `ends` that, it is forgotten.
        case ack(Incarnation, ReportID, EffectSlot?, ends: Bool)
        /// Why this attempt is taken from its worker is on disk: it is to stop, and to say how that went.
        case cancel(Incarnation, AttemptID)
        /// Why nobody wants this attempt any more is on disk: its worker is to stop and forget it.
        case stale(Incarnation, AttemptID)
        /// All events before this failure are on disk: the effect is tried again after a pause.
        case retry(Incarnation, ReportID, pause: Duration)
        /// An event from outside is on disk, now or since it came for the first time.
        case confirm(RequestID, repeated: Bool)
        /// What an operator asked for is on disk.
        case done(RequestID)
        case forget(EffectID)
        /// An event of a handler in this process, with so many bytes, is on disk: it may send another.
        case acknowledge(AttemptID, bytes: Int)
    }

    var records: [JournalRecord] = []
    /// The bytes of their events.
    var bytes = 0
    var settlements: [Settlement] = []

    var isEmpty: Bool { records.isEmpty && settlements.isEmpty }
}

/// The last report of a worker's attempt, which brought no event.
struct SilentEnd: Equatable, Sendable {
    let worker: Incarnation
    let report: ReportID
    let effect: EffectSlot
}

/// What the commit of a ticket sets free.
struct InFlight: Equatable, Sendable {
    let ticket: Ticket
    /// How many records, and how many bytes of their events.
    let records: Int
    let bytes: Int
    var settlements: [JournalBatch.Settlement]
}
