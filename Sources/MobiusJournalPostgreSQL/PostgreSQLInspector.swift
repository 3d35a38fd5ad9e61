#if PostgreSQL
    public import Logging
    public import MobiusJournal
    import MobiusJournalTables
    public import MobiusWire

    /// Reads a journal in PostgreSQL for tools, whether a coordinator has it open or not.
    ///
    /// It writes nothing and takes no locks that a coordinator waits for. Each call reads one consistent state of the
    /// journal; with `pinsSnapshot`, all calls read the same one.
    ///
    /// Calls come from one thread at a time and block it. They throw ``JournalError``, with code `notReadable` when the
    /// connection is lost.
    public class PostgreSQLInspector: JournalReading, @unchecked Sendable {
        // @unchecked: calls come from one thread at a time.

        /// The journal's identity, drawn when it was made.
        public let identity: JournalID
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
        ///   - shard: Which of the journal's shards.
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

        init(_ session: Session, shard: Int64, identity: JournalID, isPinned: Bool) {
            self.session = session
            self.shard = shard
            self.identity = identity
            self.isPinned = isPinned
        }

        /// Runs `body` on one consistent state of the journal.
        func read<T>(_ body: (inout Contents, Session) throws -> T) throws -> T {
            if !isPinned { _ = try session.read("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY") }
            defer { if !isPinned { _ = try? session.read("COMMIT") } }
            var contents = try Contents(shard: shard, session)
            return try body(&contents, session)
        }

        /// The same, when `body` throws nothing else.
        func reading<T>(_ body: (inout Contents, Session) throws -> T) throws(JournalError) -> T {
            do {
                return try read(body)
            } catch let error as JournalError {
                throw error
            } catch {
                throw JournalError(.notReadable, "The journal \(shown) cannot be used.", underlying: error)
            }
        }

        /// The loops that have begun, in the order in which they did.
        public func loops() throws(JournalError) -> [LoopID] {
            try reading { try $0.loopNames($1) }
        }

        /// The loops that have ended, in the order of their ends.
        public func endedLoops() throws(JournalError) -> [EndedLoop] {
            try reading { try EndedLoopTable.all(shard: $0.shard, $1) }
        }

        /// The end of a loop; see ``JournalReading/end(of:)``.
        public func end(of loop: LoopID) throws(JournalError) -> EndedLoop? {
            try reading { try $0.end(of: loop, $1) }
        }

        /// The number of a new loop's first event; see ``JournalReading/newLoops()``.
        public func newLoops() throws(JournalError) -> UInt64 {
            try reading { try BegunLoopTable.sequence(loop: 0, shard: $0.shard, $1) }
        }

        /// The number of the event with which a loop began; see ``JournalReading/beginning(of:)``.
        public func beginning(of loop: LoopID) throws(JournalError) -> UInt64 {
            try reading { contents, session in
                guard let numbered = try contents.loops.find(loop, session) else { return 0 }
                return try BegunLoopTable.sequence(loop: numbered.number, shard: contents.shard, session)
            }
        }

        /// The loops that are not idle, in the order in which they began.
        public func activeLoops() throws(JournalError) -> [LoopID] {
            try reading { try $1.activeLoops(shard: $0.shard) }
        }

        /// The number of idle loops, and of their events.
        public func idleTotals() throws(JournalError) -> IdleTotals {
            try reading { try $0.loops.idleTotals($1) }
        }

        /// Whether the loop has begun.
        public func contains(_ loop: LoopID) throws(JournalError) -> Bool {
            try reading { try $0.loops.find(loop, $1)?.last != nil }
        }

        /// A page of loops by name; see ``JournalReading/loopPage(prefix:after:limit:)``.
        public func loopPage(prefix: String, after: LoopID?, limit: Int) throws(JournalError) -> [StoredLoop] {
            precondition(limit >= 0, "A limit is not negative.")
            return try reading {
                try IdleTable.page(prefix: prefix, after: after, limit: limit, shard: $0.shard, $1)
            }
        }

        /// The number of dead letters of each loop that has some.
        public func deadLetterCounts() throws(JournalError) -> [LoopID: Int] {
            try reading { try DeadLetterTable.counts(shard: $0.shard, $1) }
        }

        /// Reads the announced loops in blocks, if all calls read one state of the journal; see ``JournalReading/prefetch(_:)``.
        public func prefetch(_ loops: [LoopID]) {
            if isPinned { session.prefetch.expect(loops) }
        }

        /// The newest snapshot of a loop, or `nil` when there is none; see ``JournalReading/newestSnapshot(of:)``.
        public func newestSnapshot(of loop: LoopID) throws(JournalError) -> Snapshot? {
            try reading { try $0.snapshot(of: loop, $1) }
        }

        /// The snapshot before the newest one; see ``JournalReading/olderSnapshot(of:)``.
        public func olderSnapshot(of loop: LoopID) throws(JournalError) -> Snapshot? {
            try reading { try $0.snapshot(skipping: 1, of: loop, $1) }
        }

        /// The newest snapshot at or before an event; see ``JournalReading/snapshot(of:upTo:)``.
        public func snapshot(of loop: LoopID, upTo sequence: UInt64) throws(JournalError) -> Snapshot? {
            try reading { try $0.snapshot(of: loop, upTo: sequence, $1) }
        }

        /// The oldest snapshot that is kept; see ``JournalReading/oldestSnapshot(of:)``.
        public func oldestSnapshot(of loop: LoopID) throws(JournalError) -> Snapshot? {
            try reading { try $0.oldestSnapshot(of: loop, $1) }
        }

        /// Calls `visit` for each record after the newest snapshot; see ``JournalReading/readTail(of:_:)``.
        public func readTail(of loop: LoopID, _ visit: (JournalRecord) throws -> Void) throws {
            try read { try $0.readTail(of: loop, $1, visit) }
        }

        /// Calls `visit` for each record between the snapshots; see ``JournalReading/readBetweenSnapshots(of:_:)``.
        public func readBetweenSnapshots(of loop: LoopID, _ visit: (JournalRecord) throws -> Void) throws {
            try read { try $0.readBetweenSnapshots(of: loop, $1, visit) }
        }

        /// The kept records of a loop in a range; see ``JournalReading/entries(of:_:)``.
        public func entries(of loop: LoopID, _ range: JournalRange) throws(JournalError) -> JournalPage {
            try reading { try $0.entries(of: loop, range, $1) }
        }

        /// The builds that wrote events; see ``JournalReading/builds(of:in:)``.
        public func builds(of loop: LoopID, in sequences: ClosedRange<UInt64>) throws(JournalError) -> [String] {
            try reading { try $0.builds(of: loop, in: sequences, $1) }
        }

        /// The outside keys that the loop has applied, oldest first, at most the newest `limit`.
        public func outsideKeys(of loop: LoopID, limit: Int) throws(JournalError) -> [String] {
            precondition(limit >= 0, "A limit is not negative.")
            return try reading { try $0.outsideKeys(of: loop, limit: limit, $1) }
        }

        /// Whether the loop has applied an outside key.
        public func hasApplied(key: String, of loop: LoopID) throws(JournalError) -> Bool {
            try reading { try $0.sequence(of: key, in: loop, $1) != nil }
        }

        /// What the sender of the key was told; see ``JournalReading/confirmation(of:in:)``.
        public func confirmation(of key: String, in loop: LoopID) throws(JournalError) -> EventConfirmation? {
            try reading { try $0.confirmation(of: key, in: loop, $1) }
        }

        /// Who sent the event of the key; see ``JournalReading/mark(of:in:)``.
        public func mark(of key: String, in loop: LoopID) throws(JournalError) -> SenderMark? {
            try reading { try $0.mark(of: key, in: loop, $1) }
        }

        /// Dead letters in order; see ``JournalReading/deadLetters(of:after:limit:)``.
        public func deadLetters(
            of loop: LoopID?, after: EffectID?, limit: Int
        ) throws(JournalError) -> [DeadLetter] {
            precondition(limit >= 0, "A limit is not negative.")
            return try reading {
                try $0.deadLetters(of: loop, after: after, limit: limit, bytes: .max, total: .max, $1).map(\.letter)
            }
        }

        /// The same without the bytes of large effects; see ``JournalReading/deadLetterHeads(of:after:limit:)``.
        public func deadLetterHeads(
            of loop: LoopID?, after: EffectID?, limit: Int
        ) throws(JournalError) -> [DeadLetterHead] {
            precondition(limit >= 0, "A limit is not negative.")
            return try reading {
                try $0.deadLetters(
                    of: loop, after: after, limit: limit, bytes: DeadLetterHead.maximumBytes,
                    total: DeadLetterHead.maximumTotal, $1)
            }
        }

        /// The dead letter of an effect, if it has one.
        public func deadLetter(_ id: EffectID) throws(JournalError) -> DeadLetter? {
            try reading { try $0.deadLetter(id, $1) }
        }

        /// The number of dead letters of one loop, or of all loops.
        public func deadLetterCount(of loop: LoopID?) throws(JournalError) -> Int {
            try reading { try $0.deadLetterCount(of: loop, $1) }
        }

        /// The recorded crashes, in the order in which they were first recorded.
        public func crashes() throws(JournalError) -> [Crash] {
            try reading { try $0.crashes($1).map(\.crash) }
        }
    }
#endif
