import GRDB
import MobiusJournal
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
    }

    // At most one per loop, by its number; the last one in the order is in progress.
    private var debts: [Int64: Debt] = [:]
    private var order: [Int64] = []
    private var trimmer: KeyTrimmer

    /// Begins with the deletions that earlier processes have left.
    init(_ database: Database, contents: inout StoredJournal, limits: JournalLimits) throws {
        trimmer = KeyTrimmer(limit: limits.outsideKeys)
        // Idle loops are checked when they return: reading all of them would take as long as there are many.
        for (loop, _) in try contents.loops.active(database) {
            try check(loop, database, contents: &contents)
        }
    }

    /// Must be called after a snapshot of the loop was saved.
    mutating func check(_ loop: LoopID, _ database: Database, contents: inout StoredJournal) throws {
        guard let numbered = try contents.loops.find(loop, database), let last = numbered.last,
            let older = try SnapshotTable.place(skipping: 1, loop: numbered.number, database, path: contents.path)
        else { return }
        // The record at the snapshot stays, so that a loop always has a last record.
        if older > numbered.first {
            let debt = Debt(loop: loop, number: numbered.number, boundary: min(older, last))
            if debts.updateValue(debt, forKey: debt.number) == nil { order.append(debt.number) }
        }
        trimmer.check(loop: numbered.number, last: last.sequence)
    }

    /// The loop of this number is being removed.
    mutating func forget(_ loop: Int64) {
        if debts.removeValue(forKey: loop) != nil { order.removeAll { $0 == loop } }
        trimmer.forget(loop)
    }

    /// Whether nothing is left to delete.
    var isIdle: Bool { debts.isEmpty && trimmer.isIdle }

    /// Continues within the transaction of a commit that has written `written` records.
    mutating func step(_ written: Int, _ database: Database, contents: inout StoredJournal) throws {
        let budget = max(Self.minimum, written * Self.perRecord)
        guard let number = order.last, let debt = debts[number] else {
            try trimmer.step(budget, database)
            return
        }
        let table = BatchTable(path: contents.path, loop: debt.number)
        let (first, isPaid) = try table.delete(before: debt.boundary, budget: budget, database)
        if isPaid {
            debts[number] = nil
            order.removeLast()
        }
        try contents.loops.setFirst(first?.first ?? debt.boundary, of: debt.loop, database)
    }
}
