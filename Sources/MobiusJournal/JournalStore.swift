public import MobiusWire

/// A journal that the coordinator writes, in memory or on disk.
///
/// A store belongs to one thread at a time (the journal thread): calls never overlap. Every implementation passes the
/// suite `JournalStoreCompatibility`.
///
/// A crash loses nothing of any call that writes and returned. The effect of an interrupted call is there whole or not
/// at all. After any of them has thrown, the store must not be written again.
///
/// It keeps of each loop the newest two snapshots, the records after the older of them (all, while there are not two;
/// earlier ones may be kept too), the newest ``JournalLimits/outsideKeys`` outside keys and the newest
/// ``JournalLimits/deadLetters`` dead letters.
public protocol JournalStore: JournalReading {
    /// The number of this start, from 1: greater than at every earlier opening of the same journal.
    var epoch: UInt64 { get }

    /// Writes records as one transaction and returns when they are on disk.
    ///
    /// A ``EffectNote/deadLettered(_:)`` adds a dead letter, ``EffectNote/requeued(_:round:at:)`` and ``EffectNote/dropped``
    /// remove it. An outside key that was applied before is not an error: it counts as new again. The store may delete
    /// records that need not be kept in the same transaction, a few at a time.
    ///
    /// - Throws: ``JournalError``; after any error the store must not be written again.
    func commit(_ records: [JournalRecord]) throws(JournalError)

    /// Writes several lists of records, one after the other, as one transaction, like ``commit(_:)``.
    func commit(group: [[JournalRecord]]) throws(JournalError)

    /// Keeps a snapshot of a loop after all records committed so far, and returns when it is on disk. Of the loop's
    /// older snapshots only the newest is kept, and the records before it may be deleted.
    func save(_ snapshot: Snapshot) throws(JournalError)

    /// Keeps snapshots like ``save(_:)``, and notes that loops without pending effects are idle, all as one transaction.
    ///
    /// An idle loop is active again with its next record, in the transaction that writes the record: so a start that reads
    /// only ``JournalReading/activeLoops()`` finds every pending effect. A loop that has not begun cannot be idle.
    func park(_ loops: [IdleLoop], _ snapshots: [Snapshot]) throws(JournalError)

    /// Whether the effect was a dead letter that an operator retried, and was not dropped since.
    ///
    /// So an operator who repeats the request after the effect's end gets a confirmation. The store knows the newest
    /// retries of all loops, as many as it keeps dead letters of a loop.
    func wasRequeued(_ id: EffectID) throws(JournalError) -> Bool

    /// Records that `update` crashed on an event in `epoch`, and returns the number of crashes on this event. Events of
    /// the same loop and source are the same event. An epoch counts once, so that an interrupted start may record a
    /// crash again.
    func noteCrash(
        _ breadcrumb: Breadcrumb, build: String, epoch: UInt64, at time: WallTime
    ) throws(JournalError) -> Int

    /// Records that the event of this source is to be dropped when it comes again; does nothing if no crash on it is
    /// recorded.
    func markDropped(_ source: SourceKey, of loop: LoopID) throws(JournalError)

    /// Forgets the crashes on the event of this source.
    func forgetCrash(_ source: SourceKey, of loop: LoopID) throws(JournalError)

    /// Deletes a part of all that is kept of a loop that has ended, at most about `rows` rows; does nothing to other loops.
    ///
    /// Until the last part is deleted, the loop is among ``JournalReading/endedLoops()``, as ``EndedLoop/isRemoving``, also after a
    /// restart, and no record of it may be written; what else is read of it is incomplete.
    ///
    /// - Returns: whether nothing of the loop is left, so that its name is new.
    func remove(ended loop: LoopID, rows: Int) throws(JournalError) -> Bool

    /// Releases the journal to the next writer. Calls after it are programmer errors.
    func close()
}

extension JournalStore {
    /// Joins the lists and commits those records.
    public func commit(group: [[JournalRecord]]) throws(JournalError) {
        try commit(Array(group.joined()))
    }
}
