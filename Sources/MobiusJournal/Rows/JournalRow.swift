package import MobiusWire

/// A row of a journal, as every store on disk keeps it: for copies from one kind of store to another.
///
/// A loop and a payload kind are their numbers. Checksums are computed again, because they depend on the store.
package enum JournalRow: Equatable, Sendable {
    /// An opening of the journal.
    case epoch(UInt64, build: String)
    /// A payload kind and its number; they come in order.
    case kind(Int64, PayloadKind)
    /// A loop, its number and the first record that is kept.
    case loop(Int64, name: String, first: RecordPlace)
    /// A batch of records of the loop with this number.
    case run(loop: Int64, RecordBatch, content: [UInt8])
    /// A snapshot; a loop's older one comes first.
    case snapshot(loop: Int64, RecordPlace, kind: Int64, model: [UInt8], hash: UInt64, pending: [UInt8])
    /// An outside key and the last event that applied it.
    case key(loop: Int64, [UInt8], sequence: Int64)
    /// The reply to the sender of an event.
    case reply(loop: Int64, sequence: Int64, kind: Int64, content: [UInt8])
    /// A dead letter; a loop's oldest comes first.
    case letter(loop: Int64, DeadLetter)
    /// A dead letter that was requeued; the oldest comes first.
    case requeued(loop: Int64, sequence: Int64, index: Int64)
    /// A crash; the oldest comes first.
    case crash(loop: Int64, Crash)
    /// A loop's end, and whether it is being removed.
    case end(loop: Int64, EndedLoop, isRemoving: Bool)
}

/// A journal's rows and what it is, for copies.
package struct JournalHeader: Equatable, Sendable {
    /// The journal's identity, which a copy keeps.
    package var identity: JournalID
    /// The program that it belongs to; `nil` for a journal that no program has opened.
    package var application: String?
    /// The build that made it.
    package var createdBy: String?

    /// Describes a journal.
    package init(identity: JournalID, application: String?, createdBy: String?) {
        self.identity = identity
        self.application = application
        self.createdBy = createdBy
    }
}
