public import MobiusJournal
import MobiusJournalTables
public import MobiusWire

// The requirements of `JournalReading`. Each call uses the one connection and needs no transaction, as nothing else
// writes.
extension SQLiteJournal {
    /// The loops that have begun, in the order in which they did.
    public func loops() throws(JournalError) -> [LoopID] {
        try read { try $0.loopNames($1) }
    }

    /// The loops that have ended, in the order of their ends.
    public func endedLoops() throws(JournalError) -> [EndedLoop] {
        try read { try EndedLoopTable.all(shard: Database.shard, $1) }
    }

    /// The end of a loop; see ``JournalReading/end(of:)``.
    public func end(of loop: LoopID) throws(JournalError) -> EndedLoop? {
        try read { try $0.end(of: loop, $1) }
    }

    /// The loops that are not idle, in the order in which they began.
    public func activeLoops() throws(JournalError) -> [LoopID] {
        try read { try $1.activeLoops(shard: Database.shard) }
    }

    /// The number of idle loops, and of their events.
    public func idleTotals() throws(JournalError) -> IdleTotals {
        try read { try $0.loops.idleTotals($1) }
    }

    /// Whether the loop has begun.
    public func contains(_ loop: LoopID) throws(JournalError) -> Bool {
        try read { try $0.loops.find(loop, $1)?.last != nil }
    }

    /// A page of loops by name; see ``JournalReading/loopPage(prefix:after:limit:)``.
    public func loopPage(prefix: String, after: LoopID?, limit: Int) throws(JournalError) -> [StoredLoop] {
        precondition(limit >= 0, "A limit is not negative.")
        return try read {
            try IdleTable.page(prefix: prefix, after: after, limit: limit, shard: Database.shard, $1)
        }
    }

    /// The number of dead letters of each loop that has some.
    public func deadLetterCounts() throws(JournalError) -> [LoopID: Int] {
        try read { try DeadLetterTable.counts(shard: Database.shard, $1) }
    }

    /// Calls `body`, whose reads are one transaction: SQLite locks and unlocks the file once instead of for each.
    public func together(_ body: () -> Void) {
        // Accesses are not nested, and the calls of `body` need their own.
        let hasBegun = (try? run { try $0.run("BEGIN") }) != nil
        body()
        guard hasBegun else { return }
        try? run { database in
            do { try database.run("COMMIT") } catch { database.rollback() }
        }
    }

    /// The number of the event with which a loop began; see ``JournalReading/beginning(of:)``.
    public func beginning(of loop: LoopID) throws(JournalError) -> UInt64 {
        try read { try $0.beginning(of: loop, $1) }
    }

    /// The number of a new loop's first event; see ``JournalReading/newLoops()``.
    public func newLoops() throws(JournalError) -> UInt64 {
        try read { try BegunLoopTable.sequence(loop: 0, shard: Database.shard, $1) }
    }

    /// The newest snapshot of a loop, or `nil` when there is none; see ``JournalReading/newestSnapshot(of:)``.
    public func newestSnapshot(of loop: LoopID) throws(JournalError) -> Snapshot? {
        try read { try $0.snapshot(of: loop, $1) }
    }

    /// The snapshot before the newest one; see ``JournalReading/olderSnapshot(of:)``.
    public func olderSnapshot(of loop: LoopID) throws(JournalError) -> Snapshot? {
        try read { try $0.snapshot(skipping: 1, of: loop, $1) }
    }

    /// Calls `visit` for each record after the newest snapshot, batch by batch; see ``JournalReading/readTail(of:_:)``.
    public func readTail(of loop: LoopID, _ visit: (JournalRecord) throws -> Void) throws {
        do throws(JournalError) {
            try read { try $0.readTail(of: loop, $1) { record in try VisitorError.marking { try visit(record) } } }
        } catch {
            throw VisitorError.unmarked(error)
        }
    }

    /// Calls `visit` for each record between the snapshots; see ``JournalReading/readBetweenSnapshots(of:_:)``.
    public func readBetweenSnapshots(of loop: LoopID, _ visit: (JournalRecord) throws -> Void) throws {
        do throws(JournalError) {
            try read {
                try $0.readBetweenSnapshots(of: loop, $1) { record in try VisitorError.marking { try visit(record) } }
            }
        } catch {
            throw VisitorError.unmarked(error)
        }
    }

    /// The kept records of a loop in a range; see ``JournalReading/entries(of:_:)``.
    public func entries(of loop: LoopID, _ range: JournalRange) throws(JournalError) -> JournalPage {
        try read { try $0.entries(of: loop, range, $1) }
    }

    /// The builds that wrote events; see ``JournalReading/builds(of:in:)``.
    public func builds(of loop: LoopID, in sequences: ClosedRange<UInt64>) throws(JournalError) -> [String] {
        try read { try $0.builds(of: loop, in: sequences, $1) }
    }

    /// The outside keys that the loop has applied, oldest first, at most the newest `limit`.
    ///
    /// It reads only the loop's keys, so its cost depends on their number, not on the size of the journal.
    public func outsideKeys(of loop: LoopID, limit: Int) throws(JournalError) -> [String] {
        precondition(limit >= 0, "A limit is not negative.")
        return try read { try $0.outsideKeys(of: loop, limit: limit, $1) }
    }

    /// Whether the loop has applied an outside key.
    public func hasApplied(key: String, of loop: LoopID) throws(JournalError) -> Bool {
        try read { try $0.sequence(of: key, in: loop, $1) != nil }
    }

    /// What the sender of the key was told; see ``JournalReading/confirmation(of:in:)``.
    public func confirmation(of key: String, in loop: LoopID) throws(JournalError) -> EventConfirmation? {
        try read { try $0.confirmation(of: key, in: loop, $1) }
    }

    /// Who sent the event of the key; see ``JournalReading/mark(of:in:)``.
    public func mark(of key: String, in loop: LoopID) throws(JournalError) -> SenderMark? {
        try read { try $0.mark(of: key, in: loop, $1) }
    }

    /// Dead letters in order; see ``JournalReading/deadLetters(of:after:limit:)``.
    public func deadLetters(
        of loop: LoopID?, after: EffectID?, limit: Int
    ) throws(JournalError) -> [DeadLetter] {
        precondition(limit >= 0, "A limit is not negative.")
        return try read {
            try $0.deadLetters(of: loop, after: after, limit: limit, bytes: .max, total: .max, $1).map(\.letter)
        }
    }

    /// The same without the bytes of large effects; see ``JournalReading/deadLetterHeads(of:after:limit:)``.
    public func deadLetterHeads(
        of loop: LoopID?, after: EffectID?, limit: Int
    ) throws(JournalError) -> [DeadLetterHead] {
        precondition(limit >= 0, "A limit is not negative.")
        return try read {
            try $0.deadLetters(
                of: loop, after: after, limit: limit, bytes: DeadLetterHead.maximumBytes,
                total: DeadLetterHead.maximumTotal, $1)
        }
    }

    /// The dead letter of an effect, if it has one.
    public func deadLetter(_ id: EffectID) throws(JournalError) -> DeadLetter? {
        try read { try $0.deadLetter(id, $1) }
    }

    /// Whether the effect was requeued; see ``JournalStore/wasRequeued(_:)``.
    public func wasRequeued(_ id: EffectID) throws(JournalError) -> Bool {
        try read { contents, database in
            guard let loop = try contents.loops.find(id.loop, database) else { return false }
            return try DeadLetterTable.wasRequeued(id, loop: loop.number, shard: Database.shard, database)
        }
    }

    /// The number of dead letters of one loop, or of all loops.
    public func deadLetterCount(of loop: LoopID?) throws(JournalError) -> Int {
        try read { try $0.deadLetterCount(of: loop, $1) }
    }

    /// The recorded crashes, in the order in which they were first recorded.
    public func crashes() throws(JournalError) -> [Crash] {
        try read { try $0.crashes($1).map(\.crash) }
    }

    /// The newest snapshot at or before an event; see ``JournalReading/snapshot(of:upTo:)``.
    public func snapshot(of loop: LoopID, upTo sequence: UInt64) throws(JournalError) -> Snapshot? {
        try read { try $0.snapshot(of: loop, upTo: sequence, $1) }
    }

    /// The oldest snapshot that is kept; see ``JournalReading/oldestSnapshot(of:)``.
    public func oldestSnapshot(of loop: LoopID) throws(JournalError) -> Snapshot? {
        try read { try $0.oldestSnapshot(of: loop, $1) }
    }
}
