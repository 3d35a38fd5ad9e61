#if PostgreSQL
    public import Logging
    public import MobiusJournal
    public import MobiusJournalTables
    public import MobiusWire

    /// Reads a journal in PostgreSQL for tools, whether a coordinator has it open or not.
    ///
    /// It writes nothing and takes no locks that a coordinator waits for. Each call reads one consistent state of the
    /// journal; with `pinsSnapshot`, all calls read the same one.
    ///
    /// Calls come from one thread at a time and block it. They throw ``JournalError``, with code `notReadable` when the
    /// connection is lost.
    public class PostgreSQLInspector: TableJournal, @unchecked Sendable {
        // @unchecked: calls come from one thread at a time.

        /// The URL without its password.
        package var shown: String { session.url.shown }

        let session: Session
        let shard: Int64
        let isPinned: Bool

        /// Connects to the journal at `url`.
        ///
        /// - Parameters:
        ///   - url: `postgresql://USER@HOST:PORT/DATABASE?schema=NAME`, as libpq takes it; the schema is `mobius` by
        ///     default. A password comes better from `PGPASSFILE` or a service file: other users see a command's arguments.
        ///   - shard: The shard of the journal.
        ///   - pinsSnapshot: Whether all calls read the journal's state at the time of this call.
        ///   - logger: For the server's notices.
        /// - Throws: ``JournalError``: `notReadable`, `foreign` for anything but a journal of this format, or `damaged`.
        public convenience init(
            url: String, shard: UInt32 = 0, pinsSnapshot: Bool = false,
            logger: Logger = Logger(label: "mobius.journal")
        ) throws(JournalError) {
            let session = try Session(try JournalURL(url), logger: logger)
            try session.requireFormat()
            if pinsSnapshot { _ = try session.read("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY") }
            let row = try session.read("SELECT identity FROM shards WHERE shard = $1", [.number(Int64(shard))])
            guard row.rows > 0, let identity = row.text(0, 0).flatMap({ JournalID($0) }) else {
                throw JournalError.damaged(session.url.shown, "the identity of shard \(shard) cannot be read")
            }
            self.init(session, shard: Int64(shard), identity: identity, isPinned: pinsSnapshot)
        }

        convenience init(_ session: Session, shard: Int64, identity: JournalID, isPinned: Bool) {
            self.init(InspectorAccess(session, shard: shard, isPinned: isPinned), shard: shard, identity: identity)
        }

        init(_ access: any SessionAccess, shard: Int64, identity: JournalID) {
            session = access.session
            isPinned = access.isPinned
            self.shard = shard
            super.init(identity: identity, access)
        }

        /// Reads the announced loops in blocks, if all calls read one state of the journal; see ``JournalReading/prefetch(_:)``.
        public override func prefetch(_ loops: [LoopID]) {
            if isPinned { session.prefetch.expect(loops) }
        }
    }

    /// Access through a session.
    protocol SessionAccess: TableAccess {
        var session: Session { get }
        /// Whether all calls read one state.
        var isPinned: Bool { get }
    }

    extension SessionAccess {
        var shown: String { session.shown }
    }

    /// Access to a state of its own for each call, or to one for all.
    private final class InspectorAccess: SessionAccess {
        let session: Session
        let isPinned: Bool
        private let shard: Int64

        init(_ session: Session, shard: Int64, isPinned: Bool) {
            (self.session, self.shard, self.isPinned) = (session, shard, isPinned)
        }

        func read<T>(_ body: (inout Contents, any JournalDatabase) throws -> T) throws -> T {
            if !isPinned { _ = try session.read("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY") }
            defer { if !isPinned { _ = try? session.read("COMMIT") } }
            var contents = try Contents(shard: shard, session)
            return try body(&contents, session)
        }
    }
#endif
