import GRDB
import GRDBSQLite
import MobiusJournal

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// SQLite's log beside an open journal: how far it is committed, and when it is folded into the file.
///
/// SQLite's own automatic checkpoint hides its errors, and a second one would sync again what a failed one has left.
final class WriteAheadLog: @unchecked Sendable {
    // @unchecked: it belongs to the one connection, which one thread at a time uses.

    // Where SQLite's hook puts the number of committed frames, after each commit.
    private let committed: UnsafeMutablePointer<CInt>
    private let file: CInt
    private var salts: UInt64 = 0
    private var seen: CInt = 0

    /// SQLite's own default, 4 MiB: 16 and 64 MiB were no faster (1.79, 1.85 and 1.90 µs of CPU per record).
    private static let checkpointFrames: CInt = 1000

    /// Watches the log of a connection that is in WAL mode; it must be kept until the connection is closed.
    init(_ database: Database, path: String) throws {
        committed = .allocate(capacity: 1)
        committed.initialize(to: 0)
        file = open(path + "-wal", O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        try database.execute(sql: "PRAGMA wal_autocheckpoint = 0")
        _ = sqlite3_wal_hook(
            database.sqliteConnection,
            { committed, _, _, frames in
                committed?.assumingMemoryBound(to: CInt.self).pointee = frames
                return SQLITE_OK
            }, committed)
    }

    deinit {
        committed.deallocate()
        if file >= 0 { close(file) }
    }

    /// Which log it is, and how many of its frames are committed.
    func position() -> (salts: UInt64, frames: UInt64) {
        // A log that begins anew has other salts, and is shorter; it does so only behind a checkpoint, one per 1,000 pages.
        if committed.pointee <= seen || seen == 0 || salts == 0 { salts = LogScan.salts(file) ?? 0 }
        seen = committed.pointee
        return (salts, UInt64(committed.pointee))
    }

    /// Copies the committed pages into the file when they are many; what a reader still needs stays.
    func checkpointWhenDue(_ database: Database) throws {
        guard committed.pointee >= Self.checkpointFrames else { return }
        try Self.checkpoint(database, SQLITE_CHECKPOINT_PASSIVE)
        seen = 0
    }

    /// Copies the committed pages into the file, and returns when they are on disk.
    ///
    /// - Returns: Whether that was all of them, with nobody in the way.
    @discardableResult
    static func checkpoint(_ database: Database, _ mode: CInt) throws -> Bool {
        let code = sqlite3_wal_checkpoint_v2(database.sqliteConnection, nil, mode, nil, nil)
        switch code & 0xff {
        case SQLITE_OK: return true
        case SQLITE_BUSY, SQLITE_LOCKED: return false
        default:
            throw DatabaseError(
                resultCode: ResultCode(rawValue: sqlite3_extended_errcode(database.sqliteConnection)),
                message: database.lastErrorMessage)
        }
    }

    /// Ends all writing through a connection, even that of closing it: pages whose fsync failed count as written in memory
    /// and are not on disk, so a later sync would claim too much.
    static func seal(_ database: Database) {
        // Or a log without a whole frame would be removed at closing.
        var persists: CInt = 1
        sqlite3_file_control(database.sqliteConnection, "main", SQLITE_FCNTL_PERSIST_WAL, &persists)
        for what in [SQLITE_FCNTL_FILE_POINTER, SQLITE_FCNTL_JOURNAL_POINTER] {
            var found: UnsafeMutablePointer<sqlite3_file>?
            guard sqlite3_file_control(database.sqliteConnection, "main", what, &found) == SQLITE_OK, let found,
                let methods = found.pointee.pMethods
            else { continue }
            // Kept for good: the connection uses them until it is closed, and a process seals once.
            let sealed = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 1)
            sealed.initialize(to: methods.pointee)
            sealed.pointee.xWrite = { _, _, _, _ in SQLITE_IOERR }
            sealed.pointee.xTruncate = { _, _ in SQLITE_IOERR }
            sealed.pointee.xSync = { _, _ in SQLITE_IOERR }
            found.pointee.pMethods = UnsafePointer(sealed)
        }
    }
}
