package import MobiusJournal
package import MobiusWire

/// Deletes the oldest outside keys of loops that have too many, with their replies, a few with each commit.
package protocol KeyTrimmer {
    /// Whether nothing is left to do.
    var isIdle: Bool { get }
    /// Plans a scan if the loop may have too many keys, that is, if it has at least as many events.
    mutating func check(loop: Int64, last: UInt64)
    /// The loop is being removed.
    mutating func forget(_ loop: Int64)
    /// Continues with about `budget` rows.
    mutating func step(_ budget: Int, _ commit: inout Commit) throws(JournalError)
}

/// Deletes records and keys that need not be kept, a few with each commit.
///
/// So compaction delays no commit and adds no fsync. A crash in between leaves a journal that has lost a little more of
/// its beginning. Later records use the space again.
package struct Compactor {
    private static let perRecord = 4
    private static let minimum = 64

    private struct Debt {
        let loop: LoopID
        let number: Int64
        /// Records before this place are deleted.
        let boundary: RecordPlace
        /// The segment of history that they are, if ``HistoryKeeper`` has released it.
        var segment: Int64?
    }

    /// The plan of this commit for a loop: it cannot be read before the commit's end.
    private struct Planned {
        /// The loop's first record.
        var first: RecordPlace
        /// Its snapshots before this place are deleted.
        var snapshots = RecordPlace.start
    }

    // The first one is in progress; there is at most one per loop.
    private var debts: [Debt] = []
    private var trimmer: any KeyTrimmer
    private var history: HistoryKeeper
    private let shard: Int64

    /// Begins with the deletions that earlier processes have left.
    package init(shard: Int64, limits: JournalLimits, history kept: KeptHistory, _ session: any JournalDatabase)
        throws(JournalError)
    {
        self.shard = shard
        trimmer = session.keyTrimmer(shard: shard, limit: limits.outsideKeys)
        history = try HistoryKeeper(shard: shard, kept: kept, session)
        guard kept == .needed else { return }
        // Idle loops are checked when they return: reading all of them would take as long as there are many.
        debts = try session.leftovers(shard: shard).map { Debt(loop: $0.loop, number: $0.number, boundary: $0.end) }
    }

    /// Whether nothing is left to delete.
    package var isIdle: Bool { debts.isEmpty && trimmer.isIdle && history.isIdle }

    /// Must be called first in every commit, with its records.
    package mutating func note(_ group: [[JournalRecord]], _ session: any JournalDatabase) throws(JournalError) {
        try history.note(group, session)
    }

    /// Must be called after every commit, with the bytes that it has added.
    package mutating func grow(by bytes: Int64) { history.grow(by: bytes) }

    /// Must be called before a snapshot of the loop is saved: the newest one until then is the older one after it.
    package mutating func check(
        _ loop: LoopID, _ numbered: NumberedLoop, _ session: any JournalDatabase, contents: inout Contents,
        _ commit: inout Commit
    ) throws(JournalError) {
        guard let last = numbered.last,
            let older = try SnapshotTable.place(loop: numbered.number, shard: shard, session)
        else { return }
        // The record at the snapshot stays, so that a loop always has a last record.
        if older > numbered.first {
            if case .window = history.kept {
                // Without a commit since the start, the loop's newest event is older than now, but than no event here.
                var time = history.now
                if time == nil { time = try contents.newestTime(of: loop, last, session) }
                history.supersede(
                    loop, numbered.number, before: older, at: time ?? WallTime(milliseconds: .max), &commit)
            } else {
                add(Debt(loop: loop, number: numbered.number, boundary: min(older, last)))
            }
        }
        trimmer.check(loop: numbered.number, last: last.sequence)
    }

    private mutating func add(_ debt: Debt) {
        guard let index = debts.firstIndex(where: { $0.number == debt.number }) else { return debts.append(debt) }
        let segment = debts[index].segment
        debts[index] = debt
        debts[index].segment = debt.segment ?? segment
    }

    /// The loop of this number is being removed.
    package mutating func forget(_ loop: Int64) {
        debts.removeAll { $0.number == loop }
        trimmer.forget(loop)
        history.forget(loop)
    }

    /// Adds deletions to a commit that has `written` records.
    package mutating func step(
        _ written: Int, _ session: any JournalDatabase, contents: inout Contents, _ commit: inout Commit
    ) throws(JournalError) {
        let budget = max(Self.minimum, written * Self.perRecord)
        var left = budget
        var planned: [Int64: Planned] = [:]
        while left > 0 {
            if debts.isEmpty, try !release(session, contents: &contents, &planned, &commit) { break }
            guard let debt = debts.first else { continue }
            // Short segments cost, too.
            left -= min(left, Self.minimum / 8)
            guard try pay(debt, &left, session, contents: &contents, &planned, &commit), debt.segment != nil
            else { return }
        }
        if debts.isEmpty { try trimmer.step(budget, &commit) }
    }

    /// Deletes a part of what precedes a boundary; returns whether that was the last.
    private mutating func pay(
        _ debt: Debt, _ left: inout Int, _ session: any JournalDatabase, contents: inout Contents,
        _ planned: inout [Int64: Planned], _ commit: inout Commit
    ) throws(JournalError) -> Bool {
        guard var numbered = try contents.loops.find(debt.loop, session) else {
            debts.removeFirst()
            return true
        }
        numbered.first = planned[debt.number]?.first ?? numbered.first
        let (first, isPaid) = try session.deleteBatches(
            from: numbered.first, before: debt.boundary, loop: debt.number, budget: &left, &commit)
        contents.loops.setFirst(first, of: debt.loop, numbered, &commit)
        planned[debt.number, default: Planned(first: first)].first = first
        guard isPaid else { return false }
        debts.removeFirst()
        if let segment = debt.segment { HistoryTable.delete(upTo: segment, loop: debt.number, &commit) }
        return true
    }

    /// Begins to delete the oldest segment of history if that is beyond the window; its snapshots go at once.
    private mutating func release(
        _ session: any JournalDatabase, contents: inout Contents, _ planned: inout [Int64: Planned],
        _ commit: inout Commit
    ) throws(JournalError) -> Bool {
        guard let segment = history.release(added: commit.added) else { return false }
        guard let loop = segment.loop, let numbered = try contents.loops.find(loop, session),
            let last = numbered.last,
            let older = try SnapshotTable.place(skipping: 1, loop: segment.number, shard: shard, session)
        else {
            HistoryTable.delete(upTo: segment.id, loop: segment.number, &commit)
            return true
        }
        let boundary = min(segment.end, older, last)
        var plan = planned[segment.number] ?? Planned(first: numbered.first)
        if boundary > plan.snapshots {
            commit.added -= try SnapshotTable.bytes(
                from: plan.snapshots, before: boundary, loop: segment.number, shard: shard, session)
            SnapshotTable.delete(before: boundary, loop: segment.number, &commit)
            plan.snapshots = boundary
        }
        planned[segment.number] = plan
        if boundary > plan.first {
            add(Debt(loop: loop, number: segment.number, boundary: boundary, segment: segment.id))
        } else {
            HistoryTable.delete(upTo: segment.id, loop: segment.number, &commit)
        }
        return true
    }
}

extension Contents {
    /// The time of the event at a place.
    fileprivate mutating func newestTime(
        of loop: LoopID, _ place: RecordPlace, _ session: any JournalDatabase
    ) throws(JournalError) -> WallTime? {
        let range = JournalRange(from: place.sequence, to: place.sequence, limit: 1)
        do {
            guard case .event(let event)? = try entries(of: loop, range, session).entries.first?.record else {
                return nil
            }
            return event.time
        } catch let error as JournalError {
            throw error
        } catch {
            throw JournalError(.notReadable, "The journal cannot be read.", underlying: error)
        }
    }
}
