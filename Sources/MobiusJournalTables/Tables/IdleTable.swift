package import MobiusJournal
package import MobiusWire

/// The loops that a start need not recover, and their last events: all others that have begun are active.
package enum IdleTable {
    /// Notes that a loop need not be recovered.
    package static func park(_ idle: IdleLoop, loop: Int64, _ commit: inout Commit) {
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
    package static func activate(_ loop: Int64, _ commit: inout Commit) {
        commit.add(
            "INSERT INTO active_loops (shard, loop, checksum) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING",
            [.number(commit.shard), .number(loop), .number(activeSum(loop))])
    }

    /// The loop is no longer idle.
    package static func wake(loop: Int64, _ commit: inout Commit) {
        commit.add(
            "DELETE FROM idle_loops WHERE shard = $1 AND loop = $2", [.number(commit.shard), .number(loop)])
    }

    /// The loop is no longer in the journal.
    package static func remove(loop: Int64, _ commit: inout Commit) {
        wake(loop: loop, &commit)
        commit.add(
            "DELETE FROM active_loops WHERE shard = $1 AND loop = $2", [.number(commit.shard), .number(loop)])
    }

    /// Stores the totals.
    package static func save(_ totals: IdleTotals, _ commit: inout Commit) {
        commit.add(saving, saved(totals, shard: commit.shard))
    }

    /// The statement that stores the totals.
    package static let saving: StaticString = """
        INSERT INTO idle_totals (shard, loops, events, checksum) VALUES ($1, $2, $3, $4)
        ON CONFLICT (shard)
        DO UPDATE SET loops = excluded.loops, events = excluded.events, checksum = excluded.checksum
        """

    /// Its parameters.
    package static func saved(_ totals: IdleTotals, shard: Int64) -> [SQLStatement.Value] {
        let (loops, events) = (Int64(bitPattern: totals.loops), Int64(bitPattern: totals.events))
        return [.number(shard), .number(loops), .number(events), .number(checksum(loops, events))]
    }

    /// The number of idle loops, and of their events.
    package static func totals(shard: Int64, _ session: any JournalDatabase) throws(JournalError) -> IdleTotals {
        let row = try session.read(
            "SELECT loops, events, checksum FROM idle_totals WHERE shard = $1", [.number(shard)])
        guard row.rows > 0 else { return IdleTotals() }
        let (loops, events) = (row.number(0, 0), row.number(0, 1))
        guard checksum(loops, events) == row.number(0, 2) else { throw damaged(session) }
        return IdleTotals(loops: UInt64(bitPattern: loops), events: UInt64(bitPattern: events))
    }

    /// The loops of rows with their name, number and checksum, which must be recovered.
    package static func active(_ rows: Rows, _ session: any JournalDatabase) throws(JournalError) -> [LoopID] {
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
    package static func page(
        prefix: String, after: LoopID?, limit: Int, shard: Int64, _ session: any JournalDatabase
    ) throws(JournalError) -> [StoredLoop] {
        let rows = try session.loopPage(prefix: prefix, after: after, limit: limit, shard: shard)
        var found: [StoredLoop] = []
        for row in 0..<rows.rows {
            let stored = try stored(rows, row, session)
            guard stored.loop.name.utf8.starts(with: prefix.utf8) else { break }
            found.append(stored)
        }
        return found
    }

    /// The number of loops whose names begin with `kind` and a slash: what the index of names says.
    package static func loopCount(
        ofKind kind: String, shard: Int64, _ session: any JournalDatabase
    ) throws(JournalError) -> Int {
        // The zero follows the slash.
        let row = try session.read(
            "SELECT count(*) FROM loops WHERE shard = $1 AND name >= $2 AND name < $3",
            [.number(shard), .text("\(kind)/"), .text("\(kind)0")])
        return Int(clamping: row.number(0, 0))
    }

    private static func stored(
        _ rows: Rows, _ row: Int, _ session: any JournalDatabase
    ) throws(JournalError) -> StoredLoop {
        guard let loop = rows.text(row, 1).flatMap({ LoopID($0) }) else { throw damaged(session) }
        guard !rows.isNull(row, 2) else { return StoredLoop(loop: loop) }
        let (sequence, time) = (rows.number(row, 2), rows.number(row, 3))
        guard checksum(rows.number(row, 0), sequence, time) == rows.number(row, 4) else { throw damaged(session) }
        let idle = IdleLoop(
            loop: loop, sequence: UInt64(bitPattern: sequence),
            time: time == unknownTime ? nil : WallTime(milliseconds: time))
        return StoredLoop(loop: loop, idle: idle)
    }

    /// Those of these loops that there are.
    package static func stored(
        _ loops: [LoopID], shard: Int64, _ session: any JournalDatabase
    ) throws(JournalError) -> [StoredLoop] {
        let rows = try session.read(
            loops.map { loop in
                SQLStatement(
                    """
                    SELECT l.id, l.name, i.sequence, i.time, i.checksum FROM loops l
                    LEFT JOIN idle_loops i ON i.shard = l.shard AND i.loop = l.id WHERE l.shard = $1 AND l.name = $2
                    """, [.number(shard), .text(loop.name)])
            })
        var found: [StoredLoop] = []
        for rows in rows where rows.rows > 0 { found.append(try stored(rows, 0, session)) }
        return found
    }

    // Stands for a time that is not known.
    private static let unknownTime = Int64.min

    private static func damaged(_ session: any JournalDatabase) -> JournalError {
        .damaged(session.shown, "the row of an idle or active loop is not what was written")
    }

    /// The checksum of the row of an active loop.
    package static func activeSum(_ loop: Int64) -> Int64 { checksum(loop) }

    private static func checksum(_ numbers: Int64...) -> Int64 {
        var sum = RowChecksum()
        for number in numbers { sum.add(number) }
        return sum.value
    }
}
