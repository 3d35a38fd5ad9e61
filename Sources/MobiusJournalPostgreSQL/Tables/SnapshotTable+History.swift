#if PostgreSQL
    import MobiusJournal
    import MobiusWire

    // Snapshots before the newest two, from which models of the past are computed.
    extension SnapshotTable {
        /// Deletes snapshots before the newest two.
        ///
        /// A window keeps them all until their segment goes. A journal that keeps everything keeps those of an earlier
        /// window, and the oldest, without which the models of a loop that was compacted before would not be known.
        static func deleteSuperseded(loop: Int64, _ kept: KeptHistory, _ commit: inout Commit) {
            let values: [Statement.Value] = [.number(commit.shard), .number(loop)]
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
                    DELETE FROM snapshots s WHERE shard = $1 AND loop = $2 AND id NOT IN (
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
        static func bytes(
            from first: RecordPlace, before end: RecordPlace, loop: Int64, shard: Int64, _ session: Session
        ) throws(JournalError) -> Int64 {
            try session.read(
                """
                SELECT coalesce(sum(length(model)), 0)::bigint FROM snapshots
                WHERE shard = $1 AND loop = $2 AND (sequence, part) >= ($3, $4) AND (sequence, part) < ($5, $6)
                """,
                [
                    .number(shard), .number(loop), .bits(first.sequence), .number(Int64(first.part)),
                    .bits(end.sequence), .number(Int64(end.part)),
                ]
            ).number(0, 0)
        }

        /// Deletes the snapshots before a place.
        static func delete(before place: RecordPlace, loop: Int64, _ commit: inout Commit) {
            commit.add(
                """
                DELETE FROM snapshots WHERE shard = $1 AND loop = $2 AND (sequence, part) < ($3, $4)
                """, [.number(commit.shard), .number(loop), .bits(place.sequence), .number(Int64(place.part))])
        }

        /// The number of a loop's snapshots of models after later events than `sequence`; with `nil`, of all.
        static func count(
            after sequence: UInt64? = nil, loop: Int64, shard: Int64, _ session: Session
        ) throws(JournalError) -> Int64 {
            try session.read(
                "SELECT count(*) FROM snapshots WHERE shard = $1 AND loop = $2 AND sequence > $3",
                [.number(shard), .number(loop), .number(sequence.map { Int64(clamping: $0) } ?? -1)]
            ).number(0, 0)
        }
    }

    extension Contents {
        /// See ``JournalReading/snapshot(of:upTo:)``.
        mutating func snapshot(
            of loop: LoopID, upTo sequence: UInt64, _ session: Session
        ) throws(JournalError) -> Snapshot? {
            guard let numbered = try loops.find(loop, session) else { return nil }
            let later = try SnapshotTable.count(after: sequence, loop: numbered.number, shard: shard, session)
            return try snapshot(skipping: later, of: loop, session)
        }

        /// See ``JournalReading/oldestSnapshot(of:)``.
        mutating func oldestSnapshot(of loop: LoopID, _ session: Session) throws(JournalError) -> Snapshot? {
            guard let numbered = try loops.find(loop, session) else { return nil }
            let count = try SnapshotTable.count(loop: numbered.number, shard: shard, session)
            return count == 0 ? nil : try snapshot(skipping: count - 1, of: loop, session)
        }
    }
#endif
