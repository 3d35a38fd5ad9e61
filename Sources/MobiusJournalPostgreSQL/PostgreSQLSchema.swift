#if PostgreSQL
    public import Logging
    public import MobiusJournal
    import MobiusWire

    /// Makes a journal's tables in PostgreSQL, as `mobius journal init` does.
    public enum PostgreSQLSchema {
        /// What ``prepare(url:logger:)`` found.
        public enum Outcome: Sendable {
            /// There was no journal: the schema and its tables were made.
            case made
            /// The journal was there, in the newest format; nothing was changed.
            case found
            /// The journal was there in an earlier format, and is in the newest one now.
            case migrated
        }

        /// Makes the schema of the URL with an empty journal of so many shards, unless it has one, in one transaction; a journal of an earlier
        /// format is brought to the newest one, also in one.
        ///
        /// Several processes may do so at once. The user needs the right to create a schema in the database, or the schema
        /// and the right to create in it; for a journal of an earlier format, it must own that one's tables. A coordinator
        /// that has such a journal open is fenced: its next commit fails.
        ///
        /// - Parameter shards: From 1 to ``ClusterMap/maximumShards``, for a new journal; each gets as many slices as the others,
        ///   or one more.
        /// - Throws: ``JournalError``: `notReadable` without a connection, `notWritable` without the rights, `held` when a
        ///   transaction of a coordinator does not end, `foreign` for a journal of a newer format.
        @discardableResult
        public static func prepare(
            url: String, shards: Int = 1, logger: Logger = Logger(label: "mobius.journal")
        ) throws(JournalError) -> Outcome {
            precondition(
                1...ClusterMap.maximumShards ~= shards, "A journal has 1 to \(ClusterMap.maximumShards) shards.")
            let url = try JournalURL(url)
            let session = try Session(url, logger: logger)
            if let version = try session.version(), version >= Schema.version {
                try session.requireFormat()
                try KeyTable.prepare(session)
                return .found
            }
            // To be told so is no reason to bring it up to date, which fences its coordinator.
            if shards > 1, try session.version() != nil {
                throw JournalError(
                    .unsupported,
                    "\(url.shown) has a journal of one shard already, of an earlier format: name another schema with "
                        + "?schema=NAME for a new one.")
            }
            // The lock is for the end of another process that does the same.
            let begin = ["BEGIN", "SELECT pg_advisory_xact_lock(\(lock))"]
            do throws(PipelineError) {
                try session.connection.execute(begin)
            } catch {
                throw error.reading(url)
            }
            guard let version = try session.version() else {
                try make(session, shards: shards)
                return .made
            }
            guard 1..<Int64(Schema.version) ~= version else {
                try session.requireFormat()
                return .found
            }
            try migrate(session, from: Int(version))
            try KeyTable.prepare(session)
            return .migrated
        }

        private static func make(_ session: Session, shards: Int) throws(JournalError) {
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
            let exists = try session.read("SELECT 1 FROM pg_namespace WHERE nspname = $1", [.name(url.schema)])
            let schema = exists.rows > 0 ? [] : ["CREATE SCHEMA \(url.schema)"]
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

        private static func migrate(_ session: Session, from version: Int) throws(JournalError) {
            do throws(PipelineError) {
                try Migration(session: session).run(from: version)
                let end = try session.connection.execute(["COMMIT"])
                guard end[0].command == "COMMIT" else {
                    throw PipelineError(statement: 0, error: .lost("the transaction was rolled back"))
                }
            } catch {
                guard error.error.state != "55P03" else { throw Epochs.held(session, error) }
                throw JournalError(
                    .notWritable,
                    "The journal \(session.url.shown) cannot be brought up to date, and is as it was: its user must own "
                        + "the tables of the schema \(session.url.schema).",
                    underlying: error)
            }
        }

        // "MobF", for pg_advisory_xact_lock.
        private static let lock = 0x4d6f_6246
    }
#endif
