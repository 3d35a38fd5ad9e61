#if PostgreSQL
    public import Logging
    public import MobiusJournal
    import MobiusJournalTables
    public import MobiusWire

    /// A journal in a database of PostgreSQL 12 or newer.
    ///
    /// Every call that writes is one transaction, sent in one round trip, and returns when PostgreSQL has confirmed it. What
    /// a confirmed commit survives is PostgreSQL's to say: with `fsync` on, SIGKILL and a power cut of its host; with
    /// `synchronous_standby_names`, the loss of the host. `synchronous_commit` is never `off` here.
    ///
    /// The journal belongs to the process that opened it last: opening begins a new epoch, and the first commit of an earlier
    /// one fails with the code `fenced` and writes nothing, whatever happened in between. A commit whose answer was lost with
    /// the connection fails with `outcomeUnknown` and is never tried again.
    ///
    /// All rows have checksums, so damage is detected when a row is read. Once a loop has two snapshots, its records before
    /// the older one are deleted, a few with each commit, unless the journal keeps its history, or a window of it.
    ///
    /// As with every ``JournalStore``, calls come from one thread at a time and block it, also for waiting on the network;
    /// `visit` closures must not call the store.
    public final class PostgreSQLJournal: PostgreSQLInspector, JournalStore, @unchecked Sendable {
        // @unchecked: calls come from one thread at a time.

        /// The number of this opening; greater than those of all earlier ones, and about the milliseconds since 1970 by the
        /// server's clock.
        public let epoch: UInt64

        /// The process of the server that serves this journal's connection.
        package var backend: Int32 { session.connection.backend }

        /// The number of round trips so far.
        package var roundTrips: Int { session.connection.pipelines }

        private let build: String
        private let access: OwnerAccess
        private var writer: TableWriter
        private var failure: JournalError?

        /// Takes over the journal at `url`, which `mobius journal init` has made.
        ///
        /// - Parameters:
        ///   - url: `postgresql://USER@HOST:PORT/DATABASE?schema=NAME`; see ``PostgreSQLInspector``.
        ///   - application: The program's name. A journal of another program is refused.
        ///   - build: The program's build, stored with the epoch; see ``builds(of:in:)``.
        ///   - history: The part of the past that is kept. It applies to records that later snapshots supersede. Those
        ///     that an earlier start has kept go only when they are beyond a window, or when nothing is to be kept.
        ///   - logger: For the server's notices.
        /// - Throws: ``JournalError``: `notReadable`, `foreign`, `held` when a transaction of the owner does not end, or
        ///   `damaged`.
        public convenience init(
            url: String, application: String, build: String, history: KeptHistory = .needed,
            logger: Logger = Logger(label: "mobius.journal")
        ) throws(JournalError) {
            try self.init(
                url: url, application: application, build: build, history: history, limits: .standard,
                logger: logger)
        }

        /// The same for any shard, with other limits, and under the epoch that a lease began: `fenced` when that is not the newest.
        package init(
            url: String, application: String, build: String, history: KeptHistory = .needed, limits: JournalLimits,
            epoch leased: UInt64? = nil, shard: UInt32 = 0, logger: Logger = Logger(label: "mobius.journal")
        ) throws(JournalError) {
            let session = try Session(try JournalURL(url), logger: logger)
            try session.requireFormat()
            try PostgreSQLSchema.complete(session)
            let shard = Int64(shard)
            self.build = build
            let identity: JournalID
            if let leased {
                identity = try Epochs.join(leased, shard: shard, application: application, session)
                epoch = leased
            } else {
                (identity, epoch) = try Epochs.begin(
                    shard: shard, application: application, build: build, session)
            }
            writer = try TableWriter(shard: shard, epoch: epoch, limits: limits, history: history, session)
            access = OwnerAccess(session, shard: shard)
            super.init(access, shard: shard, identity: identity)
        }

        /// Reads the announced loops in blocks, until something is written; see ``JournalReading/prefetch(_:)``.
        public override func prefetch(_ loops: [LoopID]) { session.prefetch.expect(loops) }

        /// Writes records and facts as one transaction and returns when PostgreSQL has confirmed it.
        ///
        /// - Throws: ``JournalError``: `fenced` when another process has opened the journal, `outcomeUnknown` when the
        ///   connection was lost meanwhile. After any error the store refuses to write, with the same error.
        public func commit(group: [[JournalRecord]], facts: [FactChange]) throws(JournalError) {
            guard group.contains(where: { !$0.isEmpty }) else { return }
            try write { contents, commit throws(JournalError) in
                try writer.note(group, session)
                try writer.write(group, facts, session, contents: &contents, &commit)
            }
        }

        /// Stores a snapshot of a loop, as of its last committed record, and deletes all but the one before it.
        public func save(_ snapshot: Snapshot) throws(JournalError) {
            try park([], [snapshot])
        }

        /// Stores snapshots and notes idle loops as one transaction; see ``JournalStore/park(_:_:)``.
        public func park(_ loops: [IdleLoop], _ snapshots: [Snapshot]) throws(JournalError) {
            guard !loops.isEmpty || !snapshots.isEmpty else { return }
            try write { contents, commit throws(JournalError) in
                try writer.note([], session)
                try writer.park(loops, snapshots, session, contents: &contents, &commit)
            }
        }

        /// Whether the effect was requeued; see ``JournalStore/wasRequeued(_:)``.
        public func wasRequeued(_ id: EffectID) throws(JournalError) -> Bool {
            try reading { contents, session in
                guard let loop = try contents.loops.find(id.loop, session) else { return false }
                return try DeadLetterTable.wasRequeued(id, loop: loop.number, shard: shard, session)
            }
        }

        /// Replaces facts; see ``JournalStore/rebuild(_:step:)``.
        public func rebuild(_ facts: [RebuiltFacts], step: FactStep?) throws(JournalError) {
            try write { contents, commit throws(JournalError) in
                try FactTable.rebuild(
                    facts, step, epoch: epoch, build: build, session, loops: &contents.loops, &commit)
            }
        }

        /// The progress of this build; see ``JournalStore/factProgress()``.
        public func factProgress() throws(JournalError) -> FactProgress {
            try reading { try FactTable.progress(epoch: self.epoch, build: self.build, shard: $0.shard, $1) }
        }

        /// Counts a crash; see ``JournalStore/noteCrash(_:build:epoch:at:)``.
        public func noteCrash(
            _ breadcrumb: Breadcrumb, build: String, epoch: UInt64, at time: WallTime
        ) throws(JournalError) -> Int {
            var count = 1
            try write { contents, commit throws(JournalError) in
                count = try writer.noteCrash(
                    Crash(breadcrumb: breadcrumb, count: 1, build: build, epoch: epoch, time: time), session,
                    contents: &contents, &commit)
            }
            return count
        }

        /// Stores that an event is to be dropped; see ``JournalStore/markDropped(_:of:)``.
        public func markDropped(_ source: SourceKey, of loop: LoopID) throws(JournalError) {
            try write { contents, commit throws(JournalError) in
                try writer.markDropped(source, of: loop, session, contents: &contents, &commit)
            }
        }

        /// Removes the crashes on one event.
        public func forgetCrash(_ source: SourceKey, of loop: LoopID) throws(JournalError) {
            try write { contents, commit throws(JournalError) in
                try writer.forgetCrash(source, of: loop, session, contents: contents, &commit)
            }
        }

        /// Stores a pool's pause, or removes it.
        public func setPause(_ pause: PoolPause?, of pool: String) throws(JournalError) {
            try write { _, commit throws(JournalError) in PausedPoolTable.set(pause, of: pool, &commit) }
        }

        /// Deletes a part of an ended loop; see ``JournalStore/remove(ended:rows:)``.
        public func remove(ended loop: LoopID, rows: Int) throws(JournalError) -> Bool {
            let ended = try reading { contents, session -> (number: Int64, end: EndedLoop)? in
                guard let end = try contents.end(of: loop, session) else { return nil }
                return try contents.loops.find(loop, session).map { ($0.number, end) }
            }
            guard let (number, end) = ended else { return true }
            var limits: [(index: Int, limit: Int)] = []
            let results = try write { contents, commit throws(JournalError) in
                writer.forget(number)
                limits = EndedLoopTable.remove(rows, loop: number, &commit)
            }
            guard limits.allSatisfy({ results[$0.index].changes < $0.limit }) else { return false }
            try write { contents, commit throws(JournalError) in
                try BegunLoopTable.raiseNewLoops(to: end.sequence + 1, session, &commit)
                EndedLoopTable.finish(loop: number, &commit)
                try contents.loops.forget(loop, session)
            }
            return true
        }

        /// Closes the connection.
        ///
        /// Another process can take the journal over at any time, also before.
        public func close() {
            precondition(!access.isClosed, "This journal is closed already.")
            access.isClosed = true
            session.connection.close()
        }

        /// Gathers a transaction and commits it; after an error nothing more is written.
        @discardableResult
        private func write(
            _ body: (inout Contents, inout Commit) throws(JournalError) -> Void
        ) throws(JournalError) -> [Rows] {
            if let failure { throw failure }
            do throws(JournalError) {
                var contents = try access.checkOut()
                var commit = Commit(shard: shard)
                try body(&contents, &commit)
                contents.loops.saveTotals(&commit)
                let results = try commit.run(epoch: epoch, session)
                writer.grow(by: commit.growth(results))
                access.cache = contents
                return results
            } catch {
                failure = error
                throw error
            }
        }
    }

    /// Access to what the owner of the journal knows of it.
    private final class OwnerAccess: SessionAccess {
        let session: Session
        let isPinned = false
        private let shard: Int64
        // `nil` after a failure, until something is read.
        var cache: Contents?
        var isClosed = false

        init(_ session: Session, shard: Int64) { (self.session, self.shard) = (session, shard) }

        /// Removes and returns the cached contents; the caller puts them back into `cache`.
        func checkOut() throws(JournalError) -> Contents {
            precondition(!isClosed, "This journal is closed: open it again to use it.")
            defer { cache = nil }
            if let cache { return cache }
            return try Contents(shard: shard, session)
        }

        func read<T>(_ body: (inout Contents, any JournalDatabase) throws -> T) throws -> T {
            var contents = try checkOut()
            defer { cache = contents }
            return try body(&contents, session)
        }
    }
#endif
