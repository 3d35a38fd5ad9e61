#if PostgreSQL
    import MobiusJournal
    import MobiusWire

    /// The statements about the leases of shards.
    enum LeaseTable {
        /// All shards with their leases.
        ///
        /// A lease is connected while the server's process that its holder renewed it by has the advisory lock of the shard.
        static func read(schema: Int64, _ session: Session) throws(JournalError) -> [ShardState] {
            let rows = try session.read(
                """
                SELECT s.shard, s.epoch, l.change, l.process, l.name, l.workers, l.clients,
                    (extract(epoch FROM l.until - clock_timestamp()) * 1000000)::bigint,
                    EXISTS (SELECT 1 FROM pg_locks k WHERE k.locktype = 'advisory' AND k.granted AND k.objsubid = 2
                        AND k.database = (SELECT oid FROM pg_database WHERE datname = current_database())
                        AND k.classid::bigint = $1 AND k.objid::bigint = s.shard AND k.pid = l.backend)
                FROM shards s LEFT JOIN leases l ON l.shard = s.shard ORDER BY s.shard
                """, [.number(schema)])
            var shards: [ShardState] = []
            for row in 0..<rows.rows {
                guard let shard = UInt32(exactly: rows.number(row, 0)), !rows.isNull(row, 2) else {
                    throw damaged(session)
                }
                var state = ShardState(
                    shard: shard, epoch: UInt64(bitPattern: rows.number(row, 1)),
                    change: UInt64(bitPattern: rows.number(row, 2)), lease: nil)
                if !rows.isNull(row, 3) { state.lease = try lease(rows, row, session) }
                shards.append(state)
            }
            return shards
        }

        private static func lease(
            _ rows: QueryResult, _ row: Int, _ session: Session
        ) throws(JournalError) -> Lease {
            guard let process = rows.text(row, 3).flatMap({ Incarnation($0) }), let name = rows.text(row, 4),
                let workers = rows.text(row, 5), let clients = rows.text(row, 6)
            else { throw damaged(session) }
            return Lease(
                holder: LeaseHolder(process: process, name: name, workers: workers, clients: clients),
                remaining: .microseconds(rows.number(row, 7)), isConnected: rows.number(row, 8) != 0)
        }

        /// Locks a lease that has not changed since it was seen.
        static func lock(_ shard: UInt32) -> Statement {
            Statement("SELECT change FROM leases WHERE shard = $1 FOR UPDATE", [.number(Int64(shard))])
        }

        /// Gives the lease of a shard to an epoch, in the transaction that begins it.
        static func give(_ shard: UInt32, to epoch: UInt64) -> Statement {
            Statement("UPDATE leases SET epoch = $2 WHERE shard = $1", [.number(Int64(shard)), .bits(epoch)])
        }

        /// Renews a lease, unless another epoch has begun.
        ///
        /// The epoch of the lease is compared, too: it is that of the row as it is when it is locked, while the row of the
        /// shard is that at the statement's beginning.
        static func renew(
            _ shard: UInt32, epoch: UInt64, as holder: LeaseHolder, for time: Duration
        ) -> Statement {
            Statement(
                """
                UPDATE leases l SET change = change + 1, process = $3, name = $4, workers = $5, clients = $6,
                    until = clock_timestamp() + $7::double precision * interval '1 microsecond',
                    backend = pg_backend_pid()
                WHERE shard = $1 AND epoch = $2
                    AND EXISTS (SELECT 1 FROM shards s WHERE s.shard = l.shard AND s.epoch = $2)
                """,
                [
                    .number(Int64(shard)), .bits(epoch), .name(holder.process.description), .text(holder.name),
                    .text(holder.workers), .text(holder.clients), .number(time.microseconds),
                ])
        }

        /// Ends a lease and notifies those that wait, unless another epoch has begun.
        static func release(_ shard: UInt32, epoch: UInt64, channel: String) -> Statement {
            Statement(
                """
                WITH released AS (
                    UPDATE leases l SET change = change + 1, process = NULL, name = NULL, workers = NULL,
                        clients = NULL, until = NULL, backend = NULL
                    WHERE shard = $1 AND epoch = $2
                        AND EXISTS (SELECT 1 FROM shards s WHERE s.shard = l.shard AND s.epoch = $2)
                    RETURNING shard)
                SELECT pg_notify($3, shard::text) FROM released
                """, [.number(Int64(shard)), .bits(epoch), .name(channel)])
        }

        /// Ends the connection of the writer of an epoch, if it is still that of the process that opened the journal.
        static func endWriter(_ shard: UInt32, epoch: UInt64) -> Statement {
            Statement(
                """
                SELECT pg_terminate_backend(a.pid) FROM shards s
                JOIN pg_stat_activity a ON a.pid = s.backend AND a.backend_start = s.backend_start
                WHERE s.shard = $1 AND s.epoch = $2
                """, [.number(Int64(shard)), .bits(epoch)])
        }

        /// Takes the advisory lock of a shard, which says that its holder is connected.
        ///
        /// It is shared, so that an earlier holder whose connection is still there does not keep it from the next one.
        static func connect(_ shard: UInt32, schema: Int64) -> Statement {
            Statement(
                "SELECT pg_try_advisory_lock_shared($1::integer, $2::integer)",
                [key(schema), .number(Int64(shard))])
        }

        /// Gives it back.
        static func disconnect(_ shard: UInt32, schema: Int64) -> Statement {
            Statement(
                "SELECT pg_advisory_unlock_shared($1::integer, $2::integer)",
                [key(schema), .number(Int64(shard))])
        }

        // The number of a schema has 32 bits without a sign, and those of a lock have one.
        private static func key(_ schema: Int64) -> Statement.Value {
            .number(Int64(Int32(truncatingIfNeeded: schema)))
        }

        private static func damaged(_ session: Session) -> JournalError {
            .damaged(session.url.shown, "the row of a lease is not what was written")
        }
    }
#endif
