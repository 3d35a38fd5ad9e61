public import MobiusJournal
public import MobiusJournalTables
public import MobiusWire

/// A journal in one SQLite file, with a write-ahead log beside it while it is open.
///
/// Every call that writes is one transaction, fsynced before it returns. A call that has returned survives SIGKILL and
/// a power cut; one that has not is on disk completely or not at all.
///
/// One process may have the journal open. It locks `FILE-lock`, which contains its pid, and the file itself under any
/// of its names. A second process is refused at once; after a crash the next one can open the journal at once. Tools
/// may read the file meanwhile (``JournalInspector``).
///
/// All rows have checksums, so damage on disk is detected when a row is read. `FILE-tail` records the last commit, so a
/// log that lost its end is detected when the file is opened.
///
/// Once a loop has two snapshots, its records before the older one are deleted, a few with each commit, unless the
/// journal keeps its history, or a window of it. The file does not shrink, but the space is used again.
///
/// As with every ``JournalStore``, calls come from one thread at a time and block it; `visit` closures must not call
/// the store.
public final class SQLiteJournal: TableJournal, JournalStore, @unchecked Sendable {
    // @unchecked: the database gives one thread at a time access, and all mutable state below is touched only with it.

    /// The number of this opening, from 1; it increases with each one.
    public let epoch: UInt64

    /// The network file system that the file is on, whose locks and syncs may not hold; `nil` for a local one.
    package var networkFileSystem: String? { file.networkFileSystem }

    private let path: String
    private let build: String
    private let lock: JournalLock
    private let file: JournalFile
    private let log: WriteAheadLog
    private let tail: JournalTail
    private let logPath: String
    private let access: StoreAccess
    private var writer: TableWriter
    private var failure: JournalError?

    /// Opens the journal at `path`, or creates one there with mode 0600; an empty file is treated as missing.
    ///
    /// - Parameters:
    ///   - path: The file. Symbolic links are followed; its folder must exist.
    ///   - application: The program's name. A journal of another program is refused, and so is this one when another
    ///     program opens it.
    ///   - build: The program's build, stored with the epoch; see ``builds(of:in:)``.
    ///   - keepsHistory: Whether no record is ever deleted; records that an earlier start has deleted are not restored.
    /// - Throws: ``JournalError``: `held` when a process has it open, `notWritable`, `foreign`, or `damaged`. A refused
    ///   file is left as it was.
    public convenience init(
        path: String, application: String, build: String, keepsHistory: Bool = false
    ) throws(JournalError) {
        try self.init(
            path: path, application: application, build: build, history: keepsHistory ? .all : .needed,
            limits: .standard)
    }

    /// The same with a choice of how much of the past is kept.
    ///
    /// - Parameter history: Applies to what later snapshots supersede; what an earlier start has kept goes only when it is
    ///   beyond a window, or when nothing is to be kept.
    public convenience init(
        path: String, application: String, build: String, history: KeptHistory
    ) throws(JournalError) {
        try self.init(path: path, application: application, build: build, history: history, limits: .standard)
    }

    /// The same with other limits, for tests.
    package init(
        path: String, application: String, build: String, history: KeptHistory = .needed, limits: JournalLimits
    ) throws(JournalError) {
        let found = try JournalPath(path)
        let lock = try JournalLock(journal: found.path, shown: path)
        var file: JournalFile?
        var database: Database?
        do throws(JournalError) {
            let locked = try JournalFile(found)
            file = locked
            self.file = locked
            try found.requireContentOfLog()
            let mark = JournalTail.read(beside: found.path)
            let opened = try JournalConnection(
                found, locked, application: application, build: build, mark: mark)
            database = opened.database
            self.epoch = opened.epoch
            self.log = opened.log
            self.tail = try JournalTail(
                beside: found.path, Self.next(mark, journal: opened.identity, epoch: opened.epoch, opened.log))
            let (contents, writer) = try JournalError.translating(path) {
                try opened.database.access { database in
                    (
                        try Contents(shard: Database.shard, database),
                        try TableWriter(
                            shard: Database.shard, epoch: opened.epoch, limits: limits, history: history, database)
                    )
                }
            }
            self.writer = writer
            access = StoreAccess(opened.database, contents)
            (self.path, logPath, self.build, self.lock) = (path, found.path + "-wal", build, lock)
            super.init(identity: opened.identity, access)
        } catch {
            database?.close()
            file?.release()
            lock.release()
            throw error
        }
    }

    /// The mark with which an epoch begins; the last record of the epoch before is still the last one.
    private static func next(
        _ mark: TailMark?, journal: JournalID, epoch: UInt64, _ log: WriteAheadLog
    ) -> TailMark {
        var next = TailMark(journal: journal, epoch: epoch)
        if let mark, mark.journal == journal { (next.loop, next.place) = (mark.loop, mark.place) }
        (next.salts, next.frames) = log.position()
        return next
    }

    deinit {
        // The store was released without `close()`.
        if !access.isClosed { closeFiles() }
    }

    /// Writes records and facts as one transaction and returns when they are on disk.
    ///
    /// - Throws: ``JournalError``. After any error the store refuses to write, with the same error: a failed fsync must
    ///   not be repeated.
    public func commit(group: [[JournalRecord]], facts: [FactChange]) throws(JournalError) {
        guard group.contains(where: { !$0.isEmpty }) else { return }
        try perform { database, mark in
            try writer.note(group, database)
            let isOneStatement = writer.isIdle && facts.isEmpty && fitsOneStatement(group)
            try Self.transaction(database, isOneStatement: isOneStatement) { database in
                try database.perform { commit in
                    try writer.write(group, facts, database, contents: &access.contents, &commit)
                    access.contents.loops.saveTotals(&commit)
                }
            }
            if let newest = writer.newest { (mark.loop, mark.place) = newest }
        }
    }

    /// Whether the records are written by a single statement: one event of a known loop, with known kinds and without
    /// an outside key.
    private func fitsOneStatement(_ group: [[JournalRecord]]) -> Bool {
        guard group.count == 1, group[0].count == 1, case .event(let event) = group[0][0],
            access.contents.loops.hasTouched(event.loop), event.outsideKey == nil, event.source != .start
        else { return false }
        let kinds = access.contents.kinds.numbered
        return (event.event.map { kinds.contains($0.kind) } ?? true)
            && event.effects.allSatisfy { kinds.contains($0.kind) }
    }

    /// Stores a snapshot of a loop, as of its last committed record, and deletes all but the one before it.
    public func save(_ snapshot: Snapshot) throws(JournalError) {
        try park([], [snapshot])
    }

    /// Stores snapshots and notes idle loops as one transaction; see ``JournalStore/park(_:_:)``.
    public func park(_ loops: [IdleLoop], _ snapshots: [Snapshot]) throws(JournalError) {
        guard !loops.isEmpty || !snapshots.isEmpty else { return }
        try write { database in
            try writer.note([], database)
            try database.perform { commit in
                try writer.park(loops, snapshots, database, contents: &access.contents, &commit)
                access.contents.loops.saveTotals(&commit)
            }
        }
    }

    /// Replaces facts; see ``JournalStore/rebuild(_:step:)``.
    public func rebuild(_ facts: [RebuiltFacts], step: FactStep?) throws(JournalError) {
        try write { database in
            try database.perform { commit in
                try FactTable.rebuild(
                    facts, step, epoch: epoch, build: build, database, loops: &access.contents.loops,
                    &commit)
            }
        }
    }

    /// The progress of this build; see ``JournalStore/factProgress()``.
    public func factProgress() throws(JournalError) -> FactProgress {
        try reading { try FactTable.progress(epoch: self.epoch, build: self.build, shard: $0.shard, $1) }
    }

    /// Counts a crash; see ``JournalStore/noteCrash(_:build:epoch:at:)``.
    public func noteCrash(
        _ breadcrumb: Breadcrumb, build: String, epoch: UInt64, at time: WallTime
    ) throws(JournalError) -> Int {
        var count = 1
        try write { database in
            let crash = Crash(breadcrumb: breadcrumb, count: 1, build: build, epoch: epoch, time: time)
            count = try database.perform {
                try writer.noteCrash(crash, database, contents: &access.contents, &$0)
            }
        }
        return count
    }

    /// Stores that an event is to be dropped; see ``JournalStore/markDropped(_:of:)``.
    public func markDropped(_ source: SourceKey, of loop: LoopID) throws(JournalError) {
        try write { database in
            try database.perform {
                try writer.markDropped(source, of: loop, database, contents: &access.contents, &$0)
            }
        }
    }

    /// Removes the crashes on one event.
    public func forgetCrash(_ source: SourceKey, of loop: LoopID) throws(JournalError) {
        try write { database in
            try database.perform {
                try writer.forgetCrash(source, of: loop, database, contents: access.contents, &$0)
            }
        }
    }

    /// Stores a pool's pause, or removes it.
    public func setPause(_ pause: PoolPause?, of pool: String) throws(JournalError) {
        try write { try $0.perform { PausedPoolTable.set(pause, of: pool, &$0) } }
    }

    /// Deletes a part of an ended loop; see ``JournalStore/remove(ended:rows:)``.
    public func remove(ended loop: LoopID, rows: Int) throws(JournalError) -> Bool {
        var isGone = true
        var number: Int64?
        try run { database in
            guard try access.contents.end(of: loop, database) != nil else { return }
            number = try access.contents.loops.find(loop, database)?.number
        }
        guard let number else { return true }
        // The mark of the last commit must not name records that are deleted.
        if tail.mark.loop == number {
            var mark = tail.mark
            mark.loop = 0
            tail.write(mark)
        }
        try write { database in
            isGone = try EndedLoopTable.remove(rows, loop: number, database)
            if isGone {
                try access.contents.loops.forget(loop, database)
                try database.perform { access.contents.loops.saveTotals(&$0) }
            }
        }
        writer.forget(number)
        return isGone
    }

    /// Checkpoints the write-ahead log into the file, so that a closed journal is one file, and releases the locks.
    ///
    /// If the disk fails, or a tool is reading, the log stays beside the file and the next opening reads both: nothing
    /// is lost.
    public func close() {
        precondition(!access.isClosed, "This journal is closed already.")
        access.isClosed = true
        closeFiles()
    }

    private func closeFiles() {
        // Closing the last connection checkpoints and removes the log. The locks are released after it, so that no
        // other process opens the journal before.
        access.database.close()
        if failure == nil, JournalPath.size(of: logPath) == 0 { tail.remove() }
        file.release()
        lock.release()
    }

    /// Writes data other than records as one transaction, and counts it, so that its loss is detected.
    private func write(_ body: (Database) throws -> Void) throws(JournalError) {
        try perform { database, mark in
            try Self.transaction(database) { database in
                try body(database)
                try Epochs.update(.init(number: epoch, build: build, writes: mark.writes + 1), database)
            }
            mark.writes += 1
        }
    }

    /// Runs one transaction; a single statement is a transaction by itself, and faster.
    private static func transaction(
        _ database: Database, isOneStatement: Bool = false, _ body: (Database) throws -> Void
    ) throws {
        if isOneStatement { try body(database) } else { try database.transaction { try body(database) } }
    }

    /// Commits and updates the tail mark; after an error nothing more is written or synced.
    private func perform(_ body: (Database, inout TailMark) throws -> Void) throws(JournalError) {
        if let failure { throw failure }
        do throws(JournalError) {
            try run { database in
                var mark = tail.mark
                do {
                    try body(database, &mark)
                } catch {
                    stop(database)
                    throw error
                }
                (mark.salts, mark.frames) = log.position()
                tail.write(mark)
                checkpoint(database)
            }
        } catch {
            failure = error
            throw error
        }
    }

    /// A failed checkpoint does not affect what was committed; only later calls fail.
    private func checkpoint(_ database: Database) {
        guard log.isCheckpointDue else { return }
        do throws(JournalError) {
            try JournalError.translating(path) { try log.checkpoint(database) }
            var mark = tail.mark
            (mark.salts, mark.frames) = log.position()
            tail.write(mark)
        } catch {
            failure = error
            stop(database)
        }
    }

    private func stop(_ database: Database) {
        WriteAheadLog.seal(database)
        var mark = tail.mark
        mark.hasFailed = true
        tail.write(mark)
    }

    private func run<T>(_ body: (Database) throws -> T) throws(JournalError) -> T {
        try JournalError.translating(path) { try access.run(body) }
    }

    /// Whether the effect was requeued; see ``JournalStore/wasRequeued(_:)``.
    public func wasRequeued(_ id: EffectID) throws(JournalError) -> Bool {
        try reading { contents, session in
            guard let loop = try contents.loops.find(id.loop, session) else { return false }
            return try DeadLetterTable.wasRequeued(id, loop: loop.number, shard: Database.shard, session)
        }
    }

    /// Calls `body`, whose reads are one transaction: SQLite locks and unlocks the file once instead of for each.
    public override func together(_ body: () -> Void) {
        // Accesses are not nested, and the calls of `body` need their own.
        let hasBegun = (try? run { try $0.run("BEGIN") }) != nil
        body()
        guard hasBegun else { return }
        try? run { database in
            do { try database.run("COMMIT") } catch { database.rollback() }
        }
    }
}
