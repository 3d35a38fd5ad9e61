package import MobiusCodec
package import MobiusEngine
package import MobiusJournal
package import MobiusWire

/// The driver's way to the journal: it appends, and reports what it has written.
///
/// It does everything in the order in which it was asked. What it reports goes to the host as ``WriterReport``, on the
/// thread that the host's inputs are taken on.
package protocol JournalWriter: AnyObject {
    /// Writes records with so many bytes of payload.
    ///
    /// - Returns: whether they are written already; otherwise ``WriterReport/committed(_:)`` says so later.
    /// - Throws: `JournalError`, when they were to be written at once.
    func append(_ ticket: Ticket, _ records: [JournalRecord], bytes: Int) throws(JournalError) -> Bool
    /// Whether it keeps snapshots: a journal in memory, which nobody reads back, does not.
    var keepsSnapshots: Bool { get }
    /// Makes a snapshot of a loop after all that was appended before, and keeps it.
    ///
    /// A model that cannot be coded is no fault of the journal's, which goes on without its snapshot.
    func save(_ loop: LoopID, _ snapshot: @escaping @Sendable () -> Result<Snapshot, CodingFailure>)
    /// Uses the store after all that was appended before; what `body` throws fails the journal.
    func perform(_ body: @escaping @Sendable (any JournalStore) throws(JournalError) -> Void)
    /// Closes the journal when all before is done.
    ///
    /// - Returns: whether it is closed already; otherwise ``WriterReport/closed`` says so later.
    func close() -> Bool
}

/// What a journal writer reports, in the order in which it was asked.
package enum WriterReport: Sendable {
    /// All records up to this ticket are on disk.
    case committed([Ticket])
    /// A snapshot of so many bytes is on disk.
    case saved(LoopID, bytes: Int)
    /// No snapshot of the loop could be made, for this reason; nothing was written.
    case unsaved(LoopID, reason: String)
    /// Nothing more will be written.
    case failed(JournalError)
    /// The journal is closed.
    case closed
}

/// A journal in memory, which is written at once.
package final class MemoryJournalWriter: JournalWriter {
    private let store: any JournalStore

    /// Writes to a store that cannot fail.
    package init(_ store: any JournalStore) {
        self.store = store
    }

    package var keepsSnapshots: Bool { false }

    package func append(_ ticket: Ticket, _ records: [JournalRecord], bytes: Int) throws(JournalError) -> Bool {
        if !records.isEmpty { try store.commit(records) }
        return true
    }

    package func save(_ loop: LoopID, _ snapshot: @escaping @Sendable () -> Result<Snapshot, CodingFailure>) {}

    package func perform(_ body: @escaping @Sendable (any JournalStore) throws(JournalError) -> Void) {
        do throws(JournalError) {
            try body(store)
        } catch {
            preconditionFailure("A journal in memory has nothing that could fail: \(error)")
        }
    }

    package func close() -> Bool {
        store.close()
        return true
    }
}
