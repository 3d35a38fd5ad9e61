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
        }

        /// Makes the schema of the URL with an empty journal, unless it has one, in one transaction.
        ///
        /// Several processes may do so at once. The user needs the right to create a schema in the database, or the schema
        /// and the right to create in it.
        ///
        /// - Throws: ``JournalError``: `notReadable` without a connection, `notWritable` without the rights, `foreign` for a
        ///   journal of a newer format.
        @discardableResult
        public static func prepare(
            url: String, logger: Logger = Logger(label: "mobius.journal")
        ) throws(JournalError) -> Outcome {
            let url = try JournalURL(url)
            let session = try Session(url, logger: logger)
            if try session.version() != nil {
                try session.requireFormat()
                return .found
            }
            var random = SystemRandomNumberGenerator()
            let identity = JournalID.random(using: &random)
            // The lock is for the end of another process that does the same.
            let begin = ["BEGIN", "SELECT pg_advisory_xact_lock(\(lock))"]
            do throws(PipelineError) {
                try session.connection.execute(begin)
            } catch {
                throw error.reading(url)
            }
            guard try session.version() == nil else { return .found }
            let exists = try session.read("SELECT 1 FROM pg_namespace WHERE nspname = $1", [.name(url.schema)])
            let schema = exists.rows > 0 ? [] : ["CREATE SCHEMA \(url.schema)"]
            do throws(PipelineError) {
                try session.connection.execute(
                    schema + Schema.tables(url.schema) + [
                        "INSERT INTO shards (shard, identity) VALUES (0, '\(identity)')", "COMMIT",
                    ])
            } catch {
                throw JournalError(
                    .notWritable,
                    "The journal \(url.shown) cannot be made: give its user the right to create in the database, with "
                        + "GRANT CREATE ON DATABASE … TO …, or make the schema \(url.schema) and let the user own it.",
                    underlying: error)
            }
            return .made
        }

        // "MobF", for pg_advisory_xact_lock.
        private static let lock = 0x4d6f_6246
    }
#endif
