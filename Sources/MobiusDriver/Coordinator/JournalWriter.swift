package import MobiusCodec
package import MobiusEngine
package import MobiusJournal
package import MobiusWire

/// The driver's interface to the journal: it appends records and reports what is written.
///
/// It processes all calls in their order. Its reports reach the host on the driver's thread, as ``WriterReport``.
package protocol JournalWriter: AnyObject {
    /// Writes records, whose payloads have this many bytes in total, and the facts that change with them.
    ///
    /// - Returns: whether the records are already written; otherwise ``WriterReport/committed(_:)`` follows.
    /// - Throws: `JournalError` from a writer that writes at once.
    func append(
        _ ticket: Ticket, _ records: [JournalRecord], facts: [FactChange], bytes: Int
    ) throws(JournalError) -> Bool
    /// Whether it keeps snapshots; a journal in memory does not, because it is never recovered from.
    var keepsSnapshots: Bool { get }
    /// Makes and stores a snapshot of a loop, after all earlier appends.
    ///
    /// If the model cannot be encoded, the journal continues without the snapshot and reports
    /// ``WriterReport/snapshotFailed(_:reason:)``.
    func save(_ loop: LoopID, _ snapshot: @escaping @Sendable () -> Result<Snapshot, CodingFailure>)
    /// Stores loops as idle, with their snapshots, after all earlier appends; ``WriterReport/parked(_:)`` follows.
    func park(_ loops: [Parking])
    /// Calls `body` with the store, perhaps before earlier appends are written: for what does not depend on them.
    func read(_ body: @escaping @Sendable (any JournalStore) -> Void)
    /// Calls `body` with the store, after all earlier appends; an error that `body` throws fails the journal.
    func perform(_ body: @escaping @Sendable (any JournalStore) throws(JournalError) -> Void)
    /// Closes the journal after all earlier calls are done.
    ///
    /// - Returns: whether it is already closed; otherwise ``WriterReport/closed`` follows.
    func close() -> Bool
}

/// A journal writer's reports, in the order of the calls.
package enum WriterReport: Sendable {
    /// The records of these tickets are on disk.
    case committed([Ticket])
    /// A snapshot of the loop is on disk; its model has this many bytes.
    case saved(LoopID, bytes: Int)
    /// The loop's snapshot could not be encoded, for this reason; nothing was written.
    case snapshotFailed(LoopID, reason: String)
    /// Loops were stored as idle.
    case parked(Parking.Outcome)
    /// The journal failed; nothing more will be written.
    case failed(JournalError)
    case closed
}

/// Writes to a journal in memory at once, on the calling thread.
package final class MemoryJournalWriter: JournalWriter {
    private let store: any JournalStore

    /// Makes a writer for a store that cannot fail.
    package init(_ store: any JournalStore) {
        self.store = store
    }

    package var keepsSnapshots: Bool { false }

    package func append(
        _ ticket: Ticket, _ records: [JournalRecord], facts: [FactChange], bytes: Int
    ) throws(JournalError) -> Bool {
        if !records.isEmpty { try store.commit(group: [records], facts: facts) }
        return true
    }

    package func save(_ loop: LoopID, _ snapshot: @escaping @Sendable () -> Result<Snapshot, CodingFailure>) {}

    package func park(_ loops: [Parking]) {}

    package func read(_ body: @escaping @Sendable (any JournalStore) -> Void) { body(store) }

    package func perform(_ body: @escaping @Sendable (any JournalStore) throws(JournalError) -> Void) {
        do throws(JournalError) {
            try body(store)
        } catch {
            preconditionFailure("A journal in memory never fails: \(error)")
        }
    }

    package func close() -> Bool {
        store.close()
        return true
    }
}
