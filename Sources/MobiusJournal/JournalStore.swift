public import MobiusWire

/// A place that remembers: what every journal, in memory or on disk, promises to the coordinator.
///
/// A store belongs to one thread at a time (the journal thread): calls never overlap. Every implementation passes the
/// suite `JournalStoreCompatibility`.
///
/// What survives a crash: everything of every ``commit(_:)`` and ``save(_:)`` that returned. What was interrupted is
/// there whole or not at all.
public protocol JournalStore: AnyObject, Sendable {
    /// The journal's own name, drawn when it was made and kept with it: workers use it to tell journals apart.
    var identity: JournalID { get }

    /// The number of this start, from 1: greater than at every earlier opening of the same journal.
    var epoch: UInt64 { get }

    /// The newest snapshot of a loop, or `nil` when there is none.
    ///
    /// - Throws: ``JournalError`` with code `damaged` when the snapshot cannot be read or its hash does not match.
    func newestSnapshot(of loop: LoopID) throws(JournalError) -> Snapshot?

    /// Calls `visit` for each record of `loop` that was committed after its newest snapshot, in commit order; for every
    /// record when there is no snapshot. What `visit` throws ends the reading and is thrown on.
    ///
    /// - Throws: ``JournalError`` with code `damaged` when records are missing or unreadable; what `visit` throws.
    func readTail(of loop: LoopID, _ visit: (JournalRecord) throws -> Void) throws

    /// The outside keys (``SourceKey/outside(_:)``) that the loop has applied, oldest first, at most the newest `limit`.
    func outsideKeys(of loop: LoopID, limit: Int) throws(JournalError) -> [String]

    /// Writes records as one transaction and returns when they are on disk.
    ///
    /// - Throws: ``JournalError``; after any error the store must not be written again.
    func commit(_ records: [JournalRecord]) throws(JournalError)

    /// Keeps a snapshot of a loop after all records committed so far, and returns when it is on disk. Older snapshots of
    /// the loop but one may be dropped.
    func save(_ snapshot: Snapshot) throws(JournalError)

    /// Releases the journal to the next writer. Calls after it are programmer errors.
    func close()
}
