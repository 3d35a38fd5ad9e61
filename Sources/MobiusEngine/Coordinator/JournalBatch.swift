import DequeModule
import MobiusJournal
import MobiusWire

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
        /// An operator's change is on disk, and is confirmed behind the messages of this round.
        case conclude(RequestID, repeated: Bool)
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

/// The records that were handed to the journal and are not on disk yet, and what their commits release.
struct CommitsInFlight: Sendable {
    private struct Commit: Sendable {
        let ticket: Ticket
        let records: Int
        let bytes: Int
        var postCommitActions: [JournalBatch.PostCommitAction]
    }

    private var commits = Deque<Commit>()
    private var lastTicket: UInt64 = 0
    /// The number of their records, and the bytes of their events.
    private(set) var records = 0
    private(set) var bytes = 0

    var isEmpty: Bool { commits.isEmpty }

    /// What their commits release, in order.
    var postCommitActions: [JournalBatch.PostCommitAction] { commits.flatMap(\.postCommitActions) }

    /// Takes the batch out: its records are to be appended under the returned ticket.
    mutating func add(_ batch: inout JournalBatch) -> (ticket: Ticket, records: [JournalRecord]) {
        lastTicket += 1
        let commit = Commit(
            ticket: Ticket(lastTicket), records: batch.records.count, bytes: batch.bytes,
            postCommitActions: batch.postCommitActions.takeAll())
        records += commit.records
        bytes += commit.bytes
        commits.append(commit)
        batch.bytes = 0
        return (commit.ticket, batch.records.takeAll())
    }

    /// The ticket's records are on disk: takes what that releases.
    mutating func commit(_ ticket: Ticket) -> [JournalBatch.PostCommitAction] {
        precondition(
            commits.first?.ticket == ticket, "Tickets are committed in the order in which they were appended.")
        guard var commit = commits.popFirst() else { return [] }
        records -= commit.records
        bytes -= commit.bytes
        var actions: [JournalBatch.PostCommitAction] = []
        swap(&actions, &commit.postCommitActions)
        return actions
    }
}
