import GRDB
import GRDBSQLite
import MobiusJournal
import MobiusWire

/// The database of a journal, opened, with its owner made sure of.
struct JournalConnection {
    private static let busyMilliseconds: CInt = 5_000

    /// The one connection.
    let database: DatabaseQueue
    /// The journal's own name.
    let identity: JournalID
    /// The number of this opening.
    let epoch: UInt64

    /// The log beside it.
    let log: WriteAheadLog

    /// Opens, makes the tables in a new file, and begins the next epoch.
    ///
    /// Before that, all that is in the log is written to the file once more, and synced: a process whose fsync failed may have
    /// left pages that are in memory only.
    ///
    /// - Parameter mark: What was committed last, as far as a process has told.
    /// - Throws: ``JournalError``; a file of somebody else, or one that lost its tail, is left as it was.
    init(
        _ path: JournalPath, _ file: JournalFile, application: String, build: String, mark: TailMark?
    ) throws(JournalError) {
        do {
            var configuration = Configuration()
            configuration.label = "journal"
            configuration.foreignKeysEnabled = false
            // Only a tool can be in the way, never another coordinator: that one is stopped by the locks.
            configuration.busyMode = .timeout(Double(Self.busyMilliseconds) / 1_000)
            let hadLog = JournalPath.size(of: path.path + "-wal") > 0
            database = try DatabaseQueue(path: path.path, configuration: configuration)
            (identity, epoch, log) = try database.writeWithoutTransaction { connection in
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
                    // So no later start counts from the same epoch, whatever becomes of the log.
                    try WriteAheadLog.checkpoint(connection, SQLITE_CHECKPOINT_PASSIVE)
                    return (identity, epoch, log)
                } catch {
                    // To close it would copy the log into the file, and remove it.
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

    /// So the next start does not trust what it reads either.
    private static func noteFailure(_ database: Database, path: JournalPath, mark: TailMark?) {
        guard let identity = try? identity(database, path: path) else { return }
        var failed = TailMark(journal: identity, epoch: 0)
        if let mark, mark.journal == identity { failed = mark }
        failed.hasFailed = true
        _ = try? JournalTail(beside: path.path, failed)
    }

    private static func identity(_ database: Database, path: JournalPath) throws -> JournalID {
        guard let identity = try text(database, "SELECT identity FROM journal").flatMap({ JournalID($0) }) else {
            throw JournalError.damaged(path.shown, "its identity cannot be read")
        }
        return identity
    }

    private static func checkTail(_ database: Database, path: JournalPath, mark: TailMark?) throws {
        guard let mark else { return }
        let lost = try LostTail.words(
            mark, identity: identity(database, path: path), database, path: path.path, shown: path.shown)
        if let lost { throw LostTail.error(lost, shown: path.shown) }
    }

    /// Makes sure that what is read is on disk.
    private static func secure(_ database: Database, isNew: Bool, path: JournalPath, hasFailed: Bool) throws {
        if !isNew, try number(database, "SELECT count(*) FROM epochs") == 0 {
            // Made by a process that did not come further: its tables may never have been synced, and no log has them.
            try database.execute(sql: "VACUUM")
        }
        // A tool that reads for long is not waited for: only what a failed process left must be written anew.
        sqlite3_busy_timeout(database.sqliteConnection, 1_000)
        let isDone = try WriteAheadLog.checkpoint(database, SQLITE_CHECKPOINT_TRUNCATE)
        sqlite3_busy_timeout(database.sqliteConnection, busyMilliseconds)
        guard !isDone, hasFailed else { return }
        throw JournalError(
            .held,
            "The last process that wrote the journal \(path.shown) met a disk error, and a tool that reads it is in the way "
                + "of writing it anew: wait for the tool and start again.")
    }

    /// Whether the file is empty; what is in another one is this application's.
    private static func checkOwner(
        _ database: Database, path: JournalPath, application: String
    ) throws -> Bool {
        let id = try number(database, "PRAGMA application_id")
        let version = try number(database, "PRAGMA user_version")
        let isEmpty = try number(database, "SELECT count(*) FROM sqlite_master") == 0
        if id == 0, version == 0, isEmpty { return true }
        let choose = "choose another --journal FILE"
        guard id == Schema.applicationID else {
            throw JournalError(
                .foreign, "The file \(path.shown) is another program's database, no journal of Mobius Fleet: \(choose)."
            )
        }
        guard version <= Schema.version else {
            throw JournalError(
                .foreign,
                "The journal \(path.shown) was written by a newer program (format \(version), this one knows "
                    + "\(Schema.version)): start the newer program, or \(choose).")
        }
        guard version == Schema.version, let owner = try text(database, "SELECT application FROM journal") else {
            throw JournalError.damaged(path.shown, "its format is number \(version)")
        }
        guard owner == application else {
            throw JournalError(
                .foreign,
                "The journal \(path.shown) belongs to \(owner), not to \(application): start \(owner), or \(choose).")
        }
        return false
    }

    /// Before the switch to WAL: a crash in between leaves an empty file or a whole journal.
    private static func create(_ database: Database, application: String, build: String) throws {
        var random = SystemRandomNumberGenerator()
        let identity = JournalID.random(using: &random)
        try database.execute(sql: "PRAGMA synchronous = FULL")
        try database.inTransaction(.immediate) {
            try database.execute(sql: Schema.tables)
            try database.execute(
                sql: "INSERT INTO journal (id, identity, application, created_by) VALUES (1, ?, ?, ?)",
                arguments: [identity.description, application, build])
            try database.execute(sql: "PRAGMA application_id = \(Schema.applicationID)")
            try database.execute(sql: "PRAGMA user_version = \(Schema.version)")
            return .commit
        }
    }

    private static func configure(_ database: Database) throws {
        // Damaged pages are found when they are read, at little cost.
        try database.execute(sql: "PRAGMA cell_size_check = ON")
        guard try text(database, "PRAGMA journal_mode = WAL") == "wal" else {
            throw DatabaseError(resultCode: .SQLITE_CANTOPEN, message: "no write-ahead log is possible there")
        }
        // FULL: each commit is fsynced. With NORMAL, WAL's usual companion, a power cut would lose commits that were
        // acknowledged to workers, which forget an event once it is acknowledged.
        try database.execute(sql: "PRAGMA synchronous = FULL")
        // A log that one large snapshot has blown up is cut back at the next checkpoint.
        try database.execute(sql: "PRAGMA journal_size_limit = 16777216")
        // What compaction deletes is overwritten where that costs nothing; some builds of SQLite would overwrite all of it.
        _ = try text(database, "PRAGMA secure_delete = FAST")
        // 8 MiB: outside keys are inserted at random places of their table.
        try database.execute(sql: "PRAGMA cache_size = -8192")
    }

    private static func beginEpoch(_ database: Database, path: String, build: String) throws -> UInt64 {
        var epoch: UInt64 = 0
        try database.inTransaction(.immediate) {
            try Epochs.prepare(database)
            epoch = try Epochs.begin(database, build: build, path: path)
            return .commit
        }
        return epoch
    }

    static func number(_ database: Database, _ sql: String) throws -> Int64 {
        let statement = try RawStatement(database, sql)
        defer { statement.reset() }
        return try statement.next() ? statement.number(0) : 0
    }

    static func text(_ database: Database, _ sql: String) throws -> String? {
        let statement = try RawStatement(database, sql)
        defer { statement.reset() }
        return try statement.next() ? statement.text(0) : nil
    }
}
