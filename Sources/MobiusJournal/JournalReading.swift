public import MobiusWire

/// Read access to a journal: the reading part of ``JournalStore``, also for tools.
///
/// It belongs to one thread at a time, and closures that it calls must not call it. Its errors have the code `damaged`
/// when content is missing or differs from what was written.
public protocol JournalReading: FactIndex, AnyObject, Sendable {
    /// The journal's identity, drawn when it was made: workers use it to distinguish journals.
    var identity: JournalID { get }

    // MARK: Recovery

    /// The loops that have begun, in the order in which they did.
    func loops() throws(JournalError) -> [LoopID]

    /// The loops that have ended and were not removed since, in the order of their ends.
    func endedLoops() throws(JournalError) -> [EndedLoop]

    /// The end of a loop; `nil` for one that has not ended, or has begun again.
    func end(of loop: LoopID) throws(JournalError) -> EndedLoop?
    /// The loops that are not idle (``JournalStore/park(_:_:)``), in the order in which they began: those that a start must
    /// recover.
    ///
    /// Its cost depends on their number, not on the number of all loops.
    func activeLoops() throws(JournalError) -> [LoopID]

    /// The number of idle loops, and of their events; its cost does not depend on their number.
    func idleTotals() throws(JournalError) -> IdleTotals

    /// Whether the loop has begun; its cost does not depend on the number of loops.
    func contains(_ loop: LoopID) throws(JournalError) -> Bool

    /// The loops that have begun, begin with `prefix` and come after `after`, ordered by the bytes of their names, at most
    /// `limit`; its cost depends on the limit, not on the number of all loops.
    func loopPage(prefix: String, after: LoopID?, limit: Int) throws(JournalError) -> [StoredLoop]

    /// The number of loops whose names begin with `kind` and a slash, ended ones included.
    ///
    /// It may cost a look at all their names, and nothing else of them.
    func loopCount(ofKind kind: String) throws(JournalError) -> Int

    /// Those of these loops that have begun, in any order.
    func storedLoops(_ loops: [LoopID]) throws(JournalError) -> [StoredLoop]

    /// Announces the loops that are recovered next, in this order, so that a store may read several at once.
    ///
    /// It replaces an earlier announcement; an empty list frees what was read ahead. Only the cost of reading changes, never what
    /// is read, also when other loops are read or something is written meanwhile. The list may have all loops of a start: a store reads a
    /// bounded part of it when the first of these is read, and throws errors there. By default it does nothing.
    func prefetch(_ loops: [LoopID])

    /// Calls `body` at once; what it reads may be of one moment, which costs less than many.
    func together(_ body: () -> Void)

    /// The number of the event with which a loop began; later than 0 after it has begun again.
    func beginning(of loop: LoopID) throws(JournalError) -> UInt64

    /// The number of the first event of a loop that is new to the journal; 0 until a loop was removed.
    ///
    /// It is above the numbers of all loops that were removed: an effect of a name that is used again has an id that no
    /// other had.
    func newLoops() throws(JournalError) -> UInt64

    /// The newest snapshot of a loop, or `nil` when there is none.
    ///
    /// - Throws: ``JournalError`` with code `damaged` when the snapshot cannot be read or its hash does not match.
    func newestSnapshot(of loop: LoopID) throws(JournalError) -> Snapshot?

    /// The snapshot before the newest one, or `nil` when there are not two.
    ///
    /// - Throws: ``JournalError`` with code `damaged` when the snapshot cannot be read or its hash does not match.
    func olderSnapshot(of loop: LoopID) throws(JournalError) -> Snapshot?

    /// The newest snapshot of a loop with the model after the event `sequence` or an earlier one; `nil` when none is kept.
    ///
    /// A store that keeps no earlier snapshots has the two above only.
    ///
    /// - Throws: ``JournalError`` with code `damaged` when the snapshot cannot be read or its hash does not match.
    func snapshot(of loop: LoopID, upTo sequence: UInt64) throws(JournalError) -> Snapshot?

    /// The oldest snapshot of a loop that is kept, or `nil` when there is none.
    ///
    /// - Throws: ``JournalError`` with code `damaged` when the snapshot cannot be read or its hash does not match.
    func oldestSnapshot(of loop: LoopID) throws(JournalError) -> Snapshot?

    /// Calls `visit` for each record of `loop` that was committed after its newest snapshot, in commit order; for every
    /// record when there is no snapshot. An error of `visit` ends the reading and is rethrown.
    ///
    /// - Throws: ``JournalError`` with code `damaged` when records are missing or unreadable; what `visit` throws.
    func readTail(of loop: LoopID, _ visit: (JournalRecord) throws -> Void) throws

    /// Calls `visit` for each record that was committed before the newest snapshot and after the older one, like
    /// ``readTail(of:_:)``: so that the newest can be compared with the result of `update` from the older one.
    ///
    /// When there is only one snapshot, it begins with the loop's start; when there is none, it visits nothing.
    func readBetweenSnapshots(of loop: LoopID, _ visit: (JournalRecord) throws -> Void) throws

    /// The kept records of `loop` in a range, in commit order, with their places.
    ///
    /// Its cost is bounded by the range's limits and by the size of one commit, not by the length of the history. A range may
    /// begin where no record is: it begins with the next one then.
    ///
    /// - Throws: ``JournalError`` with code `damaged` when a record in it is missing or unreadable.
    func entries(of loop: LoopID, _ range: JournalRange) throws(JournalError) -> JournalPage

    /// The builds of the program that wrote events of `loop`, of those in `sequences` that are kept: each once, oldest first.
    func builds(of loop: LoopID, in sequences: ClosedRange<UInt64>) throws(JournalError) -> [String]

    // MARK: Outside keys

    /// The outside keys (``SourceKey/outside(_:)``) that the loop has applied, oldest first, at most the newest `limit`.
    func outsideKeys(of loop: LoopID, limit: Int) throws(JournalError) -> [String]

    /// Whether the key is among those that the loop has applied.
    func hasApplied(key: String, of loop: LoopID) throws(JournalError) -> Bool

    /// The number of the last event that applied the key, and what its sender was told (``EventRecord/reply``); `nil` for
    /// a key that is not among those that the loop has applied.
    ///
    /// The reply is kept as long as its key, also when its event's record was deleted; it is marked as repeated.
    func confirmation(of key: String, in loop: LoopID) throws(JournalError) -> EventConfirmation?

    /// Returns the mark of the last event that applied the key: its sender and its content.
    ///
    /// It is `nil` for a key that is not among those that the loop has applied, and where it was not written down, as
    /// by an earlier build.
    ///
    /// It is kept as long as its key.
    func mark(of key: String, in loop: LoopID) throws(JournalError) -> SenderMark?

    // MARK: Dead letters

    /// Dead letters of one loop, or of all, that come after the effect `after`, at most `limit`: by their loops' names in
    /// UTF-8, then in the order the effects were asked for.
    func deadLetters(of loop: LoopID?, after: EffectID?, limit: Int) throws(JournalError) -> [DeadLetter]

    /// The same without the bytes of large effects, and fewer when their effects are large: at least one, if there is one.
    ///
    /// Its cost is bounded, however large the letters are; letters without their bytes are not checked for damage.
    func deadLetterHeads(of loop: LoopID?, after: EffectID?, limit: Int) throws(JournalError) -> [DeadLetterHead]

    /// The dead letter of an effect, if it has one.
    func deadLetter(_ id: EffectID) throws(JournalError) -> DeadLetter?

    /// The number of dead letters of one loop, or of all.
    func deadLetterCount(of loop: LoopID?) throws(JournalError) -> Int

    /// The number of dead letters of each loop that has some; its cost does not depend on the number of all loops.
    func deadLetterCounts() throws(JournalError) -> [LoopID: Int]

    // MARK: Events on which `update` fails

    /// The crashes that were noted and not forgotten, one per event, in the order in which they first were.
    func crashes() throws(JournalError) -> [Crash]
}

extension JournalReading {
    /// Looks each of them up.
    public func storedLoops(_ loops: [LoopID]) throws(JournalError) -> [StoredLoop] {
        var found: [StoredLoop] = []
        for loop in loops {
            found += try loopPage(prefix: loop.name, after: nil, limit: 1).filter { $0.loop == loop }
        }
        return found
    }

    /// Does nothing.
    public func prefetch(_ loops: [LoopID]) {}

    /// The newest at or before the event, of the two that recovery needs.
    public func snapshot(of loop: LoopID, upTo sequence: UInt64) throws(JournalError) -> Snapshot? {
        if let newest = try newestSnapshot(of: loop), newest.sequence <= sequence { return newest }
        guard let older = try olderSnapshot(of: loop), older.sequence <= sequence else { return nil }
        return older
    }

    /// The older of the two that recovery needs.
    public func oldestSnapshot(of loop: LoopID) throws(JournalError) -> Snapshot? {
        if let older = try olderSnapshot(of: loop) { return older }
        return try newestSnapshot(of: loop)
    }

    /// All of each letter, for a store that has it in memory.
    public func deadLetterHeads(
        of loop: LoopID?, after: EffectID?, limit: Int
    ) throws(JournalError) -> [DeadLetterHead] {
        try deadLetters(of: loop, after: after, limit: limit).map {
            DeadLetterHead(letter: $0, size: $0.effect.bytes.count)
        }
    }
}
