#if PostgreSQL
    public import Logging
    public import MobiusJournal
    import MobiusJournalTables
    import MobiusWire

    /// Makes a journal's tables in PostgreSQL, as `mobius journal init` does.
    public enum PostgreSQLSchema {
        /// The outcome of ``prepare(url:logger:)``.
        public enum Outcome: Sendable {
            /// There was no journal: the schema and its tables were made.
            case made
            /// The journal was there; it has the tables that an earlier build had not made.
            case found
        }

        /// Makes the schema of the URL with an empty journal of so many shards, unless it has one, in one transaction.
        ///
        /// Several processes may do so at once. The user needs the right to create a schema in the database, or the schema
        /// and the right to create in it.
        ///
        /// - Parameter shards: From 1 to ``ClusterMap/maximumShards``, for a new journal; each gets as many slices as the others,
        ///   or one more.
        /// - Throws: ``JournalError``: `notReadable` without a connection, `notWritable` without the rights, `foreign` for a
        ///   journal of another format.
        @discardableResult
        public static func prepare(
            url: String, shards: Int = 1, logger: Logger = Logger(label: "mobius.journal")
        ) throws(JournalError) -> Outcome {
            precondition(
                1...ClusterMap.maximumShards ~= shards, "A journal has 1 to \(ClusterMap.maximumShards) shards.")
            let url = try JournalURL(url)
            let session = try Session(url, logger: logger)
            guard try session.version() == nil else {
                try session.requireFormat()
                try complete(session)
                return .found
            }
            // The lock is for the end of another process that does the same.
            let begin = ["BEGIN", "SELECT pg_advisory_xact_lock(\(lock))"]
            do throws(PipelineError) {
                try session.connection.execute(begin)
            } catch {
                throw error.reading(url)
            }
            // First, because only the reading of a table lets PostgreSQL look whether the schema that was missing is there now.
            let exists = try session.read("SELECT 1 FROM pg_namespace WHERE nspname = $1", [.name(url.schema)])
            guard try session.version() == nil else {
                try session.requireFormat()
                return .found
            }
            try make(session, shards: shards, makesSchema: exists.rows == 0)
            return .made
        }

        /// Makes the tables that a journal of an earlier build does not have.
        ///
        /// - Throws: ``JournalError``: `notWritable` without the rights.
        static func complete(_ session: Session) throws(JournalError) {
            var isComplete = true
            for name in TableDefinitions.laterNames where isComplete { isComplete = try session.hasTable(name) }
            guard !isComplete else { return }
            do throws(PipelineError) {
                try session.connection.execute(
                    ["BEGIN", "SELECT pg_advisory_xact_lock(\(lock))"] + TableDefinitions.later(.postgreSQL) + [
                        "COMMIT"
                    ])
            } catch {
                throw JournalError(
                    .notWritable,
                    "The journal \(session.url.shown) lacks tables of this build, and cannot be given them: run `mobius journal "
                        + "init URL` as the owner of its schema \(session.url.schema).",
                    underlying: error)
            }
        }

        private static func make(_ session: Session, shards: Int, makesSchema: Bool) throws(JournalError) {
            let url = session.url
            var random = SystemRandomNumberGenerator()
            let rows = SliceSet.parts(shards).enumerated().flatMap { shard, slices in
                let hex = slices.bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
                return [
                    "INSERT INTO shards (shard, identity, slices) VALUES "
                        + "(\(shard), '\(JournalID.random(using: &random))', decode('\(hex)', 'hex'))",
                    "INSERT INTO leases (shard) VALUES (\(shard))",
                ]
            }
            let schema = makesSchema ? ["CREATE SCHEMA \(url.schema)"] : []
            do throws(PipelineError) {
                try session.connection.execute(
                    schema + Schema.tables(url.schema) + rows + ["COMMIT"])
            } catch {
                throw JournalError(
                    .notWritable,
                    "The journal \(url.shown) cannot be made: give its user the right to create in the database, with "
                        + "GRANT CREATE ON DATABASE … TO …, or make the schema \(url.schema) and let the user own it.",
                    underlying: error)
            }
        }

        // "MobF", for pg_advisory_xact_lock.
        private static let lock = 0x4d6f_6246
    }
#endif
