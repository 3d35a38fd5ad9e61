public import MobiusJournal
public import MobiusJournalTables
import MobiusWire

/// Reads a journal's file for tools, whether a coordinator has it open or not.
///
/// It never takes the writer's lock, and creates or changes no files. The one exception: where a coordinator was
/// killed, SQLite may create its `-shm` file again. A coordinator is not blocked, but its log beside the file grows
/// while a call lasts. Each call reads one consistent state of the journal; with `pinsSnapshot`, all calls read the same
/// one.
///
/// Calls come from one thread at a time and block it. They throw ``JournalError``, with code `held` when a coordinator
/// began to write a closed journal while it was read.
public final class JournalInspector: TableJournal, @unchecked Sendable {
    // @unchecked: the database gives one thread at a time access, and nothing else changes.

    var file: InspectedFile { access.file }
    private let access: FileAccess
    // Read before the journal is opened: a running coordinator writes its journal before the mark, so the mark is never
    // newer.
    private let tail: TailMark?

    /// Opens the journal at `path`.
    ///
    /// - Parameters:
    ///   - path: The file. Symbolic links are followed.
    ///   - pinsSnapshot: Whether all calls read the journal's state at the time of this call.
    /// - Throws: ``JournalError``: `notReadable`, `foreign` for anything but a journal of this format, or `damaged`.
    public init(path: String, pinsSnapshot: Bool = false) throws(JournalError) {
        let file = try InspectedFile(path)
        tail = JournalTail.read(beside: file.path)
        do throws(JournalError) {
            let (database, identity) = try JournalError.translating(path) {
                let database = try file.open()
                let identity = try database.access { database in
                    if pinsSnapshot { try database.run("BEGIN") }
                    return try Self.identity(database, path: path)
                }
                return (database, identity)
            }
            access = FileAccess(file, database, pinsSnapshot: pinsSnapshot)
            super.init(identity: identity, access)
        } catch {
            // Where a coordinator was killed, SQLite needs a `-shm` file beside the log.
            guard error.code == .notWritable else { throw error }
            throw JournalError(
                .notReadable,
                "The journal \(path) was not closed, and reading it takes the right to write in its folder: run this "
                    + "as its owner, or start the coordinator once.",
                underlying: error.underlying)
        }
    }

    deinit {
        access.database.close()
    }

    /// Closes the file; calls after it are programmer errors.
    public func close() {
        access.database.close()
    }

    private static func identity(_ database: Database, path: String) throws -> JournalID {
        guard try database.number("PRAGMA application_id") == Schema.applicationID else {
            throw JournalError(
                .foreign, "The file \(path) is not a journal of Mobius Fleet: name the file of a journal.")
        }
        let version = try database.number("PRAGMA user_version")
        guard version == Schema.version else { throw Schema.refusal(version, shown: path) }
        guard let identity = try database.text("SELECT identity FROM journal").flatMap({ JournalID($0) }) else {
            throw JournalError.damaged(path, "its identity cannot be read")
        }
        return identity
    }

    /// Returns one sentence about the last commits that are missing; `nil` if none are.
    func lostTail(_ database: Database) throws -> String? {
        guard let tail else { return nil }
        let words = try LostTail.description(of: tail, identity: identity, database, path: file.path, shown: file.shown)
        return words.map { LostTail.error($0, shown: file.shown).message }
    }

    /// Runs `body` on one consistent state of the journal, without decoding tables first, which may be damaged.
    func readRaw<T>(_ body: (Database) throws -> T) throws(JournalError) -> T {
        let file = file
        return try JournalError.translating(file.shown) { try access.readRaw(body) }
    }
}

/// Access to a file that is only read.
private final class FileAccess: TableAccess {
    let file: InspectedFile
    let database: Database
    private let pinsSnapshot: Bool

    init(_ file: InspectedFile, _ database: Database, pinsSnapshot: Bool) {
        (self.file, self.database, self.pinsSnapshot) = (file, database, pinsSnapshot)
    }

    var shown: String { file.shown }

    func read<T>(_ body: (inout Contents, any JournalDatabase) throws -> T) throws -> T {
        try JournalError.translatingOnly(shown) {
            try readRaw { database in
                var contents = try Contents(shard: Database.shard, database)
                return try body(&contents, database)
            }
        }
    }

    func readRaw<T>(_ body: (Database) throws -> T) throws -> T {
        let result = try database.access { database in
            if !pinsSnapshot { try database.run("BEGIN") }
            defer { if !pinsSnapshot { database.rollback() } }
            return try body(database)
        }
        try file.requireUnchanged()
        return result
    }
}
