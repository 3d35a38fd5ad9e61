import CLibSQLite
import MobiusJournal

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// SQLite's log beside an open journal: tracks how many frames are committed, and checkpoints them.
///
/// SQLite's automatic checkpoint is off, because it hides errors, and a later one would sync again after a failed
/// fsync.
final class WriteAheadLog: @unchecked Sendable {
    // @unchecked: it belongs to the one connection, which one thread at a time uses.

    /// The values that SQLite's hook stores after each commit.
    private struct Commits {
        var frames: CInt = 0
        /// Whether frames were committed since the last checkpoint that copied all.
        var areNew = false
    }

    private let commits: UnsafeMutablePointer<Commits>
    private let file: CInt
    private var salts: UInt64 = 0
    private var lastFrames: CInt = 0

    /// SQLite's own default, 4 MiB: 16 and 64 MiB were no faster (1.79, 1.85 and 1.90 µs of CPU per record).
    private static let checkpointFrames: CInt = 1000

    /// Tracks the log of a connection in WAL mode; it must be kept until the connection is closed.
    init(_ database: Database, path: String) throws {
        commits = .allocate(capacity: 1)
        commits.initialize(to: Commits())
        file = open(path + "-wal", O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        try database.execute("PRAGMA wal_autocheckpoint = 0")
        _ = sqlite3_wal_hook(
            database.connection,
            { commits, _, _, frames in
                commits?.assumingMemoryBound(to: Commits.self).pointee = Commits(frames: frames, areNew: true)
                return SQLITE_OK
            }, commits)
    }

    deinit {
        commits.deallocate()
        if file >= 0 { close(file) }
    }

    /// The salts of the current log, and the number of committed frames that it must contain: none after a checkpoint
    /// that copied all, because the next commit may overwrite them, beginning with the log's header.
    func position() -> (salts: UInt64, frames: UInt64) {
        let committed = commits.pointee
        // A log restarts only after a checkpoint, one per 1,000 pages; it then has other salts and is shorter.
        if committed.frames <= lastFrames || lastFrames == 0 || salts == 0 { salts = LogScan.salts(file) ?? 0 }
        lastFrames = committed.frames
        return (salts, committed.areNew ? UInt64(committed.frames) : 0)
    }

    /// Whether the log has so many pages that they should be copied into the file.
    var isCheckpointDue: Bool { commits.pointee.frames >= Self.checkpointFrames }

    /// Copies the committed pages into the file, except those that a reader still needs in the log.
    func checkpoint(_ database: Database) throws {
        var (frames, copied): (CInt, CInt) = (0, -1)
        try Self.checkpoint(database, SQLITE_CHECKPOINT_PASSIVE, &frames, &copied)
        lastFrames = 0
        if copied == frames { commits.pointee.areNew = false }
    }

    /// Copies the committed pages into the file, and returns when they are on disk.
    ///
    /// - Returns: Whether all pages were copied, without a reader or writer in the way.
    @discardableResult
    static func checkpoint(
        _ database: Database, _ mode: CInt, _ frames: UnsafeMutablePointer<CInt>? = nil,
        _ copied: UnsafeMutablePointer<CInt>? = nil
    ) throws -> Bool {
        let code = sqlite3_wal_checkpoint_v2(database.connection, nil, mode, frames, copied)
        switch code & 0xff {
        case SQLITE_OK: return true
        case SQLITE_BUSY, SQLITE_LOCKED: return false
        default: throw DatabaseError(of: database.connection)
        }
    }

    /// Makes all further writes through a connection fail, even those of closing it: pages whose fsync failed count as
    /// written in memory but are not on disk, so a later sync would report success wrongly.
    static func seal(_ database: Database) {
        // Otherwise closing would remove a log without a complete frame.
        var persists: CInt = 1
        sqlite3_file_control(database.connection, "main", SQLITE_FCNTL_PERSIST_WAL, &persists)
        for what in [SQLITE_FCNTL_FILE_POINTER, SQLITE_FCNTL_JOURNAL_POINTER] {
            var found: UnsafeMutablePointer<sqlite3_file>?
            guard sqlite3_file_control(database.connection, "main", what, &found) == SQLITE_OK, let found,
                let methods = found.pointee.pMethods
            else { continue }
            // Never freed: the connection uses them until it is closed, and a process seals once.
            let sealed = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 1)
            sealed.initialize(to: methods.pointee)
            sealed.pointee.xWrite = { _, _, _, _ in SQLITE_IOERR }
            sealed.pointee.xTruncate = { _, _ in SQLITE_IOERR }
            sealed.pointee.xSync = { _, _ in SQLITE_IOERR }
            found.pointee.pMethods = UnsafePointer(sealed)
        }
    }
}
