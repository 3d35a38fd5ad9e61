package import MobiusJournal
package import MobiusWire

/// The writer of a journal in tables: each call adds to a commit, which the store runs.
package struct TableWriter {
    private let kept: KeptHistory
    private var records: RecordWriter
    private var compactor: Compactor

    /// Begins with the deletions that earlier processes have left.
    package init(
        shard: Int64, epoch: UInt64, limits: JournalLimits, history: KeptHistory, _ session: any JournalDatabase
    ) throws(JournalError) {
        kept = history
        records = RecordWriter(epoch: epoch, limits: limits)
        compactor = try Compactor(shard: shard, limits: limits, history: history, session)
    }

    /// Whether nothing is to be deleted.
    package var isIdle: Bool { kept == .all || compactor.isIdle }

    /// The loop's number and the place of the last record written.
    package var newest: (loop: Int64, place: RecordPlace)? { records.newest }

    /// Must be called first in every commit, with its records.
    package mutating func note(_ group: [[JournalRecord]], _ session: any JournalDatabase) throws(JournalError) {
        try compactor.note(group, session)
    }

    /// Must be called after every commit, with the bytes that it has added.
    package mutating func grow(by bytes: Int64) { compactor.grow(by: bytes) }

    /// Adds records and facts, and deletions of what the records supersede.
    package mutating func write(
        _ group: [[JournalRecord]], _ facts: [FactChange], _ session: any JournalDatabase, contents: inout Contents,
        _ commit: inout Commit
    ) throws(JournalError) {
        try records.write(group, session, contents: &contents, &commit)
        for change in facts { FactTable.apply(change, &commit) }
        guard !isIdle else { return }
        try compactor.step(group.reduce(0) { $0 + $1.count }, session, contents: &contents, &commit)
    }

    /// Adds snapshots and idle loops.
    package mutating func park(
        _ loops: [IdleLoop], _ snapshots: [Snapshot], _ session: any JournalDatabase, contents: inout Contents,
        _ commit: inout Commit
    ) throws(JournalError) {
        for snapshot in snapshots {
            let numbered = try contents.loops.find(snapshot.loop, session)
            snapshot.requirePlace(numbered?.last)
            guard let numbered, let place = numbered.last else { continue }
            if kept != .all {
                try compactor.check(snapshot.loop, numbered, session, contents: &contents, &commit)
            }
            SnapshotTable.insert(
                snapshot, at: place, loop: numbered.number, kinds: &contents.kinds, kept: kept, &commit)
        }
        // Idle loops make no commits that would delete their records.
        if kept != .all, !loops.isEmpty {
            try compactor.step(snapshots.count, session, contents: &contents, &commit)
        }
        for loop in loops { try contents.loops.park(loop, session, &commit) }
    }

    /// Counts a crash; see ``JournalStore/noteCrash(_:build:epoch:at:)``.
    package func noteCrash(
        _ crash: Crash, _ session: any JournalDatabase, contents: inout Contents, _ commit: inout Commit
    ) throws(JournalError) -> Int {
        var crash = crash
        let breadcrumb = crash.breadcrumb
        let known = try row(on: breadcrumb.source, of: breadcrumb.loop, session, contents)
        if let known = known?.crash {
            crash.count = known.epoch == crash.epoch ? known.count : known.count + 1
            crash.isDropped = known.isDropped
        }
        let loop = try contents.loops.findOrAdd(breadcrumb.loop, first: .start, session, &commit).number
        CrashTable.put(crash, id: known?.id, loop: loop, kinds: &contents.kinds, &commit)
        return crash.count
    }

    /// Notes that an event is to be dropped; see ``JournalStore/markDropped(_:of:)``.
    package func markDropped(
        _ source: SourceKey, of loop: LoopID, _ session: any JournalDatabase, contents: inout Contents,
        _ commit: inout Commit
    ) throws(JournalError) {
        guard let row = try row(on: source, of: loop, session, contents) else { return }
        var crash = row.crash
        crash.isDropped = true
        CrashTable.put(crash, id: row.id, loop: row.loop, kinds: &contents.kinds, &commit)
    }

    /// Removes the crashes on one event.
    package func forgetCrash(
        _ source: SourceKey, of loop: LoopID, _ session: any JournalDatabase, contents: Contents, _ commit: inout Commit
    ) throws(JournalError) {
        guard let row = try row(on: source, of: loop, session, contents) else { return }
        CrashTable.remove(row.id, &commit)
    }

    private func row(
        on source: SourceKey, of loop: LoopID, _ session: any JournalDatabase, _ contents: Contents
    ) throws(JournalError) -> CrashTable.Row? {
        try contents.crashes(session).first {
            $0.crash.breadcrumb.loop == loop && $0.crash.breadcrumb.source == source
        }
    }

    /// The loop of this number is being removed.
    package mutating func forget(_ loop: Int64) {
        records.forget(loop)
        compactor.forget(loop)
    }
}
