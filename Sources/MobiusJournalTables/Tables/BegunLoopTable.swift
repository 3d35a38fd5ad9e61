package import MobiusJournal
import MobiusWire

/// The loops that have begun with an event after 0, and with which one: because they had ended, or others were removed.
///
/// The row of loop 0, which is none, has the number with which the next new loop begins.
///
/// It tells what an earlier life of a loop had asked for, after the records of the beginning are compacted away.
package enum BegunLoopTable {
    package static func insert(_ sequence: UInt64, loop: Int64, _ commit: inout Commit) {
        commit.add(
            """
            INSERT INTO begun_loops (shard, loop, sequence, checksum) VALUES ($1, $2, $3, $4)
            ON CONFLICT (shard, loop) DO UPDATE SET sequence = excluded.sequence, checksum = excluded.checksum
            """,
            [.number(commit.shard), .number(loop), .bits(sequence), .number(checksum(sequence, loop: loop))])
    }

    package static func delete(loop: Int64, _ commit: inout Commit) {
        commit.add(
            "DELETE FROM begun_loops WHERE shard = $1 AND loop = $2", [.number(commit.shard), .number(loop)])
    }

    /// Lets new loops begin with this number at least.
    package static func raiseNewLoops(
        to number: UInt64, _ session: any JournalDatabase, _ commit: inout Commit
    ) throws(JournalError) {
        guard try sequence(loop: 0, shard: commit.shard, session) < number else { return }
        insert(number, loop: 0, &commit)
    }

    /// The event with which the loop began last, 0 for the usual one; of loop 0 the number of a new loop's first event.
    package static func sequence(loop: Int64, shard: Int64, _ session: any JournalDatabase) throws(JournalError)
        -> UInt64
    {
        let row = try row(loop: loop, shard: shard, session)
        guard row.rows > 0 else { return 0 }
        let sequence = UInt64(bitPattern: row.number(0, 0))
        guard checksum(sequence, loop: loop) == row.number(0, 1) else {
            throw JournalError.damaged(
                session.shown, "the row of a loop that began again is not what was written")
        }
        return sequence
    }

    private static func row(loop: Int64, shard: Int64, _ session: any JournalDatabase) throws(JournalError) -> Rows {
        if let rows = session.prefetched(loop) { return rows.begun }
        return try session.read(
            "SELECT sequence, checksum FROM begun_loops WHERE shard = $1 AND loop = $2",
            [.number(shard), .number(loop)])
    }

    private static func checksum(_ sequence: UInt64, loop: Int64) -> Int64 {
        var sum = RowChecksum()
        sum.add(loop)
        sum.add(sequence)
        return sum.value
    }
}
