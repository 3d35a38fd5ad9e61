#if PostgreSQL
    import MobiusJournal
    import MobiusWire

    /// The loops that a start need not recover, and their last events: all others that have begun are active.
    enum IdleTable {
        /// Notes that a loop need not be recovered.
        static func park(_ idle: IdleLoop, loop: Int64, _ commit: inout Commit) {
            let (sequence, time) = (Int64(bitPattern: idle.sequence), idle.time?.milliseconds ?? unknownTime)
            commit.add(
                "DELETE FROM active_loops WHERE shard = $1 AND loop = $2", [.number(commit.shard), .number(loop)])
            commit.add(
                """
                INSERT INTO idle_loops (shard, loop, sequence, time, checksum) VALUES ($1, $2, $3, $4, $5)
                ON CONFLICT (shard, loop)
                DO UPDATE SET sequence = excluded.sequence, time = excluded.time, checksum = excluded.checksum
                """,
                [
                    .number(commit.shard), .number(loop), .number(sequence), .number(time),
                    .number(checksum(loop, sequence, time)),
                ])
        }

        /// Notes that a loop must be recovered.
        static func activate(_ loop: Int64, _ commit: inout Commit) {
            commit.add(
                "INSERT INTO active_loops (shard, loop, checksum) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING",
                [.number(commit.shard), .number(loop), .number(activeSum(loop))])
        }

        /// The loop is no longer idle.
        static func wake(loop: Int64, _ commit: inout Commit) {
            commit.add(
                "DELETE FROM idle_loops WHERE shard = $1 AND loop = $2", [.number(commit.shard), .number(loop)])
        }

        /// The loop is no longer in the journal.
        static func remove(loop: Int64, _ commit: inout Commit) {
            wake(loop: loop, &commit)
            commit.add(
                "DELETE FROM active_loops WHERE shard = $1 AND loop = $2", [.number(commit.shard), .number(loop)])
        }

        /// Stores the totals.
        static func save(_ totals: IdleTotals, _ commit: inout Commit) {
            commit.add(saving, saved(totals, shard: commit.shard))
        }

        /// The statement that stores the totals.
        static let saving: StaticString = """
            INSERT INTO idle_totals (shard, loops, events, checksum) VALUES ($1, $2, $3, $4)
            ON CONFLICT (shard)
            DO UPDATE SET loops = excluded.loops, events = excluded.events, checksum = excluded.checksum
            """

        /// Its parameters.
        static func saved(_ totals: IdleTotals, shard: Int64) -> [Statement.Value] {
            let (loops, events) = (Int64(bitPattern: totals.loops), Int64(bitPattern: totals.events))
            return [.number(shard), .number(loops), .number(events), .number(checksum(loops, events))]
        }

        /// The number of idle loops, and of their events.
        static func totals(shard: Int64, _ session: Session) throws(JournalError) -> IdleTotals {
            let row = try session.read(
                "SELECT loops, events, checksum FROM idle_totals WHERE shard = $1", [.number(shard)])
            guard row.rows > 0 else { return IdleTotals() }
            let (loops, events) = (row.number(0, 0), row.number(0, 1))
            guard checksum(loops, events) == row.number(0, 2) else { throw damaged(session) }
            return IdleTotals(loops: UInt64(bitPattern: loops), events: UInt64(bitPattern: events))
        }

        /// The loops that must be recovered, in the order in which they were added.
        static func active(shard: Int64, _ session: Session) throws(JournalError) -> [LoopID] {
            let rows = try session.read(
                """
                SELECT l.name, a.loop, a.checksum FROM active_loops a LEFT JOIN loops l ON l.shard = a.shard AND l.id = a.loop
                WHERE a.shard = $1 AND (l.name IS NULL
                    OR EXISTS (SELECT 1 FROM runs r WHERE r.shard = a.shard AND r.loop = a.loop)) ORDER BY a.loop
                """, [.number(shard)])
            var loops: [LoopID] = []
            for row in 0..<rows.rows {
                guard !rows.isNull(row, 0), let loop = rows.text(row, 0).flatMap({ LoopID($0) }),
                    activeSum(rows.number(row, 1)) == rows.number(row, 2)
                else { throw damaged(session) }
                loops.append(loop)
            }
            return loops
        }

        /// The loops behind `after` whose names begin with `prefix`, by name.
        static func page(
            prefix: String, after: LoopID?, limit: Int, shard: Int64, _ session: Session
        ) throws(JournalError) -> [StoredLoop] {
            let rows = try session.read(
                """
                SELECT l.id, l.name, i.sequence, i.time, i.checksum FROM loops l
                LEFT JOIN idle_loops i ON i.shard = l.shard AND i.loop = l.id
                WHERE l.shard = $1 AND l.name >= $2 AND l.name > $3
                    AND EXISTS (SELECT 1 FROM runs r WHERE r.shard = l.shard AND r.loop = l.id)
                ORDER BY l.name LIMIT $4
                """,
                [.number(shard), .text(prefix), .text(after?.name ?? ""), .number(Int64(limit))])
            var found: [StoredLoop] = []
            for row in 0..<rows.rows {
                guard let loop = rows.text(row, 1).flatMap({ LoopID($0) }) else { throw damaged(session) }
                guard loop.name.utf8.starts(with: prefix.utf8) else { break }
                guard !rows.isNull(row, 2) else {
                    found.append(StoredLoop(loop: loop))
                    continue
                }
                let (sequence, time) = (rows.number(row, 2), rows.number(row, 3))
                guard checksum(rows.number(row, 0), sequence, time) == rows.number(row, 4) else {
                    throw damaged(session)
                }
                let idle = IdleLoop(
                    loop: loop, sequence: UInt64(bitPattern: sequence),
                    time: time == unknownTime ? nil : WallTime(milliseconds: time))
                found.append(StoredLoop(loop: loop, idle: idle))
            }
            return found
        }

        // Stands for a time that is not known.
        private static let unknownTime = Int64.min

        private static func damaged(_ session: Session) -> JournalError {
            .damaged(session.url.shown, "the row of an idle or active loop is not what was written")
        }

        /// The checksum of the row of an active loop.
        static func activeSum(_ loop: Int64) -> Int64 { checksum(loop) }

        private static func checksum(_ numbers: Int64...) -> Int64 {
            var sum = RowChecksum()
            for number in numbers { sum.add(number) }
            return sum.value
        }
    }
#endif
