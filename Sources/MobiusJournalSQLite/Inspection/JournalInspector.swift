import GRDB
public import MobiusJournal
public import MobiusWire

/// Looks into a journal's file for tools: read-only, whether a coordinator has it open or not.
///
/// It never takes the writer's lock, and makes or changes no files; only where a coordinator was killed, SQLite may make its
/// `-shm` file anew. A coordinator is not held up, but while a call lasts its log beside the file grows. Each call sees one
/// moment of the journal; with `freezes`, all calls see the same one.
///
/// Calls come from one thread at a time and block it. It throws ``JournalError``; `held` when a coordinator began to write in
/// a closed journal while it was read.
public final class JournalInspector: JournalReading, @unchecked Sendable {
    // @unchecked: GRDB runs one access at a time, and nothing else here can change.

    /// The journal's own name, drawn when the file was made.
    public let identity: JournalID

    let file: InspectedFile
    private let database: DatabaseQueue
    private let freezes: Bool
    // Read before the journal is: a running coordinator's is never behind it.
    private let tail: TailMark?

    /// Opens the journal at `path`.
    ///
    /// - Parameters:
    ///   - path: The file. Symbolic links are followed.
    ///   - freezes: Whether all calls see the journal as it is now.
    /// - Throws: ``JournalError``: `notReadable`, `foreign` for anything but a journal of this format, or `damaged`.
    public init(path: String, freezes: Bool = false) throws(JournalError) {
        let file = try InspectedFile(path)
        self.file = file
        self.freezes = freezes
        tail = JournalTail.read(beside: file.path)
        do throws(JournalError) {
            (database, identity) = try JournalError.translating(path) {
                let database = try file.open()
                let identity = try database.unsafeRead { database in
                    if freezes { try database.beginTransaction(.deferred) }
                    return try Self.identity(database, path: path)
                }
                return (database, identity)
            }
        } catch {
            // Where a coordinator was killed, SQLite needs a `-shm` file beside the log.
            guard error.code == .notWritable else { throw error }
            throw JournalError(
                .notReadable,
                "The journal \(path) was not closed, and reading it takes the right to write in its folder: become this user, "
                    + "or start the coordinator once.",
                underlying: error.underlying)
        }
    }

    deinit {
        try? database.close()
    }

    /// Ends the use of the file; calls after it are programmer errors.
    public func close() {
        try? database.close()
    }

    private static func identity(_ database: Database, path: String) throws -> JournalID {
        guard try JournalConnection.number(database, "PRAGMA application_id") == Schema.applicationID else {
            throw JournalError(.foreign, "The file \(path) is no journal of Mobius Fleet: name the file of one.")
        }
        let version = try JournalConnection.number(database, "PRAGMA user_version")
        guard version <= Schema.version else {
            throw JournalError(
                .foreign,
                "The journal \(path) was written by a newer program (format \(version)): use that one's tools.")
        }
        guard version == Schema.version else {
            throw JournalError.damaged(path, "its format is number \(version)")
        }
        guard
            let identity = try JournalConnection.text(database, "SELECT identity FROM journal").flatMap({
                JournalID($0)
            })
        else { throw JournalError.damaged(path, "its identity cannot be read") }
        return identity
    }

    /// What is missing of what was committed last, as one sentence; `nil` when nothing is.
    func lostTail(_ database: Database) throws -> String? {
        guard let tail else { return nil }
        let words = try LostTail.words(tail, identity: identity, database, path: file.path, shown: file.shown)
        return words.map { LostTail.error($0, shown: file.shown).message }
    }

    /// Runs `body` on one moment of the journal.
    func look<T>(_ body: (inout StoredJournal, Database) throws -> T) throws(JournalError) -> T {
        let result = try lookBelow { database in
            var contents = try StoredJournal(database, path: file.shown)
            return try body(&contents, database)
        }
        return result
    }

    /// The same without believing anything yet.
    func lookBelow<T>(_ body: (Database) throws -> T) throws(JournalError) -> T {
        let result = try JournalError.translating(file.shown) {
            try database.unsafeRead { database in
                if !freezes { try database.beginTransaction(.deferred) }
                defer { if !freezes { try? database.rollback() } }
                return try body(database)
            }
        }
        try file.requireUnchanged()
        return result
    }
}
