public import MobiusJournal
public import MobiusWire

/// The access to a journal's tables.
package protocol TableAccess: AnyObject {
    /// The journal's name in messages for operators.
    var shown: String { get }
    /// Runs `body` on one consistent state of the journal; what it throws is thrown, but for errors of the database's own
    /// kind, which become a ``JournalError``.
    func read<T>(_ body: (inout Contents, any JournalDatabase) throws -> T) throws -> T
}

/// A journal in the tables of a database, as far as it is read.
///
/// Calls come from one thread at a time and block it.
open class TableJournal: JournalReading, @unchecked Sendable {
    // @unchecked: calls come from one thread at a time.

    /// The journal's identity, drawn when it was made.
    public let identity: JournalID
    private let access: any TableAccess

    /// Reads what `access` gives access to.
    package init(identity: JournalID, _ access: any TableAccess) {
        self.identity = identity
        self.access = access
    }

    /// Reads in blocks what is announced, where a database can do so; see ``JournalReading/prefetch(_:)``.
    open func prefetch(_ loops: [LoopID]) {}

    /// Calls `body`, whose reads may share what reading costs; see ``JournalReading/together(_:)``.
    open func together(_ body: () -> Void) { body() }

    /// Runs `body`, which throws nothing of its own, on one consistent state of the journal.
    package func reading<T>(_ body: (inout Contents, any JournalDatabase) throws -> T) throws(JournalError) -> T {
        do {
            return try access.read(body)
        } catch let error as JournalError {
            throw error
        } catch {
            throw JournalError(.notReadable, "The journal \(access.shown) cannot be used.", underlying: error)
        }
    }

    /// The loops that have begun, in the order in which they did.
    public func loops() throws(JournalError) -> [LoopID] {
        try reading { try $0.loopNames($1) }
    }

    /// The loops that have ended, in the order of their ends.
    public func endedLoops() throws(JournalError) -> [EndedLoop] {
        try reading { try EndedLoopTable.all(shard: $0.shard, $1) }
    }

    /// The end of a loop; see ``JournalReading/end(of:)``.
    public func end(of loop: LoopID) throws(JournalError) -> EndedLoop? {
        try reading { try $0.end(of: loop, $1) }
    }

    /// The number of a new loop's first event; see ``JournalReading/newLoops()``.
    public func newLoops() throws(JournalError) -> UInt64 {
        try reading { try BegunLoopTable.sequence(loop: 0, shard: $0.shard, $1) }
    }

    /// The number of the event with which a loop began; see ``JournalReading/beginning(of:)``.
    public func beginning(of loop: LoopID) throws(JournalError) -> UInt64 {
        try reading { contents, session in
            guard let numbered = try contents.loops.find(loop, session) else { return 0 }
            return try BegunLoopTable.sequence(loop: numbered.number, shard: contents.shard, session)
        }
    }

    /// The loops that are not idle, in the order in which they began.
    public func activeLoops() throws(JournalError) -> [LoopID] {
        try reading { try $1.activeLoops(shard: $0.shard) }
    }

    /// The number of idle loops, and of their events.
    public func idleTotals() throws(JournalError) -> IdleTotals {
        try reading { try $0.loops.idleTotals($1) }
    }

    /// Whether the loop has begun.
    public func contains(_ loop: LoopID) throws(JournalError) -> Bool {
        try reading { try $0.loops.find(loop, $1)?.last != nil }
    }

    /// A page of loops by name; see ``JournalReading/loopPage(prefix:after:limit:)``.
    public func loopPage(prefix: String, after: LoopID?, limit: Int) throws(JournalError) -> [StoredLoop] {
        precondition(limit >= 0, "A limit is not negative.")
        return try reading {
            try IdleTable.page(prefix: prefix, after: after, limit: limit, shard: $0.shard, $1)
        }
    }

    /// The number of loops of a kind; see ``JournalReading/loopCount(ofKind:)``.
    public func loopCount(ofKind kind: String) throws(JournalError) -> Int {
        try reading { try IdleTable.loopCount(ofKind: kind, shard: $0.shard, $1) }
    }

    /// Those of these loops that have begun; one round trip.
    public func storedLoops(_ loops: [LoopID]) throws(JournalError) -> [StoredLoop] {
        try reading { try IdleTable.stored(loops, shard: $0.shard, $1) }
    }

    /// The number of dead letters of each loop that has some.
    public func deadLetterCounts() throws(JournalError) -> [LoopID: Int] {
        try reading { try DeadLetterTable.counts(shard: $0.shard, $1) }
    }

    /// The newest snapshot of a loop, or `nil` when there is none; see ``JournalReading/newestSnapshot(of:)``.
    public func newestSnapshot(of loop: LoopID) throws(JournalError) -> Snapshot? {
        try reading { try $0.snapshot(of: loop, $1) }
    }

    /// The snapshot before the newest one; see ``JournalReading/olderSnapshot(of:)``.
    public func olderSnapshot(of loop: LoopID) throws(JournalError) -> Snapshot? {
        try reading { try $0.snapshot(skipping: 1, of: loop, $1) }
    }

    /// The newest snapshot at or before an event; see ``JournalReading/snapshot(of:upTo:)``.
    public func snapshot(of loop: LoopID, upTo sequence: UInt64) throws(JournalError) -> Snapshot? {
        try reading { try $0.snapshot(of: loop, upTo: sequence, $1) }
    }

    /// The oldest snapshot that is kept; see ``JournalReading/oldestSnapshot(of:)``.
    public func oldestSnapshot(of loop: LoopID) throws(JournalError) -> Snapshot? {
        try reading { try $0.oldestSnapshot(of: loop, $1) }
    }

    /// Calls `visit` for each record after the newest snapshot; see ``JournalReading/readTail(of:_:)``.
    public func readTail(of loop: LoopID, _ visit: (JournalRecord) throws -> Void) throws {
        try access.read { try $0.readTail(of: loop, $1, visit) }
    }

    /// Calls `visit` for each record between the snapshots; see ``JournalReading/readBetweenSnapshots(of:_:)``.
    public func readBetweenSnapshots(of loop: LoopID, _ visit: (JournalRecord) throws -> Void) throws {
        try access.read { try $0.readBetweenSnapshots(of: loop, $1, visit) }
    }

    /// The kept records of a loop in a range; see ``JournalReading/entries(of:_:)``.
    public func entries(of loop: LoopID, _ range: JournalRange) throws(JournalError) -> JournalPage {
        try reading { try $0.entries(of: loop, range, $1) }
    }

    /// The builds that wrote events; see ``JournalReading/builds(of:in:)``.
    public func builds(of loop: LoopID, in sequences: ClosedRange<UInt64>) throws(JournalError) -> [String] {
        try reading { try $0.builds(of: loop, in: sequences, $1) }
    }

    /// The outside keys that the loop has applied, oldest first, at most the newest `limit`.
    public func outsideKeys(of loop: LoopID, limit: Int) throws(JournalError) -> [String] {
        precondition(limit >= 0, "A limit is not negative.")
        return try reading { try $0.outsideKeys(of: loop, limit: limit, $1) }
    }

    /// Whether the loop has applied an outside key.
    public func hasApplied(key: String, of loop: LoopID) throws(JournalError) -> Bool {
        try reading { try $0.sequence(of: key, in: loop, $1) != nil }
    }

    /// Returns the confirmation that the sender of the key got; see ``JournalReading/confirmation(of:in:)``.
    public func confirmation(of key: String, in loop: LoopID) throws(JournalError) -> EventConfirmation? {
        try reading { try $0.confirmation(of: key, in: loop, $1) }
    }

    /// Returns the mark of the event with the key; see ``JournalReading/mark(of:in:)``.
    public func mark(of key: String, in loop: LoopID) throws(JournalError) -> SenderMark? {
        try reading { try $0.mark(of: key, in: loop, $1) }
    }

    /// Dead letters in order; see ``JournalReading/deadLetters(of:after:limit:)``.
    public func deadLetters(
        of loop: LoopID?, after: EffectID?, limit: Int
    ) throws(JournalError) -> [DeadLetter] {
        precondition(limit >= 0, "A limit is not negative.")
        return try reading {
            try $0.deadLetters(of: loop, after: after, limit: limit, bytes: .max, total: .max, $1).map(\.letter)
        }
    }

    /// The same without the bytes of large effects; see ``JournalReading/deadLetterHeads(of:after:limit:)``.
    public func deadLetterHeads(
        of loop: LoopID?, after: EffectID?, limit: Int
    ) throws(JournalError) -> [DeadLetterHead] {
        precondition(limit >= 0, "A limit is not negative.")
        return try reading {
            try $0.deadLetters(
                of: loop, after: after, limit: limit, bytes: DeadLetterHead.maximumBytes,
                total: DeadLetterHead.maximumTotal, $1)
        }
    }

    /// The dead letter of an effect, if it has one.
    public func deadLetter(_ id: EffectID) throws(JournalError) -> DeadLetter? {
        try reading { try $0.deadLetter(id, $1) }
    }

    /// The number of dead letters of one loop, or of all loops.
    public func deadLetterCount(of loop: LoopID?) throws(JournalError) -> Int {
        try reading { try $0.deadLetterCount(of: loop, $1) }
    }

    /// The number of loops of which a fact is in a range; see ``FactIndex/factCount(_:in:atMost:)``.
    public func factCount(_ fact: String, in range: FactRange, atMost: Int) throws(JournalError) -> Int {
        try reading { try FactTable.count(fact, in: range, atMost: atMost, shard: $0.shard, $1) }
    }

    /// Loops by a fact; see ``FactIndex/factEntries(_:in:after:descending:limit:)``.
    public func factEntries(
        _ fact: String, in range: FactRange, after: FactPlace?, descending: Bool, limit: Int
    ) throws(JournalError) -> [FactEntry] {
        try reading {
            try FactTable.entries(
                fact, in: range, after: after, descending: descending, limit: limit, shard: $0.shard, $1)
        }
    }

    /// Loops with facts by name; see ``FactIndex/factEntries(prefix:after:limit:)``.
    public func factEntries(prefix: String, after: LoopID?, limit: Int) throws(JournalError) -> [FactEntry] {
        try reading { try FactTable.entries(prefix: prefix, after: after, limit: limit, shard: $0.shard, $1) }
    }

    /// The pauses of the pools that are paused, in a journal that is open to be written.
    public func pausedPools() throws(JournalError) -> [String: PoolPause] {
        try reading { try PausedPoolTable.all(shard: $0.shard, $1) }
    }

    /// The recorded crashes, in the order in which they were first recorded.
    public func crashes() throws(JournalError) -> [Crash] {
        try reading { try $0.crashes($1).map(\.crash) }
    }
}
