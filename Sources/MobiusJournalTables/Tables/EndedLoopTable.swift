package import MobiusJournal
import MobiusWire

/// The loops that have ended, by the times of their ends.
package enum EndedLoopTable {
    package static func insert(_ end: EndedLoop, loop: Int64, _ commit: inout Commit) {
        commit.add(
            """
            INSERT INTO ended_loops (shard, loop, sequence, time, again, outstanding, checksum)
            VALUES ($1, $2, $3, $4, $5, $6, $7)
            ON CONFLICT (shard, loop) DO UPDATE SET sequence = excluded.sequence, time = excluded.time,
                again = excluded.again, outstanding = excluded.outstanding, removing = 0,
                checksum = excluded.checksum
            """,
            [
                .number(commit.shard), .number(loop), .bits(end.sequence), .number(end.time.milliseconds),
                .number(end.mayBeginAgain ? 1 : 0), .number(Int64(end.outstanding)),
                .number(RowChecksum.end(end, loop: loop)),
            ])
    }

    package static func delete(loop: Int64, _ commit: inout Commit) {
        commit.add(
            "DELETE FROM ended_loops WHERE shard = $1 AND loop = $2", [.number(commit.shard), .number(loop)])
    }

    /// The ends of all loops.
    package static func all(shard: Int64, _ session: any JournalDatabase) throws(JournalError) -> [EndedLoop] {
        try ends(
            session.read(
                """
                SELECT e.loop, e.sequence, e.time, e.again, e.outstanding, e.checksum, l.name, e.removing
                FROM ended_loops e
                LEFT JOIN loops l ON l.shard = e.shard AND l.id = e.loop WHERE e.shard = $1 ORDER BY e.time, e.loop
                """, [.number(shard)]), session)
    }

    /// The end of one loop.
    package static func end(of loop: Int64, shard: Int64, _ session: any JournalDatabase) throws(JournalError)
        -> EndedLoop?
    {
        try ends(
            session.read(
                """
                SELECT e.loop, e.sequence, e.time, e.again, e.outstanding, e.checksum, l.name, e.removing
                FROM ended_loops e
                LEFT JOIN loops l ON l.shard = e.shard AND l.id = e.loop WHERE e.shard = $1 AND e.loop = $2
                """, [.number(shard), .number(loop)]), session
        ).first
    }

    private static func ends(_ rows: Rows, _ session: any JournalDatabase) throws(JournalError) -> [EndedLoop] {
        var ends: [EndedLoop] = []
        for row in 0..<rows.rows {
            guard let loop = rows.text(row, 6).flatMap({ LoopID($0) }),
                let outstanding = UInt32(exactly: rows.number(row, 4))
            else { throw broken(session) }
            var end = EndedLoop(
                loop: loop, sequence: UInt64(bitPattern: rows.number(row, 1)),
                time: WallTime(milliseconds: rows.number(row, 2)), mayBeginAgain: rows.number(row, 3) == 1,
                outstanding: outstanding)
            guard RowChecksum.end(end, loop: rows.number(row, 0)) == rows.number(row, 5) else {
                throw broken(session)
            }
            end.isRemoving = rows.number(row, 7) == 1
            ends.append(end)
        }
        return ends
    }

    private static func broken(_ session: any JournalDatabase) -> JournalError {
        .damaged(session.shown, "the row of an ended loop is not what was written")
    }

    // MARK: Removing

    /// Whether a part of the loop was deleted.
    package static func isRemoving(loop: Int64, shard: Int64, _ session: any JournalDatabase) throws(JournalError)
        -> Bool
    {
        try session.read(
            "SELECT 1 FROM ended_loops WHERE shard = $1 AND loop = $2 AND removing = 1",
            [.number(shard), .number(loop)]
        ).rows > 0
    }

    /// Deletes the end and the name, which go last.
    package static func finish(loop: Int64, _ commit: inout Commit) {
        delete(loop: loop, &commit)
        IdleTable.remove(loop: loop, &commit)
        BegunLoopTable.delete(loop: loop, &commit)
        FactTable.delete(loop: loop, &commit)
        commit.add("DELETE FROM loops WHERE shard = $1 AND id = $2", [.number(commit.shard), .number(loop)])
    }
}
