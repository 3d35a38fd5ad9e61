#if PostgreSQL
    import Logging
    public import MobiusJournal
    public import MobiusWire

    /// The shards of a journal in PostgreSQL and the processes that run them, for operators.
    ///
    /// It needs no coordinator. Calls come from one thread at a time and block it; they throw ``JournalError``, with code
    /// `notReadable` when the connection is lost.
    public final class PostgreSQLCluster {
        private let session: Session
        private let schema: Int64
        private let channel: String

        /// Connects to the journal at `url`.
        ///
        /// - Throws: ``JournalError``: `notReadable`, or `foreign` for anything but a journal of this format.
        public init(url: String) throws(JournalError) {
            session = try Session(try JournalURL(url), logger: Logger(label: "mobius.journal"))
            try session.requireFormat()
            schema = try LeaseTable.schema(session)
            channel = LeaseTable.channel(schema)
        }

        deinit {
            session.connection.close()
        }

        /// The shards with their leases, in the order of their numbers.
        public func shards() throws(JournalError) -> [ShardState] {
            try LeaseTable.read(schema: schema, session)
        }

        /// The processes that are there, in the order of their names.
        public func members() throws(JournalError) -> [ClusterMember] {
            try LeaseTable.members(in: try run(LeaseTable.members), session)
        }

        /// Wants a shard to be run by this process, as long as that may get shards; by any, when it is `nil`.
        ///
        /// The processes see it within a quarter of a lease's time.
        ///
        /// - Returns: whether there is such a shard.
        public func want(_ shard: UInt32, _ process: Incarnation?) throws(JournalError) -> Bool {
            try run(LeaseTable.want(shard, process)).changes == 1
        }

        /// Wants a process to hand over all that it has, or no longer.
        ///
        /// The process sees it within a quarter of a lease's time; it goes on to stand by.
        ///
        /// - Returns: whether the process is there.
        public func drain(_ process: Incarnation, _ drains: Bool = true) throws(JournalError) -> Bool {
            try run(LeaseTable.drain(process, drains)).changes == 1
        }

        private func run(_ statement: Statement) throws(JournalError) -> QueryResult {
            do throws(PipelineError) {
                return try session.connection.run([statement])[0]
            } catch {
                throw error.reading(session.url)
            }
        }
    }
#endif
