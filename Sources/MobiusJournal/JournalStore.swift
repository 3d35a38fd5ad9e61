public import MobiusWire

/// A place that remembers: what every journal, in memory or on disk, promises to the coordinator.
///
/// A store belongs to one thread at a time (the journal thread): calls never overlap. Every implementation passes the
/// suite `JournalStoreCompatibility`.
///
/// What survives a crash: everything of every call that writes and returned. What was interrupted is there whole or not at
/// all. After any of them has thrown, the store must not be written again.
///
/// What is kept: of each loop the newest two snapshots, the records after the older of them (all, while there are not two;
/// earlier ones may be kept too), the newest ``JournalLimits/outsideKeys`` outside keys and the newest
/// ``JournalLimits/deadLetters`` dead letters.
public protocol JournalStore: JournalReading {
    /// The number of this start, from 1: greater than at every earlier opening of the same journal.
    var epoch: UInt64 { get }

    /// Writes records as one transaction and returns when they are on disk.
    ///
    /// A ``EffectNote/died(_:)`` adds a dead letter, ``EffectNote/revived(_:round:at:)`` and ``EffectNote/dropped`` take it
    /// away. An outside key that was applied before is no error: it counts as new again. The store may delete records that
    /// need not be kept in the same transaction, a few at a time.
    ///
    /// - Throws: ``JournalError``; after any error the store must not be written again.
    func commit(_ records: [JournalRecord]) throws(JournalError)

    /// Writes several lists of records, one behind the other, as one transaction, just as ``commit(_:)`` does.
    func commit(group: [[JournalRecord]]) throws(JournalError)

    /// Keeps a snapshot of a loop after all records committed so far, and returns when it is on disk. Older snapshots of
    /// the loop but one are dropped, and the records before that one may be.
    func save(_ snapshot: Snapshot) throws(JournalError)

    /// Whether the effect was a dead letter that was revived, and was not dropped since.
    ///
    /// So an operator who asks again after it has ended hears that it was done. As many are known as dead letters of a loop
    /// are kept, the newest of all loops.
    func wasRevived(_ id: EffectID) throws(JournalError) -> Bool

    /// Writes down that `update` crashed on an event in `epoch`, and answers how often it now has on this one: events of the
    /// same loop and source are the same, and an epoch counts once, so that a start which is cut short may note a crash again.
    func noteCrash(
        _ breadcrumb: Breadcrumb, build: String, epoch: UInt64, at time: WallTime
    ) throws(JournalError) -> Int

    /// Remembers that the event of this source is to be dropped when it comes again; nothing when no crash of it is noted.
    func markDropped(_ source: SourceKey, of loop: LoopID) throws(JournalError)

    /// Forgets the crashes on the event of this source.
    func forgetCrash(_ source: SourceKey, of loop: LoopID) throws(JournalError)

    /// Releases the journal to the next writer. Calls after it are programmer errors.
    func close()
}

extension JournalStore {
    /// Joins the lists and commits those records.
    public func commit(group: [[JournalRecord]]) throws(JournalError) {
        try commit(Array(group.joined()))
    }
}
