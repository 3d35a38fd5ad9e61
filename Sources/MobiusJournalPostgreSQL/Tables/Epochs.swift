#if PostgreSQL
    import MobiusJournal
    import MobiusJournalTables
    import MobiusWire

    /// A shard's row and its epochs, one for each time that it was opened.
    enum Epochs {
        /// Takes a shard over: no commit of an earlier epoch can succeed from now on.
        ///
        /// Epochs are milliseconds of the server's clock where that is ahead, so that no epoch comes twice after a
        /// failover of PostgreSQL lost the last one.
        ///
        /// - Throws: ``JournalError`` with code `held` when a transaction of the owner does not end within 10 s; `foreign`.
        static func begin(
            shard: Int64, application: String, build: String, _ session: Session
        ) throws(JournalError) -> (identity: JournalID, epoch: UInt64) {
            let identity = try identity(of: shard, application: application, session)
            return (identity, try acquire(shard, application, build, session))
        }

        /// Opens a shard under an epoch that a lease has begun.
        ///
        /// - Throws: ``JournalError`` with code `fenced` when a later epoch has begun; `foreign`.
        static func join(
            _ epoch: UInt64, shard: Int64, application: String, _ session: Session
        ) throws(JournalError) -> JournalID {
            let identity = try identity(of: shard, application: application, session)
            let results: [Rows]
            do throws(PipelineError) {
                results = try session.connection.run([
                    SQLStatement("BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE"),
                    SQLStatement("SET LOCAL lock_timeout TO '10s'"),
                    SQLStatement(
                        """
                        UPDATE shards SET backend = pg_backend_pid(), backend_start =
                            (SELECT backend_start FROM pg_stat_activity WHERE pid = pg_backend_pid())
                        WHERE shard = $1 AND epoch = $2
                        """, [.number(shard), .bits(epoch)]),
                    SQLStatement("COMMIT"),
                ])
            } catch {
                throw error.error.state == "55P03" ? held(session, error) : error.writing(session.url, commit: 3)
            }
            guard results[2].changes == 1 else { throw .fenced(session.url) }
            return identity
        }

        /// Fails when another program has the database, or there is no shard in it.
        ///
        /// One shard's row that cannot be read is no reason to refuse the others.
        static func requireOwner(_ application: String, _ session: Session) throws(JournalError) {
            let row = try session.read(
                """
                SELECT shard, application FROM shards
                ORDER BY application IS NULL OR application = $1, shard LIMIT 1
                """, [.text(application)])
            guard row.rows > 0 else {
                throw JournalError(
                    .foreign,
                    "The journal \(session.url.shown) has no shards: make them with `mobius journal init URL`.")
            }
            if !row.isNull(0, 1), row.array(0, 1) != Array(application.utf8) {
                throw foreign(row.array(0, 1), application, session)
            }
        }

        private static func foreign(_ owner: [UInt8], _ application: String, _ session: Session) -> JournalError {
            let owner = String(decoding: owner, as: UTF8.self)
            return JournalError(
                .foreign,
                "The journal \(session.url.shown) belongs to \(owner), not to \(application): start \(owner), or "
                    + "choose another database or ?schema=.")
        }

        /// The identity of a shard's journal.
        ///
        /// - Throws: ``JournalError`` with code `foreign` when it is another program's.
        static func identity(
            of shard: Int64, application: String, _ session: Session
        ) throws(JournalError) -> JournalID {
            let row = try session.read("SELECT identity, application FROM shards WHERE shard = $1", [.number(shard)])
            guard row.rows > 0 else {
                throw JournalError(
                    .foreign,
                    "The journal \(session.url.shown) has no shard \(shard): make it with `mobius journal init URL`.")
            }
            guard let identity = row.text(0, 0).flatMap({ JournalID($0) }) else {
                throw JournalError.damaged(session.url.shown, "its identity cannot be read")
            }
            if !row.isNull(0, 1), row.array(0, 1) != Array(application.utf8) {
                throw foreign(row.array(0, 1), application, session)
            }
            return identity
        }

        /// The statement that begins the next epoch of a shard, of this program or none, and returns it.
        ///
        /// With `seen`, only while the shard's epoch and its lease are those. Without it, this connection becomes the owner's.
        ///
        /// - Parameter floor: The new epoch is greater than this one, too.
        static func beginning(
            shard: Int64, application: String, build: String, seen: (epoch: Int64, change: Int64)? = nil,
            above floor: UInt64 = 0
        ) -> SQLStatement {
            SQLStatement(
                """
                UPDATE shards SET application = coalesce(application, $2), created_by = coalesce(created_by, $3),
                    epoch = greatest(epoch + 1, $6 + 1, (extract(epoch FROM clock_timestamp()) * 1000)::bigint),
                    backend = CASE WHEN $5 < 0 THEN pg_backend_pid() END, backend_start =
                        (SELECT backend_start FROM pg_stat_activity WHERE pid = pg_backend_pid() AND $5 < 0)
                WHERE shard = $1 AND (application IS NULL OR application = $2) AND ($5 < 0 OR epoch = $4 AND EXISTS (
                    SELECT 1 FROM leases l WHERE l.shard = $1 AND l.change = $5)) RETURNING epoch
                """,
                [
                    .number(shard), .text(application), .text(build), .number(seen?.epoch ?? 0),
                    .number(seen?.change ?? -1), .number(Int64(clamping: min(floor, 1 << 62))),
                ])
        }

        /// The statement that keeps which build began an epoch.
        static func insertion(_ epoch: UInt64, shard: Int64, build: String) -> SQLStatement {
            SQLStatement(
                "INSERT INTO epochs (shard, epoch, build, checksum) VALUES ($1, $2, $3, $4)",
                [.number(shard), .bits(epoch), .text(build), .number(checksum(epoch, build))])
        }

        private static func acquire(
            _ shard: Int64, _ application: String, _ build: String, _ session: Session
        ) throws(JournalError) -> UInt64 {
            do throws(PipelineError) {
                let results = try session.connection.run([
                    SQLStatement("BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE"),
                    SQLStatement("SET LOCAL lock_timeout TO '10s'"),
                    beginning(shard: shard, application: application, build: build),
                ])
                guard results[2].rows == 1 else {
                    throw PipelineError(
                        statement: 2,
                        error: PostgreSQLError(
                            state: "MF002", isFatal: false, message: "another program has taken the journal"))
                }
                let epoch = UInt64(bitPattern: results[2].number(0, 0))
                let end = try session.connection.run([
                    insertion(epoch, shard: shard, build: build), SQLStatement("COMMIT"),
                ])
                guard end.last?.command == "COMMIT" else {
                    throw PipelineError(statement: 4, error: .lost("the transaction was rolled back"))
                }
                return epoch
            } catch {
                throw error.error.state == "55P03" ? held(session, error) : error.writing(session.url, commit: 3)
            }
        }

        /// A transaction of the earlier writer does not end.
        static func held(_ session: Session, _ error: PipelineError) -> JournalError {
            JournalError(
                .held,
                "A transaction of the coordinator that has the journal \(session.url.shown) does not end: stop that "
                    + "coordinator, and start again.",
                underlying: error)
        }

        /// The builds by the numbers of their epochs, in order.
        static func all(shard: Int64, _ session: Session) throws(JournalError) -> [(epoch: Int64, build: String)] {
            let rows = try session.read(
                "SELECT epoch, build, checksum FROM epochs WHERE shard = $1 ORDER BY epoch", [.number(shard)])
            var epochs: [(Int64, String)] = []
            for row in 0..<rows.rows {
                let epoch = rows.number(row, 0)
                guard epoch > 0, let build = rows.text(row, 1),
                    checksum(UInt64(bitPattern: epoch), build) == rows.number(row, 2)
                else { throw JournalError.damaged(session.url.shown, "epoch \(epoch) is not what was written") }
                epochs.append((epoch, build))
            }
            return epochs
        }

        static func checksum(_ epoch: UInt64, _ build: String) -> Int64 {
            var sum = RowChecksum()
            sum.add(epoch)
            sum.add(build)
            return sum.value
        }
    }
#endif
