import MobiusJournal
import MobiusJournalTables
import MobiusWire

/// Deletes records that no snapshot needs, a few with each commit.
///
/// So compaction delays no commit and adds no fsync. A crash in between leaves a journal that has lost a little more of
/// its beginning. Later records use the space again; the file does not shrink.
struct Compactor {
    private static let perRecord = 4
    private static let minimum = 16

    private struct Debt {
        let loop: LoopID
        let number: Int64
        /// Records before this place are deleted.
        let boundary: RecordPlace
        /// Whether ``HistoryKeeper`` has released it.
        var isReleased = false
    }

    // At most one per loop, by its number; the last one in the order is in progress.
    private var debts: [Int64: Debt] = [:]
    private var order: [Int64] = []
    private var trimmer: KeyTrimmer
    private var history: HistoryKeeper

    /// Begins with the deletions that earlier processes have left.
    init(
        _ database: Database, contents: inout Contents, limits: JournalLimits, history kept: KeptHistory
    ) throws {
        trimmer = KeyTrimmer(limit: limits.outsideKeys)
        history = try HistoryKeeper(database, kept: kept)
        // Idle loops are checked when they return: reading all of them would take as long as there are many.
        for loop in try database.activeLoops(shard: Database.shard) {
            try check(loop, database, contents: &contents)
        }
    }

    /// Must be called after a snapshot of the loop was saved, and when the journal is opened.
    mutating func check(
        _ loop: LoopID, _ database: Database, contents: inout Contents, isSaved: Bool = false
    ) throws {
        guard let numbered = try contents.loops.find(loop, database), let last = numbered.last,
            let older = try SnapshotTable.place(
                skipping: 1, loop: numbered.number, shard: Database.shard, database)
        else { return }
        // The record at the snapshot stays, so that a loop always has a last record.
        if case .window = history.kept {
            if isSaved { try supersede(loop, numbered, before: older, database, contents: &contents) }
        } else if older > numbered.first {
            add(Debt(loop: loop, number: numbered.number, boundary: min(older, last)))
        }
        trimmer.check(loop: numbered.number, last: last.sequence)
    }

    private mutating func add(_ debt: Debt) {
        var debt = debt
        if let earlier = debts[debt.number] { debt.isReleased = debt.isReleased || earlier.isReleased }
        if debts.updateValue(debt, forKey: debt.number) == nil { order.append(debt.number) }
    }

    /// The loop of this number is being removed.
    mutating func forget(_ loop: Int64, _ database: Database) throws {
        if debts.removeValue(forKey: loop) != nil { order.removeAll { $0 == loop } }
        trimmer.forget(loop)
        try history.forget(loop, database)
    }

    /// Notes what the next commit contains.
    mutating func note(_ group: [[JournalRecord]]) { history.note(group) }

    /// Whether nothing is left to delete.
    var isIdle: Bool { debts.isEmpty && trimmer.isIdle && history.isIdle }

    /// Continues within the transaction of a commit that has written `written` records.
    mutating func step(_ written: Int, _ database: Database, contents: inout Contents) throws {
        let budget = max(Self.minimum, written * Self.perRecord)
        // Two segments of history, so that their release keeps up with snapshots after each commit.
        for _ in 0..<2 {
            if debts.isEmpty, try !release(database, contents: &contents) { break }
            guard let debt = order.last.flatMap({ debts[$0] }) else { continue }
            guard try pay(debt, budget, database, contents: &contents), debt.isReleased else { return }
        }
        if debts.isEmpty { try trimmer.step(budget, database) }
    }

    /// Deletes a part of what precedes a boundary; returns whether that was the last.
    private mutating func pay(
        _ debt: Debt, _ budget: Int, _ database: Database, contents: inout Contents
    ) throws -> Bool {
        let table = BatchTable(path: database.shown, loop: debt.number)
        let (first, isPaid) = try table.delete(before: debt.boundary, budget: budget, database)
        if isPaid {
            debts[debt.number] = nil
            order.removeLast()  // it was in progress
        }
        if let numbered = try contents.loops.find(debt.loop, database) {
            try database.perform {
                contents.loops.setFirst(first?.first ?? debt.boundary, of: debt.loop, numbered, &$0)
            }
        }
        if isPaid, debt.isReleased { try history.finish(database) }
        return isPaid
    }

    // MARK: The window of history

    private mutating func supersede(
        _ loop: LoopID, _ numbered: NumberedLoop, before older: RecordPlace, _ database: Database,
        contents: inout Contents
    ) throws {
        guard older > numbered.first else { return }
        var time = history.now
        if time == nil, let last = numbered.last?.sequence {
            // Nothing was committed since the start: the loop's newest event is older than now, but than no event here.
            let newest = try contents.entries(of: loop, JournalRange(from: last, to: last, limit: 1), database)
            if case .event(let event)? = newest.entries.first?.record { time = event.time }
        }
        try history.supersede(
            numbered.number, before: older, at: time ?? WallTime(milliseconds: .max), database)
    }

    /// Begins to delete the oldest segment of history if that is beyond the window; its snapshots go at once.
    private mutating func release(_ database: Database, contents: inout Contents) throws -> Bool {
        guard let segment = history.release() else { return false }
        guard let loop = segment.loop, let numbered = try contents.loops.find(loop, database), let last = numbered.last,
            let older = try SnapshotTable.place(
                skipping: 1, loop: segment.number, shard: Database.shard, database)
        else {
            try history.finish(database)
            return true
        }
        // An earlier program may have left a row that has outlived its loop.
        let boundary = min(segment.end, older, last)
        try database.perform { SnapshotTable.delete(before: boundary, loop: segment.number, &$0) }
        if boundary > numbered.first {
            add(Debt(loop: loop, number: segment.number, boundary: boundary, isReleased: true))
        } else {
            try history.finish(database)
        }
        return true
    }
}
