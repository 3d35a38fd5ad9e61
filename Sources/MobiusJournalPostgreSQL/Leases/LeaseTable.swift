#if PostgreSQL
    import MobiusJournal
    import MobiusJournalTables
    import MobiusWire

    /// The statements about the leases of shards.
    enum LeaseTable {
        /// All shards with their leases; one whose rows are not what was written is damaged, and says nothing of the others.
        ///
        /// A lease is connected while the server's process that its holder renewed it by has the advisory lock of the shard.
        static func read(schema: Int64, _ session: Session) throws(JournalError) -> [ShardState] {
            let rows = try session.read(
                """
                SELECT s.shard, s.epoch, l.change, l.process, l.name, l.workers, l.clients, s.slices, s.wanted, l.heirs,
                    (extract(epoch FROM l.until - clock_timestamp()) * 1000000)::bigint,
                    EXISTS (SELECT 1 FROM pg_locks k WHERE k.locktype = 'advisory' AND k.granted AND k.objsubid = 2
                        AND k.database = (SELECT oid FROM pg_database WHERE datname = current_database())
                        AND k.classid::bigint = $1 AND k.objid::bigint = s.shard AND k.pid = l.backend)
                FROM shards s LEFT JOIN leases l ON l.shard = s.shard ORDER BY s.shard
                """, [.number(schema)])
            var shards: [ShardState] = []
            for row in 0..<rows.rows {
                // One with such a number cannot even be named.
                guard let shard = UInt32(exactly: rows.number(row, 0)) else { continue }
                let slices = SliceSet(bytes: rows.array(row, 7))
                let lease = rows.isNull(row, 3) ? nil : lease(rows, row)
                let isDamaged = slices == nil || rows.isNull(row, 2) || lease == nil && !rows.isNull(row, 3)
                shards.append(
                    ShardState(
                        shard: shard, epoch: UInt64(bitPattern: rows.number(row, 1)),
                        change: UInt64(bitPattern: rows.number(row, 2)), lease: lease, slices: slices ?? SliceSet(),
                        wanted: rows.text(row, 8).flatMap { Incarnation($0) },
                        possibleHolders: rows.isNull(row, 9) ? nil : incarnations(in: rows.array(row, 9)),
                        isDamaged: isDamaged))
            }
            return shards
        }

        private static func lease(_ rows: Rows, _ row: Int) -> Lease? {
            guard let process = rows.text(row, 3).flatMap({ Incarnation($0) }), let name = rows.text(row, 4),
                let workers = rows.text(row, 5), let clients = rows.text(row, 6)
            else { return nil }
            return Lease(
                holder: LeaseHolder(process: process, name: name, workers: workers, clients: clients),
                remaining: .microseconds(rows.number(row, 10)), isConnected: rows.number(row, 11) != 0)
        }

        /// The number of the journal's schema, which leases of several journals in one database have in their locks.
        static func schema(_ session: Session) throws(JournalError) -> Int64 {
            let row = try session.read(
                "SELECT oid::bigint FROM pg_namespace WHERE nspname = $1", [.name(session.url.schema)])
            return row.rows > 0 ? row.number(0, 0) : 0
        }

        /// Returns the channel on which released leases are notified.
        static func channel(_ schema: Int64) -> String { "mobius_leases_\(schema)" }

        /// Tells the other processes of this one, and reads them all.
        static func attend(as holder: LeaseHolder, isReady: Bool, for time: Duration) -> [SQLStatement] {
            [
                SQLStatement(
                    """
                    INSERT INTO members AS m (process, name, ready, until)
                    VALUES ($1, $2, $3::integer <> 0,
                        clock_timestamp() + $4::double precision * interval '1 microsecond')
                    ON CONFLICT (process) DO UPDATE SET ready = excluded.ready, until = excluded.until
                    """,
                    [
                        .name(holder.process.description), .text(holder.name), .number(isReady ? 1 : 0),
                        .number(time.microseconds),
                    ]),
                // Long enough for people to see that it was here.
                SQLStatement(
                    """
                    DELETE FROM members WHERE process IN (SELECT process FROM members
                        WHERE until < clock_timestamp() - interval '1 minute' FOR UPDATE SKIP LOCKED)
                    """),
                // The clock was set back since: one that has ended is not to count until the old time comes again.
                SQLStatement(
                    """
                    UPDATE members SET until = clock_timestamp() + interval '1 minute' WHERE process IN (
                        SELECT process FROM members WHERE until > clock_timestamp() + interval '1 minute'
                        FOR UPDATE SKIP LOCKED)
                    """),
                members,
            ]
        }

        /// Tells them of a process that gets only the shards that are wanted for it.
        static func attendAsGuest(_ guest: LeaseHolder, for time: Duration) -> SQLStatement {
            SQLStatement(
                """
                INSERT INTO members (process, name, ready, guest, until)
                VALUES ($1, $2, true, true, clock_timestamp() + $3::double precision * interval '1 microsecond')
                ON CONFLICT (process) DO UPDATE SET until = excluded.until
                """, [.name(guest.process.description), .text(guest.name), .number(time.microseconds)])
        }

        /// Lets one transaction after the other number new shards.
        static func lockNumbers(schema: Int64) -> SQLStatement {
            SQLStatement("SELECT pg_advisory_xact_lock($1::integer, -1)", [key(schema)])
        }

        /// Reads the processes that are there.
        static let members = SQLStatement(
            """
            SELECT process, name, ready::integer, draining::integer, guest::integer FROM members
            WHERE until > clock_timestamp() ORDER BY name, process
            """)

        /// The processes in the rows that ``members`` returns; one whose row is not what was written is left out.
        static func members(in rows: Rows) -> [ClusterMember] {
            (0..<rows.rows).compactMap { row in
                guard let process = rows.text(row, 0).flatMap({ Incarnation($0) }), let name = rows.text(row, 1) else {
                    return nil
                }
                return ClusterMember(
                    process: process, name: name, isReady: rows.number(row, 2) != 0,
                    isDraining: rows.number(row, 3) != 0, isGuest: rows.number(row, 4) != 0)
            }
        }

        /// Ends what ``attend(as:isReady:for:)`` said.
        static func resign(_ process: Incarnation) -> SQLStatement {
            SQLStatement("DELETE FROM members WHERE process = $1", [.name(process.description)])
        }

        /// Notes which process an operator wants to run a shard; `nil` for none.
        static func want(_ shard: UInt32, _ process: Incarnation?) -> SQLStatement {
            SQLStatement(
                "UPDATE shards SET wanted = nullif($2, '') WHERE shard = $1",
                [.number(Int64(shard)), .name(process?.description ?? "")])
        }

        /// Notes whether an operator wants a process to hand over all that it has.
        static func drain(_ process: Incarnation, _ drains: Bool) -> SQLStatement {
            SQLStatement(
                "UPDATE members SET draining = $2::integer <> 0 WHERE process = $1 AND until > clock_timestamp()",
                [.name(process.description), .number(drains ? 1 : 0)])
        }

        /// Locks a lease, unless another transaction has it, which may be taking it, or dividing the shard.
        static func lockAtOnce(_ shard: UInt32) -> SQLStatement {
            SQLStatement("SELECT change FROM leases WHERE shard = $1 FOR UPDATE NOWAIT", [.number(Int64(shard))])
        }

        /// Locks a lease.
        static func lock(_ shard: UInt32) -> SQLStatement {
            SQLStatement("SELECT change FROM leases WHERE shard = $1 FOR UPDATE", [.number(Int64(shard))])
        }

        /// Gives the lease of a shard to a process and its epoch, in the transaction that begins it.
        static func give(_ shard: UInt32, to process: Incarnation, _ epoch: UInt64) -> SQLStatement {
            SQLStatement(
                "UPDATE leases SET epoch = $2, process = $3 WHERE shard = $1",
                [.number(Int64(shard)), .bits(epoch), .name(process.description)])
        }

        /// Renews leases, unless another epoch has begun, and returns the shards that no other transaction has, and whether each was
        /// renewed.
        ///
        /// The process is compared, because after a failover that lost an epoch another one may have begun under the same number.
        /// One that is not what was written is mended.
        /// The epoch of the lease is compared, too: it is that of the row as it is when it is locked, while the row of the
        /// shard is that at the statement's beginning.
        static func renew(_ leases: [LeaseRenewal], for time: Duration) -> SQLStatement {
            SQLStatement(
                """
                WITH due AS (
                    SELECT l.shard, n.epoch, n.process, n.name, n.workers, n.clients
                    FROM unnest($1::bigint[], $2::bigint[], $3::bytea[], $4::bytea[], $5::bytea[], $6::bytea[])
                        AS n (shard, epoch, process, name, workers, clients)
                    JOIN leases l ON l.shard = n.shard ORDER BY l.shard FOR UPDATE OF l SKIP LOCKED),
                renewed AS (
                    UPDATE leases l SET change = l.change + 1, process = convert_from(d.process, 'UTF8'), name = d.name,
                        workers = d.workers, clients = d.clients,
                        until = clock_timestamp() + $7::double precision * interval '1 microsecond', heirs = NULL,
                        backend = pg_backend_pid()
                    FROM due d WHERE l.shard = d.shard AND l.epoch = d.epoch
                        AND (l.process = convert_from(d.process, 'UTF8') OR l.process !~ '^[0-9a-f]{32}$')
                        AND EXISTS (SELECT 1 FROM shards s WHERE s.shard = d.shard AND s.epoch = d.epoch)
                    RETURNING l.shard)
                SELECT d.shard, (r.shard IS NOT NULL)::integer FROM due d LEFT JOIN renewed r ON r.shard = d.shard
                """,
                [
                    .numbers(leases.map { Int64($0.shard) }), .numbers(leases.map { Int64(bitPattern: $0.epoch) }),
                    .texts(leases.map(\.holder.process.description)), .texts(leases.map(\.holder.name)),
                    .texts(leases.map(\.holder.workers)), .texts(leases.map(\.holder.clients)),
                    .number(time.microseconds),
                ])
        }

        /// Returns the outcomes of renewals, from the rows that ``renew(_:for:)`` returns.
        static func outcomes(of leases: [LeaseRenewal], in rows: Rows) -> [LeaseOutcome] {
            let found = Dictionary((0..<rows.rows).map { (rows.number($0, 0), rows.number($0, 1) != 0) }) { $1 }
            return leases.map { lease in found[Int64(lease.shard)].map { $0 ? .kept : .lost } ?? .delayed }
        }

        /// Ends a lease and notifies those that wait, unless another epoch has begun.
        static func release(
            _ shard: UInt32, epoch: UInt64, possibleHolders: [Incarnation]?, channel: String
        ) -> SQLStatement {
            SQLStatement(
                """
                WITH released AS (
                    UPDATE leases l SET change = change + 1, process = NULL, name = NULL, workers = NULL,
                        clients = NULL, until = NULL, backend = NULL,
                        heirs = CASE WHEN $4::integer <> 0 THEN $5::bytea END
                    WHERE shard = $1 AND epoch = $2
                        AND EXISTS (SELECT 1 FROM shards s WHERE s.shard = l.shard AND s.epoch = $2)
                    RETURNING shard)
                SELECT pg_notify($3, shard::text) FROM released
                """,
                [
                    .number(Int64(shard)), .bits(epoch), .name(channel), .number(possibleHolders == nil ? 0 : 1),
                    .bytes(possibleHolders.map(bytes) ?? []),
                ])
        }

        private static func bytes(_ workers: [Incarnation]) -> [UInt8] {
            workers.flatMap { worker in
                [worker.high, worker.low].flatMap { word in (0..<8).map { UInt8(truncatingIfNeeded: word >> (8 * $0)) }
                }
            }
        }

        private static func incarnations(in bytes: [UInt8]) -> [Incarnation] {
            stride(from: 0, to: bytes.count - 15, by: 16).map { start in
                func word(_ from: Int) -> UInt64 {
                    (0..<8).reduce(0) { $0 | UInt64(bytes[from + $1]) << (8 * UInt64($1)) }
                }
                return Incarnation(high: word(start), low: word(start + 8))
            }
        }

        /// Ends the connection of the writer of an epoch, if it is still that of the process that opened the journal.
        static func endWriter(_ shard: UInt32, epoch: UInt64) -> SQLStatement {
            SQLStatement(
                """
                SELECT pg_terminate_backend(a.pid) FROM shards s
                JOIN pg_stat_activity a ON a.pid = s.backend AND a.backend_start = s.backend_start
                WHERE s.shard = $1 AND s.epoch = $2
                """, [.number(Int64(shard)), .bits(epoch)])
        }

        /// Takes the advisory lock of a shard, which says that its holder is connected.
        ///
        /// It is shared, so that an earlier holder whose connection is still there does not keep it from the next one.
        static func connect(_ shard: UInt32, schema: Int64) -> SQLStatement {
            SQLStatement(
                "SELECT pg_try_advisory_lock_shared($1::integer, $2::integer)",
                [key(schema), .number(Int64(shard))])
        }

        /// Gives it back.
        static func disconnect(_ shard: UInt32, schema: Int64) -> SQLStatement {
            SQLStatement(
                "SELECT pg_advisory_unlock_shared($1::integer, $2::integer)",
                [key(schema), .number(Int64(shard))])
        }

        // The number of a schema has 32 bits without a sign, and those of a lock have one.
        static func key(_ schema: Int64) -> SQLStatement.Value {
            .number(Int64(Int32(truncatingIfNeeded: schema)))
        }

    }
#endif
