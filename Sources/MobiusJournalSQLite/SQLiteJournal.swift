import GRDB
public import MobiusJournal
public import MobiusWire

/// A journal in one SQLite file, with a write-ahead log beside it while it is open.
///
/// Every ``commit(_:)`` and ``save(_:)`` is one transaction, fsynced before it returns: what returned survives SIGKILL and a
/// power cut, what did not is there whole or not at all. One process may have it open (`FILE-lock` beside it is locked and
/// holds its pid); a second one is refused at once, and after a crash the next one gets in at once. Tools may read the file
/// meanwhile. All rows carry checksums, so a broken disk is found when its rows are read.
///
/// As with every ``JournalStore``, calls come from one thread at a time and block it; `visit` closures must not call the
/// store.
public final class SQLiteJournal: JournalStore, @unchecked Sendable {
    // @unchecked: GRDB runs one `writeWithoutTransaction` at a time, and everything mutable below is touched in one only.

    /// The journal's own name, drawn when the file was made.
    public let identity: JournalID
    /// The number of this start, from 1: each opening of the file makes it greater.
    public let epoch: UInt64

    private let path: String
    private let lock: JournalLock
    private let database: DatabaseQueue
    private var loops: NumberedLoops
    private var kinds: NumberedKinds
    private var writer = RecordWriter()
    private var failure: JournalError?
    private var isClosed = false

    /// Opens the journal at `path`, or makes one there (mode 0600; an empty file counts as none).
    ///
    /// - Parameters:
    ///   - path: The file. Symbolic links are followed; its folder must exist.
    ///   - application: The program's name: another program's journal is refused, and this one by other programs.
    ///   - build: Which build of the program it is, kept with the epoch for whoever reads the journal later.
    /// - Throws: ``JournalError``: `held` when a process has it open, `notWritable`, `foreign`, or `damaged`. A file that is
    ///   refused is left as it was.
    public init(path: String, application: String, build: String) throws(JournalError) {
        let found = try JournalPath(path)
        let lock = try JournalLock(journal: found.path, shown: path)
        do throws(JournalError) {
            try found.requireContentOfLog()
            let opened = try JournalConnection(found, application: application, build: build)
            self.identity = opened.identity
            self.epoch = opened.epoch
            self.database = opened.database
            let loops = NumberedLoops(path: path)
            self.loops = loops
            self.kinds = try Self.translating(path) {
                try opened.database.writeWithoutTransaction { database in
                    try loops.verifyEnd(database)
                    return try NumberedKinds(database, path: path)
                }
            }
        } catch {
            lock.release()
            throw error
        }
        self.path = path
        self.lock = lock
    }

    deinit {
        // A store that is dropped instead of closed: the database first, so that nobody gets in before it is let go.
        guard !isClosed else { return }
        try? database.close()
        lock.release()
    }

    /// The newest snapshot of a loop, or `nil` when there is none; see ``JournalStore/newestSnapshot(of:)``.
    public func newestSnapshot(of loop: LoopID) throws(JournalError) -> Snapshot? {
        try run { database in
            guard let numbered = try loops.find(loop, database) else { return nil }
            return try SnapshotTable.newest(of: loop, number: numbered.number, database, kinds: kinds, path: path)
        }
    }

    /// Calls `visit` for each record after the newest snapshot, row by row; see ``JournalStore/readTail(of:_:)``.
    public func readTail(of loop: LoopID, _ visit: (JournalRecord) throws -> Void) throws {
        // What the caller throws goes back as it is, even when it is an error of GRDB's.
        var thrown: (any Error)?
        do throws(JournalError) {
            try run { database in
                guard let numbered = try loops.find(loop, database) else { return }
                let reader = RecordReader(loop: loop, path: path, kinds: kinds)
                let place = try SnapshotTable.newestPlace(loop: numbered.number, database, path: path)
                try reader.read(database, number: numbered.number, after: place, upTo: numbered.last) { record in
                    do { try visit(record) } catch {
                        thrown = error
                        throw error
                    }
                }
            }
        } catch {
            throw thrown ?? error
        }
    }

    /// The outside keys that the loop has applied, oldest first, at most the newest `limit`.
    ///
    /// It reads the index of the keys only, so its cost grows with them, not with the journal.
    public func outsideKeys(of loop: LoopID, limit: Int) throws(JournalError) -> [String] {
        precondition(limit >= 0, "A limit is not negative.")
        return try run { database in
            guard let numbered = try loops.find(loop, database) else { return [] }
            let statement = try RawStatement(
                database,
                """
                SELECT key FROM records INDEXED BY records_outside WHERE loop = ? AND key IS NOT NULL
                ORDER BY position DESC LIMIT ?
                """)
            defer { statement.reset() }
            statement.bind(numbered.number, 1)
            statement.bind(Int64(limit), 2)
            var keys: [String] = []
            while try statement.next() {
                guard let key = statement.text(0) else {
                    throw JournalError.damaged(path, "a key of loop \(loop) is no text")
                }
                keys.append(key)
            }
            return keys.reversed()
        }
    }

    /// Writes records as one transaction and returns when they are on disk.
    ///
    /// - Throws: ``JournalError``: `conflict` for an outside key that the loop has applied, else what is wrong with the file. After
    ///   any error the store refuses to write, with the same error: an fsync that failed must not be tried again.
    public func commit(_ records: [JournalRecord]) throws(JournalError) {
        guard !records.isEmpty else { return }
        try write { database in
            try writer.write(records, database, loops: &loops, kinds: &kinds)
        }
    }

    /// Keeps a snapshot of a loop, as of its last committed record, and drops all but the one before it.
    public func save(_ snapshot: Snapshot) throws(JournalError) {
        try write { database in
            let numbered = try loops.find(snapshot.loop, database)
            snapshot.requirePlace(numbered?.last)
            guard let numbered, let place = numbered.last else { return }
            try SnapshotTable.insert(snapshot, at: place, loop: numbered.number, database, kinds: &kinds)
        }
    }

    /// Folds the write-ahead log into the file, so that a closed journal is one file, and releases it to the next writer.
    ///
    /// Where the disk refuses, the log stays beside the file and the next opening reads both: nothing is lost.
    public func close() {
        precondition(!isClosed, "This journal is closed already.")
        isClosed = true
        // Closing the last connection checkpoints and removes the log.
        try? database.close()
        lock.release()
    }

    private func write(_ body: (Database) throws -> Void) throws(JournalError) {
        if let failure { throw failure }
        do throws(JournalError) {
            try run { database in
                try database.inTransaction(.immediate) {
                    try body(database)
                    return .commit
                }
            }
        } catch {
            failure = error
            throw error
        }
    }

    private func run<T>(_ body: (Database) throws -> T) throws(JournalError) -> T {
        precondition(!isClosed, "This journal is closed: open it again to use it.")
        return try Self.translating(path) { try database.writeWithoutTransaction(body) }
    }

    private static func translating<T>(_ path: String, _ body: () throws -> T) throws(JournalError) -> T {
        do {
            return try body()
        } catch let error as JournalError {
            throw error
        } catch let error as DatabaseError {
            throw JournalError(error, path: path)
        } catch {
            throw JournalError(.notWritable, "The journal \(path) cannot be used.", underlying: error)
        }
    }
}
