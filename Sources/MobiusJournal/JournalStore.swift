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

    /// Writes lists of records, one after the other, and changes of facts, as one transaction; returns when they are on disk.
    ///
    /// A ``EffectNote/deadLettered(_:)`` adds a dead letter, ``EffectNote/requeued(_:round:at:)`` and ``EffectNote/dropped``
    /// remove it. An outside key that was applied before is not an error: it counts as new again. The store may delete
    /// records that need not be kept in the same transaction, a few at a time.
    ///
    /// - Parameters:
    ///   - group: The lists of records.
    ///   - facts: Of loops with records in the group, in the order of their events.
    /// - Throws: ``JournalError``; after any error the store must not be written again.
    func commit(group: [[JournalRecord]], facts: [FactChange]) throws(JournalError)

    /// Keeps a snapshot of a loop after all records committed so far, and returns when it is on disk. Of the loop's
    /// older snapshots only the newest is kept, and the records before it may be deleted.
    func save(_ snapshot: Snapshot) throws(JournalError)

    /// Keeps snapshots like ``save(_:)``, and notes that loops without pending effects are idle, all as one transaction.
    ///
    /// An idle loop is active again with its next record, in the transaction that writes the record: so a start that reads
    /// only ``JournalReading/activeLoops()`` finds every pending effect. A loop that has not begun cannot be idle.
    func park(_ loops: [IdleLoop], _ snapshots: [Snapshot]) throws(JournalError)

    /// Replaces the facts of loops that have the same last event as when these were computed, as one transaction. Another loop had
    /// an event since, which brought its facts.
    ///
    /// - Parameters:
    ///   - facts: The facts of those loops.
    ///   - step: The part of all loops that these are; facts of loops in it that there are no longer are deleted, and the progress is
    ///     noted. `nil` for some loops.
    func rebuild(_ facts: [RebuiltFacts], step: FactStep?) throws(JournalError)

    /// The progress that ``rebuild(_:step:)`` noted last, if no other build has opened the journal since; otherwise none.
    func factProgress() throws(JournalError) -> FactProgress

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

    /// Records that a pool is paused, in place of an earlier pause of it; or, with `nil`, that it is not.
    func setPause(_ pause: PoolPause?, of pool: String) throws(JournalError)

    /// The pauses of the pools that are paused.
    func pausedPools() throws(JournalError) -> [String: PoolPause]

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
    /// Writes one list of records, without facts.
    public func commit(_ records: [JournalRecord]) throws(JournalError) { try commit(group: [records], facts: []) }

    /// Writes several lists of records, without facts.
    public func commit(group: [[JournalRecord]]) throws(JournalError) { try commit(group: group, facts: []) }
}
