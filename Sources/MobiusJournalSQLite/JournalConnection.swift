import CLibSQLite
import MobiusJournal
import MobiusJournalTables
import MobiusWire

/// The open database of a journal, after its owner was checked.
struct JournalConnection {
    private static let busyMilliseconds: CInt = 5_000

    /// The one connection.
    let database: Database
    /// The journal's identity.
    let identity: JournalID
    /// The number of this opening.
    let epoch: UInt64

    /// The log beside it.
    let log: WriteAheadLog

    /// Opens the file, creates the tables in a new one, and begins the next epoch.
    ///
    /// Before that, all pages in the log are written to the file once more and synced: a process whose fsync failed may
    /// have left pages that are in memory only.
    ///
    /// - Parameter mark: The mark of the last commit, if a process has left one.
    /// - Throws: ``JournalError``; a file of another program, or one that lost its tail, is left as it was.
    init(
        _ path: JournalPath, _ file: JournalFile, application: String, build: String, mark: TailMark?
    ) throws(JournalError) {
        do {
            let hadLog = JournalPath.size(of: path.path + "-wal") > 0
            // Only a tool can hold SQLite's lock: another coordinator is stopped by the lock files.
            database = try Database(path.path, shown: path.shown, busyMilliseconds: Self.busyMilliseconds)
            (identity, epoch, log) = try database.access { connection in
                var hasWritten = false
                do {
                    let isNew = try Self.checkOwner(connection, path: path, application: application)
                    try file.requireName()
                    if !isNew { try Self.checkTail(connection, path: path, mark: mark) }
                    hasWritten = true
                    if isNew { try Self.create(connection, application: application, build: build) }
                    let identity = try Self.identity(connection, path: path)
                    try Self.configure(connection)
                    try Self.secure(connection, isNew: isNew, path: path, hasFailed: mark?.hasFailed ?? false)
                    let log = try WriteAheadLog(connection, path: path.path)
                    let epoch = try Self.beginEpoch(connection, path: path.shown, build: build)
                    // Now no later start can reuse this epoch, even if the log is lost.
                    try log.checkpoint(connection)
                    return (identity, epoch, log)
                } catch {
                    // Closing it would copy the log into the file and remove the log.
                    if hadLog || hasWritten { WriteAheadLog.seal(connection) }
                    if hasWritten { Self.noteFailure(connection, path: path, mark: mark) }
                    throw error
                }
            }
        } catch let error as JournalError {
            throw error
        } catch let error as DatabaseError {
            throw JournalError(error, path: path.shown)
        } catch {
            throw JournalError(.notWritable, "The journal \(path.shown) cannot be opened.", underlying: error)
        }
    }

    /// Marks the failure, so that the next start does not trust what it reads either.
    private static func noteFailure(_ database: Database, path: JournalPath, mark: TailMark?) {
        guard let identity = try? identity(database, path: path) else { return }
        var failed = TailMark(journal: identity, epoch: 0)
        if let mark, mark.journal == identity { failed = mark }
        failed.hasFailed = true
        _ = try? JournalTail(beside: path.path, failed)
    }

    private static func identity(_ database: Database, path: JournalPath) throws -> JournalID {
        guard let identity = try database.text("SELECT identity FROM journal").flatMap({ JournalID($0) }) else {
            throw JournalError.damaged(path.shown, "its identity cannot be read")
        }
        return identity
    }

    private static func checkTail(_ database: Database, path: JournalPath, mark: TailMark?) throws {
        guard let mark else { return }
        let lost = try LostTail.description(
            of: mark, identity: identity(database, path: path), database, path: path.path, shown: path.shown)
        if let lost { throw LostTail.error(lost, shown: path.shown) }
    }

    /// Makes sure that all content read from now on is on disk.
    private static func secure(_ database: Database, isNew: Bool, path: JournalPath, hasFailed: Bool) throws {
        if !isNew, try database.number("SELECT count(*) FROM epochs") == 0 {
            // Left by a process that stopped early: its tables may never have been synced, and no log contains them.
            try database.run("VACUUM")
        }
        // A tool's long read is waited for only briefly: the rewrite is needed only after a process that failed.
        sqlite3_busy_timeout(database.connection, 1_000)
        let isDone = try WriteAheadLog.checkpoint(database, SQLITE_CHECKPOINT_TRUNCATE)
        sqlite3_busy_timeout(database.connection, busyMilliseconds)
        guard !isDone, hasFailed else { return }
        throw JournalError(
            .held,
            "The last process that wrote the journal \(path.shown) met a disk error, and it cannot be written anew "
                + "while a tool reads it: wait for the tool and start again.")
    }

    /// Returns whether the file is empty; throws unless other content is this application's.
    private static func checkOwner(
        _ database: Database, path: JournalPath, application: String
    ) throws -> Bool {
        let id = try database.number("PRAGMA application_id")
        let version = try database.number("PRAGMA user_version")
        let isEmpty = try database.number("SELECT count(*) FROM sqlite_master") == 0
        if id == 0, version == 0, isEmpty { return true }
        let choose = "choose another --journal FILE"
        guard id == Schema.applicationID else {
            throw JournalError(
                .foreign,
                "The file \(path.shown) is another program's database, not a journal of Mobius Fleet: \(choose).")
        }
        guard version == Schema.version else { throw Schema.refusal(version, shown: path.shown) }
        guard let owner = try database.text("SELECT application FROM journal") else {
            throw JournalError.damaged(path.shown, "its program cannot be read")
        }
        guard owner == application else {
            throw JournalError(
                .foreign,
                "The journal \(path.shown) belongs to \(owner), not to \(application): start \(owner), or \(choose).")
        }
        return false
    }

    /// Runs before the switch to WAL: a crash in between leaves an empty file or a complete journal.
    private static func create(_ database: Database, application: String, build: String) throws {
        var random = SystemRandomNumberGenerator()
        let identity = JournalID.random(using: &random)
        try database.execute("PRAGMA synchronous = FULL")
        try database.transaction {
            try database.execute(Schema.tables)
            try database.run(
                "INSERT INTO journal (id, identity, application, created_by) VALUES (1, ?, ?, ?)",
                [identity.description, application, build])
            try database.execute("PRAGMA application_id = \(Schema.applicationID)")
            try database.execute("PRAGMA user_version = \(Schema.version)")
        }
    }

    private static func configure(_ database: Database) throws {
        // Damaged pages are then detected when they are read, at little cost.
        try database.execute("PRAGMA cell_size_check = ON")
        guard try database.text("PRAGMA journal_mode = WAL") == "wal" else {
            throw DatabaseError(SQLITE_CANTOPEN, "the write-ahead log cannot be enabled there")
        }
        // FULL: each commit is fsynced. With NORMAL, which is usual with WAL, a power cut would lose commits that were
        // acknowledged to workers, and a worker drops an event once it is acknowledged.
        try database.execute("PRAGMA synchronous = FULL")
        // Truncates a log that one large snapshot has made long at the next checkpoint.
        try database.execute("PRAGMA journal_size_limit = 16777216")
        // Overwrites deleted content where that costs nothing; the default of some SQLite builds overwrites all of it.
        try database.execute("PRAGMA secure_delete = FAST")
        // 8 MiB, because outside keys are inserted at random places of their table.
        try database.execute("PRAGMA cache_size = -8192")
    }

    private static func beginEpoch(_ database: Database, path: String, build: String) throws -> UInt64 {
        var epoch: UInt64 = 0
        try database.transaction {
            try database.execute(Schema.laterTables)
            epoch = try Epochs.begin(database, build: build)
        }
        return epoch
    }
}
