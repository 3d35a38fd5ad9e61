#if PostgreSQL
    import Logging
    import MobiusJournal
    import MobiusJournalTables

    /// A connection to the tables of a journal, and what its errors mean for the journal's owner.
    final class Session: JournalDatabase {
        let connection: Connection
        let url: JournalURL
        var shown: String { url.shown }
        /// The loops that are read next.
        let prefetch = Prefetch()

        /// Connects and sets what a journal needs of a connection.
        ///
        /// - Parameter patience: The time limit for connecting, and for all that is run until the caller moves the
        ///   connection's deadline.
        init(_ url: JournalURL, logger: Logger, patience: Duration? = nil) throws(JournalError) {
            self.url = url
            connection = try Connection(url, logger: logger, patience: patience)
            connection.deadline = patience.map { .now + $0 }
            guard connection.serverVersion >= 120_000 else {
                throw JournalError(
                    .foreign, "The PostgreSQL at \(url.shown) is too old: a journal needs version 12 or newer.")
            }
            do throws(PipelineError) {
                try connection.execute([
                    "SET search_path TO \(url.schema)",
                    // An owner whose host is lost in mid-commit would hold the fence for ever.
                    "SET idle_in_transaction_session_timeout TO '15s'",
                    // To compile a plan takes longer than any statement here, and its estimates may ask for it.
                    "SET jit TO off",
                    // A role's or a database's limits would end recoveries, commits of large snapshots and idle owners.
                    """
                    SELECT set_config(name, '0', false) FROM pg_settings WHERE setting <> '0' AND name IN
                        ('statement_timeout', 'lock_timeout', 'idle_session_timeout', 'transaction_timeout')
                    """,
                    // Notices that are no warnings say nothing about commits: see `Connection`.
                    "SET client_min_messages TO warning",
                    // What was committed must be on disk; all other values of the setting are so, and stay.
                    """
                    SELECT set_config('synchronous_commit', 'on', false)
                    WHERE current_setting('synchronous_commit') = 'off'
                    """,
                ])
            } catch {
                throw error.reading(url)
            }
        }

        /// Runs statements that read, in one round trip.
        func read(_ statements: [SQLStatement]) throws(JournalError) -> [Rows] {
            do throws(PipelineError) {
                return try connection.run(statements)
            } catch {
                throw error.reading(url)
            }
        }

        /// The rows of a loop of the block that was read in advance.
        func prefetched(_ loop: Int64) -> PrefetchedLoop? { prefetch[loop] }

        /// Whether the schema has a table of this name.
        func hasTable(_ name: String) throws(JournalError) -> Bool {
            try !read("SELECT to_regclass($1)::text", [.name(name)]).isNull(0, 0)
        }

        /// The version of the format; `nil` when the schema has no journal.
        func version() throws(JournalError) -> Int64? {
            let table = try read("SELECT to_regclass('format')::text")
            guard !table.isNull(0, 0) else { return nil }
            let row = try read("SELECT version FROM format")
            guard row.rows == 1 else { throw JournalError.damaged(url.shown, "the number of its format is missing") }
            return row.number(0, 0)
        }

        /// Fails unless the schema has a journal of this version.
        func requireFormat() throws(JournalError) {
            guard let version = try version() else {
                throw JournalError(
                    .foreign,
                    "The database at \(url.shown) has no journal in its schema \(url.schema): make one with `mobius "
                        + "journal init URL`.")
            }
            guard version <= Schema.version else {
                throw JournalError(
                    .foreign,
                    "The journal \(url.shown) was written by a newer program (format \(version), this one knows "
                        + "\(Schema.version)): start the newer program.")
            }
            guard version == Schema.version else {
                throw JournalError(
                    .foreign,
                    "The journal \(url.shown) has the older format \(version), of before 0.2: go on with the build that wrote "
                        + "it, or choose another ?schema=NAME for a new journal.")
            }
        }
    }

    extension JournalError {
        /// Another epoch has begun.
        static func fenced(_ url: JournalURL) -> JournalError {
            JournalError(
                .fenced,
                "Another process has opened the journal \(url.shown) and writes it now; nothing of this commit was "
                    + "kept. Run one coordinator per journal.")
        }
    }

    extension PipelineError {
        /// Returns the error for the failure of a statement that changes nothing.
        func reading(_ url: JournalURL) -> JournalError {
            switch error.state {
            case nil, "57P01", "57P02", "57P03":
                return JournalError(
                    .notReadable,
                    "The connection to \(url.shown) was lost: check PostgreSQL, then start again.", underlying: error)
            case "42P01", "42703", "22021", "XX001", "XX002", "58030":
                return .damaged(url.shown, "PostgreSQL cannot read it", underlying: error)
            case "53100":
                return JournalError(
                    .notReadable, "The disk of PostgreSQL is full, so \(url.shown) does not answer: make room.",
                    underlying: error)
            case "55P03":
                return JournalError(
                    .notReadable,
                    "A transaction of another connection does not end, so \(url.shown) does not answer: if it waits for a "
                        + "replica (synchronous_standby_names), start that, or do without it.",
                    underlying: error)
            case "57014":
                return JournalError(
                    .notReadable,
                    "PostgreSQL cancelled a statement on \(url.shown), as pg_cancel_backend does: start again.",
                    underlying: error)
            case PostgreSQLError.unconfirmed:
                return JournalError(
                    .notReadable,
                    "PostgreSQL warned during a commit on \(url.shown), so it is not known whether a replica has it: see "
                        + "\"The wait for a replica was cancelled\" in the runbook.",
                    underlying: error)
            default:
                return JournalError(
                    .notReadable,
                    "The journal \(url.shown) cannot be read: check the rights of its user, then start again.",
                    underlying: error)
            }
        }

        /// Returns the error for the failure of a commit whose `COMMIT` was the statement `commit`.
        func writing(_ url: JournalURL, commit: Int) -> JournalError {
            if error.state == PostgreSQLError.unconfirmed {
                return JournalError(
                    .outcomeUnknown,
                    "PostgreSQL warned during a commit of \(url.shown), so it is not known whether a replica has it: nothing "
                        + "was told to anyone. See \"The wait for a replica was cancelled\" in the runbook.",
                    underlying: error)
            }
            if error.state == nil || error.isFatal && statement >= commit {
                return JournalError(
                    .outcomeUnknown,
                    "The connection to \(url.shown) was lost during a commit, so it is not known whether that is kept: "
                        + "nothing was told to anyone. Start again, and the journal shows what is.",
                    underlying: error)
            }
            switch error.state {
            case PostgreSQLError.fenced:
                return .fenced(url)
            case "57P01", "57P02", "57P03":
                return JournalError(
                    .notReadable,
                    "PostgreSQL ended the connection to \(url.shown) before a commit, and nothing of that was kept: start "
                        + "again when it runs.",
                    underlying: error)
            case "53100":
                return JournalError(
                    .notWritable,
                    "The disk of PostgreSQL is full, so the journal \(url.shown) cannot be written: make room and start "
                        + "again.",
                    underlying: error)
            case "57014":
                return JournalError(
                    .notWritable,
                    "PostgreSQL cancelled a statement on \(url.shown), as pg_cancel_backend does, and nothing of this commit "
                        + "was kept: start again.",
                    underlying: error)
            case "23505":
                return JournalError(
                    .damaged,
                    "Another program has changed the journal \(url.shown), so nothing of this commit was kept: find out "
                        + "which, then start again, or restore a backup.",
                    underlying: error)
            case "42P01", "42703", "XX001", "XX002":
                return .damaged(url.shown, "PostgreSQL cannot write it", underlying: error)
            default:
                return JournalError(
                    .notWritable,
                    "The journal \(url.shown) cannot be written, and nothing of this commit was kept: check PostgreSQL, "
                        + "then start again.",
                    underlying: error)
            }
        }
    }
#endif
