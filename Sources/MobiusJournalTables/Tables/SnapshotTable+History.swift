package import MobiusJournal
import MobiusWire

// Snapshots before the newest two, from which models of the past are computed.
extension SnapshotTable {
    /// Deletes snapshots before the newest two.
    ///
    /// A window keeps them all until their segment goes. A journal that keeps everything keeps those of an earlier
    /// window, and the oldest, without which the models of a loop that was compacted before would not be known.
    package static func deleteSuperseded(loop: Int64, _ kept: KeptHistory, _ commit: inout Commit) {
        let values: [SQLStatement.Value] = [.number(commit.shard), .number(loop)]
        switch kept {
        case .window: break
        case .needed:
            commit.add(
                """
                DELETE FROM snapshots WHERE shard = $1 AND loop = $2 AND id NOT IN (
                    SELECT id FROM snapshots WHERE shard = $1 AND loop = $2
                    ORDER BY sequence DESC, part DESC, id DESC LIMIT 2)
                """, values)
        case .all:
            commit.add(
                """
                DELETE FROM snapshots AS s WHERE shard = $1 AND loop = $2 AND id NOT IN (
                    SELECT id FROM snapshots WHERE shard = $1 AND loop = $2
                    ORDER BY sequence DESC, part DESC, id DESC LIMIT 2)
                AND id <> (
                    SELECT id FROM snapshots WHERE shard = $1 AND loop = $2 ORDER BY sequence, part, id LIMIT 1)
                AND NOT EXISTS (
                    SELECT 1 FROM history h WHERE h.shard = $1 AND h.loop = $2 AND h.sequence = s.sequence
                        AND h.part = s.part)
                """, values)
        }
    }

    /// The bytes of the models of snapshots at or after one place and before another.
    package static func bytes(
        from first: RecordPlace, before end: RecordPlace, loop: Int64, shard: Int64, _ session: any JournalDatabase
    ) throws(JournalError) -> Int64 {
        try session.read(
            """
            SELECT CAST(coalesce(sum(length(model)), 0) AS bigint) FROM snapshots
            WHERE shard = $1 AND loop = $2 AND (sequence, part) >= ($3, $4) AND (sequence, part) < ($5, $6)
            """,
            [
                .number(shard), .number(loop), .bits(first.sequence), .number(Int64(first.part)),
                .bits(end.sequence), .number(Int64(end.part)),
            ]
        ).number(0, 0)
    }

    /// Deletes the snapshots before a place.
    package static func delete(before place: RecordPlace, loop: Int64, _ commit: inout Commit) {
        commit.add(
            """
            DELETE FROM snapshots WHERE shard = $1 AND loop = $2 AND (sequence, part) < ($3, $4)
            """, [.number(commit.shard), .number(loop), .bits(place.sequence), .number(Int64(place.part))])
    }

    /// The number of a loop's snapshots of models after later events than `sequence`; with `nil`, of all.
    package static func count(
        after sequence: UInt64? = nil, loop: Int64, shard: Int64, _ session: any JournalDatabase
    ) throws(JournalError) -> Int64 {
        try session.read(
            "SELECT count(*) FROM snapshots WHERE shard = $1 AND loop = $2 AND sequence > $3",
            [.number(shard), .number(loop), .number(sequence.map { Int64(clamping: $0) } ?? -1)]
        ).number(0, 0)
    }
}
