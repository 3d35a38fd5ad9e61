#if PostgreSQL
    import MobiusJournal
    import MobiusJournalTables
    import MobiusWire

    /// Gives some slices of a shard, with their loops, to a new shard, in one transaction.
    ///
    /// Nobody may run the shard meanwhile: its lease is free, and stays locked until the end. The shard's epoch is raised, which
    /// fences a writer that has not noticed that its lease is over. Rows keep their loops' numbers, which belong to the shard.
    struct ShardSplit {
        let session: Session
        /// The number of the journal's schema.
        let schema: Int64
        /// Tells those that wait for a lease.
        let channel: String
        /// Called now and then while rows are moved.
        let goesOn: () -> Void

        /// The outcome of a split.
        struct Outcome {
            /// The number of the new shard.
            let shard: UInt32
            /// The number of its loops.
            let loops: Int
        }

        /// Splits a shard whose lease is free, as it was seen; its loops in the slices `moving` go to a new shard.
        ///
        /// - Parameter wanted: The process that an operator wants to run the old shard afterwards.
        /// - Returns: `nil` when the shard is not as it was seen.
        /// - Throws: ``JournalError``: `outcomeUnknown` when the connection is lost during the commit.
        func run(_ seen: ShardState, moving: SliceSet, wanted: Incarnation?) throws(JournalError) -> Outcome? {
            try PostgreSQLSchema.complete(session)
            do throws(PipelineError) {
                let epoch = try begin(seen)
                guard let epoch else {
                    try session.connection.execute(["ROLLBACK"])
                    return nil
                }
                let outcome = try move(seen, moving, epoch, wanted)
                let end = try session.connection.execute(["COMMIT"])
                guard end.last?.command == "COMMIT" else {
                    throw PipelineError(statement: 0, error: .lost("the transaction was rolled back"))
                }
                return outcome
            } catch {
                guard error.error.state != "55P03" else { throw Epochs.held(session, error) }
                // The last statement of all is the commit.
                throw error.writing(session.url, commit: 0)
            }
        }

        /// Begins the transaction, with the next epoch of the shard.
        private func begin(_ seen: ShardState) throws(PipelineError) -> UInt64? {
            let old = Int64(seen.shard)
            let results = try session.connection.run([
                SQLStatement("BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE"),
                SQLStatement("SET LOCAL lock_timeout TO '10s'"),
                // Splits come one after the other: each needs a number.
                LeaseTable.lockNumbers(schema: schema),
                LeaseTable.lock(seen.shard),
                SQLStatement(
                    """
                    UPDATE shards SET epoch = greatest(epoch + 1, (extract(epoch FROM clock_timestamp()) * 1000)::bigint),
                        backend = NULL, backend_start = NULL
                    WHERE shard = $1 AND epoch = $2 AND EXISTS (
                        SELECT 1 FROM leases l WHERE l.shard = $1 AND l.change = $3)
                    RETURNING epoch
                    """, [.number(old), .bits(seen.epoch), .bits(seen.change)]),
            ])
            return results[4].rows == 1 ? UInt64(bitPattern: results[4].number(0, 0)) : nil
        }

        private func move(
            _ seen: ShardState, _ moving: SliceSet, _ epoch: UInt64, _ wanted: Incarnation?
        ) throws(PipelineError) -> Outcome {
            let old = Int64(seen.shard)
            let count = try session.connection.run([SQLStatement("SELECT max(shard) + 1 FROM shards")])
            let new = count[0].number(0, 0)
            var staying = seen.slices
            for slice in 0..<SliceSet.slices where moving.contains(slice) { staying.remove(slice) }
            var random = SystemRandomNumberGenerator()
            let identity = JournalID.random(using: &random)
            _ = try session.connection.run([
                SQLStatement(
                    """
                    INSERT INTO shards (shard, identity, application, created_by, epoch, slices)
                    SELECT $1, $2, application, created_by, epoch, $3 FROM shards WHERE shard = $4
                    """, [.number(new), .name("\(identity)"), .bytes(moving.bytes), .number(old)]),
                SQLStatement(
                    "UPDATE shards SET slices = $2, wanted = nullif($3, '') WHERE shard = $1",
                    [.number(old), .bytes(staying.bytes), .name(wanted?.description ?? "")]),
                // Nobody holds effects of the new shard: its first owner waits for none.
                SQLStatement("INSERT INTO leases (shard, heirs) VALUES ($1, '')", [.number(new)]),
                // With the epoch: a renewal that waits for this row sees its newest version, but the shard's row as it was before.
                SQLStatement(
                    "UPDATE leases SET change = change + 1, epoch = $2 WHERE shard = $1", [.number(old), .bits(epoch)]),
                SQLStatement(
                    """
                    INSERT INTO epochs (shard, epoch, build, checksum)
                    SELECT $1, epoch, build, checksum FROM epochs WHERE shard = $2
                    """, [.number(new), .number(old)]),
                SQLStatement(
                    """
                    INSERT INTO kinds (shard, id, type, version, content_type, checksum)
                    SELECT $1, id, type, version, content_type, checksum FROM kinds WHERE shard = $2
                    """, [.number(new), .number(old)]),
                SQLStatement(
                    """
                    INSERT INTO paused_pools (shard, pool, name, why, since, checksum)
                    SELECT $1, pool, name, why, since, checksum FROM paused_pools WHERE shard = $2
                    """, [.number(new), .number(old)]),
                // The number with which new loops begin.
                SQLStatement(
                    """
                    INSERT INTO begun_loops (shard, loop, sequence, checksum)
                    SELECT $1, loop, sequence, checksum FROM begun_loops WHERE shard = $2 AND loop = 0
                    """, [.number(new), .number(old)]),
                SQLStatement(
                    """
                    INSERT INTO fact_progress (shard, epoch, build, last, complete)
                    SELECT $1, epoch, build, last, complete FROM fact_progress WHERE shard = $2
                    """, [.number(new), .number(old)]),
            ])
            let loops = try moveLoops(from: old, to: new, moving)
            for shard in [old, new] {
                let idle = try session.connection.run([
                    SQLStatement(
                        "SELECT count(*), coalesce(sum(sequence), 0)::bigint FROM idle_loops WHERE shard = $1",
                        [.number(shard)])
                ])[0]
                let totals = IdleTotals(
                    loops: UInt64(bitPattern: idle.number(0, 0)), events: UInt64(bitPattern: idle.number(0, 1)))
                _ = try session.connection.run([SQLStatement(IdleTable.saving, IdleTable.saved(totals, shard: shard))])
            }
            _ = try session.connection.run([
                SQLStatement("SELECT pg_notify($1, $2)", [.name(channel), .name("\(new)")])
            ])
            return Outcome(shard: UInt32(truncatingIfNeeded: new), loops: loops)
        }

        /// Moves all rows of the loops in these slices, a page of loops at a time, and returns how many loops these are.
        private func moveLoops(from old: Int64, to new: Int64, _ moving: SliceSet) throws(PipelineError) -> Int {
            var (last, count) = (Int64.min, 0)
            while true {
                let page = try session.connection.run([
                    SQLStatement(
                        "SELECT id, name FROM loops WHERE shard = $1 AND id > $2 ORDER BY id LIMIT 1000",
                        [.number(old), .number(last)])
                ])[0]
                guard page.rows > 0 else { return count }
                last = page.number(page.rows - 1, 0)
                var loops: [Int64] = []
                for row in 0..<page.rows where moving.contains(slice(page.array(row, 1))) {
                    loops.append(page.number(row, 0))
                }
                guard !loops.isEmpty else { continue }
                count += loops.count
                for update in Self.updates {
                    _ = try session.connection.run([
                        SQLStatement(update, [.number(new), .number(old), .numbers(loops)])
                    ])
                    goesOn()
                }
            }
        }

        /// The slice of a loop's name; a name that is none belongs to no loop, and stays.
        private func slice(_ name: [UInt8]) -> Int {
            String(validating: name, as: UTF8.self).flatMap { LoopID($0) }.map { SliceSet.slice(of: $0) } ?? -1
        }

        /// One for each table whose rows belong to loops.
        private static let updates: [StaticString] = [
            "UPDATE loops SET shard = $1 WHERE shard = $2 AND id = ANY ($3)",
            "UPDATE runs SET shard = $1 WHERE shard = $2 AND loop = ANY ($3)",
            "UPDATE snapshots SET shard = $1 WHERE shard = $2 AND loop = ANY ($3)",
            "UPDATE history SET shard = $1 WHERE shard = $2 AND loop = ANY ($3)",
            "UPDATE outside_keys SET shard = $1 WHERE shard = $2 AND loop = ANY ($3)",
            "UPDATE replies SET shard = $1 WHERE shard = $2 AND loop = ANY ($3)",
            "UPDATE dead_letters SET shard = $1 WHERE shard = $2 AND loop = ANY ($3)",
            "UPDATE requeued SET shard = $1 WHERE shard = $2 AND loop = ANY ($3)",
            "UPDATE crashes SET shard = $1 WHERE shard = $2 AND loop = ANY ($3)",
            "UPDATE ended_loops SET shard = $1 WHERE shard = $2 AND loop = ANY ($3)",
            "UPDATE begun_loops SET shard = $1 WHERE shard = $2 AND loop = ANY ($3)",
            "UPDATE active_loops SET shard = $1 WHERE shard = $2 AND loop = ANY ($3)",
            "UPDATE idle_loops SET shard = $1 WHERE shard = $2 AND loop = ANY ($3)",
            // By name: the loops are in the new shard already.
            """
            UPDATE facts SET shard = $1
            WHERE shard = $2 AND loop IN (SELECT name FROM loops WHERE shard = $1 AND id = ANY ($3))
            """,
        ]
    }
#endif
