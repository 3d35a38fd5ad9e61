package import MobiusJournal
package import MobiusWire

/// The pools that operators have paused.
package enum PausedPoolTable {
    /// Stores a pause instead of an earlier one; `nil` removes it.
    package static func set(_ pause: PoolPause?, of pool: String, _ commit: inout Commit) {
        guard let pause else {
            return commit.add(
                "DELETE FROM paused_pools WHERE shard = $1 AND pool = $2", [.number(commit.shard), .text(pool)])
        }
        commit.add(
            """
            INSERT INTO paused_pools (shard, pool, name, why, since, checksum) VALUES ($1, $2, $3, $4, $5, $6)
            ON CONFLICT (shard, pool) DO UPDATE SET name = excluded.name, why = excluded.why, since = excluded.since,
                checksum = excluded.checksum
            """,
            [
                .number(commit.shard), .text(pool), .text(pause.by), .text(pause.why),
                .number(pause.since.milliseconds), .number(RowChecksum.pause(pause, of: pool)),
            ])
    }

    /// All of them, by their pools.
    package static func all(
        shard: Int64, _ session: any JournalDatabase
    ) throws(JournalError) -> [String: PoolPause] {
        let rows = try session.read(
            "SELECT pool, name, why, since, checksum FROM paused_pools WHERE shard = $1", [.number(shard)])
        var pauses: [String: PoolPause] = [:]
        for row in 0..<rows.rows {
            guard let pool = rows.text(row, 0), let name = rows.text(row, 1), let why = rows.text(row, 2) else {
                throw broken(session)
            }
            let pause = PoolPause(by: name, why: why, since: WallTime(milliseconds: rows.number(row, 3)))
            guard RowChecksum.pause(pause, of: pool) == rows.number(row, 4) else { throw broken(session) }
            pauses[pool] = pause
        }
        return pauses
    }

    private static func broken(_ session: any JournalDatabase) -> JournalError {
        .damaged(session.shown, "the row of a paused pool is not what was written")
    }
}
