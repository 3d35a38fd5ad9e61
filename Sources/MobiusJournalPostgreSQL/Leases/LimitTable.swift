#if PostgreSQL
    import MobiusJournal
    import MobiusJournalTables

    /// The statements about the shares that the shards of a cluster have of its limits.
    enum LimitTable {
        /// Reads all shares.
        static let read = SQLStatement(
            """
            SELECT name, resource, shard, units, wanted, change,
                (extract(epoch FROM clock_timestamp() - changed) * 1000000)::bigint,
                (extract(epoch FROM clock_timestamp() - claimed) * 1000000)::bigint
            FROM limit_shares
            """)

        /// The shares in the rows that ``read`` returns; rows of later versions, which may know other resources, are left out.
        static func shares(in rows: Rows) -> [LimitShare] {
            (0..<rows.rows).compactMap { row in
                guard let name = rows.text(row, 0), let resource = LimitResource(rawValue: rows.number(row, 1)),
                    let shard = UInt32(exactly: rows.number(row, 2))
                else { return nil }
                return LimitShare(
                    LimitKey(name, resource), shard: shard, units: Int(clamping: rows.number(row, 3)),
                    wanted: Int(clamping: rows.number(row, 4)), change: rows.number(row, 5),
                    age: .microseconds(rows.number(row, 6)), silence: .microseconds(rows.number(row, 7)))
            }
        }

        /// The names of the limits that hold in each shard by itself and were used in some, unless the cluster shares them since.
        static func unshared(_ session: Session) throws(JournalError) -> [String] {
            let rows = try session.read(
                """
                SELECT DISTINCT name FROM limit_shares s WHERE resource = $1 AND units > 0 AND NOT EXISTS (
                    SELECT 1 FROM limit_shares o WHERE o.name = s.name AND o.resource <> $1 AND o.claimed > s.claimed)
                ORDER BY name
                """, [.number(LimitResource.perShard.rawValue)])
            return (0..<rows.rows).compactMap { rows.text($0, 0) }
        }

        /// The transaction that makes claims of one shard, but for its commit, and where the claims' statements are in it.
        static func claiming(
            _ claims: [LimitClaim], for shard: UInt32, epoch: UInt64, schema: Int64, patience: Duration
        ) -> (statements: [SQLStatement], first: Int) {
            var statements = [
                SQLStatement("BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE"),
                SQLStatement(
                    "SELECT set_config('lock_timeout', $1, true)", [.name("\(max(1, patience.milliseconds))")]),
                SQLStatement("SELECT fence($1, $2)", [.number(Int64(shard)), .bits(epoch)]),
            ]
            // In the same order everywhere, so that nobody waits for one who waits for him.
            for lock in Set(claims.map { lock(of: $0.key.name) }).sorted() {
                statements.append(
                    SQLStatement(
                        "SELECT pg_advisory_xact_lock($1::integer, $2::integer)",
                        [LeaseTable.key(schema), .number(lock)]))
            }
            return (statements + claims.map { claim($0, for: shard) }, statements.count)
        }

        /// Those that claim units of a limit come one after the other: the sum is that of all shares on disk.
        ///
        /// Numbers below zero, because those of shards' locks are not; -1 is `LeaseTable.lockNumbers`.
        private static func lock(of name: String) -> Int64 {
            -2 - Int64(FNV1a.hash(Array(name.utf8)) & 0x3FFF_FFFF)
        }

        /// Makes or changes a share, unless it is not as it was seen; returns whether no shard has given units up lately.
        private static func claim(_ claim: LimitClaim, for shard: UInt32) -> SQLStatement {
            SQLStatement(
                """
                INSERT INTO limit_shares AS s (name, resource, shard, units, wanted, change, changed, claimed)
                SELECT $1, $2, $3, $4, $5, 1, clock_timestamp(), clock_timestamp()
                WHERE $4 <= $6 OR $4 + (SELECT coalesce(sum(o.units), 0) FROM limit_shares o
                    WHERE o.name = $1 AND o.resource = $2 AND o.shard <> $3) <= $8
                ON CONFLICT (name, resource, shard) DO UPDATE SET units = excluded.units, wanted = excluded.wanted,
                    change = s.change + 1, claimed = excluded.claimed,
                    changed = CASE WHEN excluded.units = s.units THEN s.changed ELSE excluded.changed END,
                    reduced = CASE WHEN excluded.units < s.units THEN excluded.changed ELSE s.reduced END
                WHERE s.change = $7
                RETURNING (SELECT count(*) FROM limit_shares o WHERE o.name = $1 AND o.resource = $2
                    AND o.reduced > clock_timestamp() - $9::double precision * interval '1 microsecond')
                """,
                [
                    .text(claim.key.name), .number(claim.key.resource.rawValue), .number(Int64(shard)),
                    .number(Int64(claim.units)), .number(Int64(claim.wanted)), .number(Int64(claim.seen)),
                    .number(claim.change), .number(Int64(claim.total)),
                    // At most ten years, for the database's times have an end.
                    .number(min(claim.period.microseconds, 315_360_000_000_000)),
                ])
        }

        /// Returns the outcome of a claim.
        static func outcome(in result: Rows) -> LimitOutcome {
            result.rows == 1 ? .granted(isRested: result.number(0, 0) == 0) : .refused
        }
    }
#endif
