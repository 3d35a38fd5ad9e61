import GRDB
import MobiusJournal
import MobiusWire

/// The database of a journal, opened, with its owner made sure of.
struct JournalConnection {
    /// The one connection.
    let database: DatabaseQueue
    /// The journal's own name.
    let identity: JournalID
    /// The number of this opening.
    let epoch: UInt64

    /// Opens, makes the tables in a new file, brings an older format up to date, and begins the next epoch.
    ///
    /// - Throws: ``JournalError``; a file of somebody else is left as it was.
    init(
        _ path: JournalPath, application: String, build: String, limits: JournalLimits
    ) throws(JournalError) {
        do {
            var configuration = Configuration()
            configuration.label = "journal"
            configuration.foreignKeysEnabled = false
            // Only a tool can be in the way, never another coordinator: that one is stopped by the lock file.
            configuration.busyMode = .timeout(5)
            database = try DatabaseQueue(path: path.path, configuration: configuration)
            (identity, epoch) = try database.writeWithoutTransaction { connection in
                try Self.checkOwner(connection, path: path, application: application, build: build)
                let format = try Self.number(connection, "PRAGMA user_version")
                if format < Schema.version {
                    try Migration.run(from: format, connection, path: path.shown, limits: limits)
                }
                try Self.configure(connection)
                let identity = try Self.text(connection, "SELECT identity FROM journal").flatMap { JournalID($0) }
                guard let identity else { throw JournalError.damaged(path.shown, "its identity cannot be read") }
                return (identity, try Self.beginEpoch(connection, path: path.shown, build: build))
            }
        } catch let error as JournalError {
            throw error
        } catch let error as DatabaseError {
            throw JournalError(error, path: path.shown)
        } catch {
            throw JournalError(.notWritable, "The journal \(path.shown) cannot be opened.", underlying: error)
        }
    }

    private static func checkOwner(
        _ database: Database, path: JournalPath, application: String, build: String
    ) throws {
        let id = try number(database, "PRAGMA application_id")
        let version = try number(database, "PRAGMA user_version")
        let isEmpty = try number(database, "SELECT count(*) FROM sqlite_master") == 0
        if id == 0, version == 0, isEmpty {
            try create(database, application: application, build: build)
            return
        }
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
        guard version >= 1, let owner = try text(database, "SELECT application FROM journal") else {
            throw JournalError.damaged(path.shown, "its format is number \(version)")
        }
        guard owner == application else {
            throw JournalError(
                .foreign,
                "The journal \(path.shown) belongs to \(owner), not to \(application): start \(owner), or \(choose).")
        }
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
        // SQLite's own default, 4 MiB, said aloud: 16 and 64 MiB were no faster (1.79, 1.85 and 1.90 µs of CPU per record).
        try database.execute(sql: "PRAGMA wal_autocheckpoint = 1000")
        // A log that one large snapshot has blown up is cut back at the next checkpoint.
        try database.execute(sql: "PRAGMA journal_size_limit = 16777216")
        // What compaction deletes is overwritten where that costs nothing; some builds of SQLite would overwrite all of it.
        _ = try text(database, "PRAGMA secure_delete = FAST")
        // 8 MiB: outside keys are inserted at random places of their table.
        try database.execute(sql: "PRAGMA cache_size = -8192")
    }

    private static func beginEpoch(_ database: Database, path: String, build: String) throws -> UInt64 {
        var epoch: Int64 = 0
        try database.inTransaction(.immediate) {
            epoch = try number(database, "SELECT ifnull(max(epoch), 0) FROM epochs") + 1
            guard epoch > 0 else { throw JournalError.damaged(path, "its epoch is negative") }
            try database.execute(
                sql: "INSERT INTO epochs (epoch, build) VALUES (?, ?)", arguments: [epoch, build])
            return .commit
        }
        return UInt64(epoch)
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
