#if PostgreSQL
    import MobiusJournal
    import MobiusWire

    /// The loops that a start need not recover, and their last events: all others that have begun are active.
    enum IdleTable {
        /// Notes that a loop need not be recovered.
        static func park(_ idle: IdleLoop, loop: Int64, _ commit: inout Commit) {
            let (sequence, time) = (Int64(bitPattern: idle.sequence), idle.time?.milliseconds ?? unknownTime)
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
        static func wake(loop: Int64, _ commit: inout Commit) {
            commit.add(
                "DELETE FROM idle_loops WHERE shard = $1 AND loop = $2", [.number(commit.shard), .number(loop)])
        }

        /// The number of idle loops, and of their events.
        static func totals(shard: Int64, _ session: Session) throws(JournalError) -> IdleTotals {
            let row = try session.read(
                """
                SELECT count(*), least(coalesce(sum(sequence), 0), 9223372036854775807)::bigint
                FROM idle_loops WHERE shard = $1
                """, [.number(shard)])
            return IdleTotals(
                loops: UInt64(bitPattern: row.number(0, 0)), events: UInt64(bitPattern: row.number(0, 1)))
        }

        /// The loops that must be recovered, in the order in which they were added.
        static func active(shard: Int64, _ session: Session) throws(JournalError) -> [LoopID] {
            let rows = try session.read(
                """
                SELECT l.name FROM loops l WHERE l.shard = $1
                    AND NOT EXISTS (SELECT 1 FROM idle_loops i WHERE i.shard = l.shard AND i.loop = l.id)
                    AND EXISTS (SELECT 1 FROM runs r WHERE r.shard = l.shard AND r.loop = l.id) ORDER BY l.id
                """, [.number(shard)])
            var loops: [LoopID] = []
            for row in 0..<rows.rows {
                guard let loop = rows.text(row, 0).flatMap({ LoopID($0) }) else { throw damaged(session) }
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

        private static func checksum(_ numbers: Int64...) -> Int64 {
            var sum = RowChecksum()
            for number in numbers { sum.add(number) }
            return sum.value
        }
    }
#endif
