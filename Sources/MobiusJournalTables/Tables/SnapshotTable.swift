package import MobiusJournal
package import MobiusWire

/// The newest two snapshots of each loop, and earlier ones for a kept history.
package enum SnapshotTable {
    /// Inserts `snapshot` at `place`, and deletes the loop's third newest unless it is kept.
    package static func insert(
        _ snapshot: Snapshot, at place: RecordPlace, loop: Int64, kinds: inout Kinds, kept: KeptHistory,
        _ commit: inout Commit
    ) {
        var pending: [UInt8] = []
        PayloadLists.append(snapshot.pending, to: &pending) { kind in kinds.number(kind, &commit) }
        let kind = Int64(kinds.number(snapshot.model.kind, &commit))
        let sum = pending.withUnsafeBytes {
            RowChecksum.snapshot(loop: loop, place: place, kind: kind, hash: snapshot.hash, pending: $0)
        }
        commit.add(
            """
            INSERT INTO snapshots (shard, loop, id, sequence, part, kind, model, hash, pending, checksum)
            SELECT $1, $2, coalesce(max(id), 0) + 1, $3, $4, $5, $6, $7, $8, $9
            FROM snapshots WHERE shard = $1 AND loop = $2
            """,
            [
                .number(commit.shard), .number(loop), .bits(place.sequence), .number(Int64(place.part)),
                .number(kind), .bytes(snapshot.model.bytes), .bits(snapshot.hash), .bytes(pending), .number(sum),
            ])
        commit.added += Int64(snapshot.model.bytes.count)
        deleteSuperseded(loop: loop, kept, &commit)
    }

    /// The place of a loop's newest snapshot, or with `skipping: 1` of the one before it.
    package static func place(
        skipping: Int64 = 0, loop: Int64, shard: Int64, _ session: any JournalDatabase
    ) throws(JournalError) -> RecordPlace? {
        let row =
            if let known = prefetched(skipping, loop: loop, session) {
                known
            } else {
                try session.read(
                    """
                    SELECT sequence, part FROM snapshots WHERE shard = $1 AND loop = $2
                    ORDER BY sequence DESC, part DESC, id DESC LIMIT 1 OFFSET $3
                    """, [.number(shard), .number(loop), .number(skipping)])
            }
        return row.rows > 0 ? try place(row, session) : nil
    }

    /// A loop's newest snapshot, or with `skipping: 1` the one before it; its checksum is verified.
    package static func snapshot(
        skipping: Int64 = 0, of loop: LoopID, number: Int64, shard: Int64, kinds: Kinds, _ session: any JournalDatabase
    ) throws(JournalError) -> Snapshot? {
        let row =
            if let known = prefetched(skipping, loop: number, session) {
                known
            } else {
                try session.read(
                    """
                    SELECT sequence, part, kind, model, hash, pending, checksum FROM snapshots
                    WHERE shard = $1 AND loop = $2 ORDER BY sequence DESC, part DESC, id DESC LIMIT 1 OFFSET $3
                    """, [.number(shard), .number(number), .number(skipping)])
            }
        guard row.rows > 0 else { return nil }
        let place = try place(row, session)
        let hash = UInt64(bitPattern: row.number(0, 4))
        let sum = withExtendedLifetime(row) {
            RowChecksum.snapshot(
                loop: number, place: place, kind: row.number(0, 2), hash: hash, pending: row.bytes(0, 5))
        }
        guard sum == row.number(0, 6) else {
            throw JournalError.damaged(session.shown, "the snapshot of loop \(loop) is not what was written")
        }
        let model = Payload(kind: try kinds.kind(row.number(0, 2)), bytes: row.array(0, 3))
        let found = FNV1a.hash(model.bytes)
        guard found == hash else {
            throw JournalError.damaged(
                session.shown,
                "the model of loop \(loop) at event \(place.sequence) has the hash \(String(found, radix: 16)) "
                    + "instead of \(String(hash, radix: 16))")
        }
        let pending = try PayloadLists.pending(of: loop, from: row.array(0, 5)) {
            number throws(JournalError) in try kinds.numbered.kind(number)
        }
        return Snapshot(loop: loop, sequence: place.sequence, model: model, hash: hash, pending: pending)
    }

    private static func prefetched(_ skipping: Int64, loop: Int64, _ session: any JournalDatabase) -> Rows? {
        guard skipping < 2, let rows = session.prefetched(loop)?.snapshots else { return nil }
        return rows[min(Int(skipping), rows.rows)..<min(Int(skipping) + 1, rows.rows)]
    }

    private static func place(_ row: Rows, _ session: any JournalDatabase) throws(JournalError) -> RecordPlace {
        guard let sequence = UInt64(exactly: row.number(0, 0)), let part = UInt32(exactly: row.number(0, 1)) else {
            throw JournalError.damaged(session.shown, "a snapshot has an impossible place")
        }
        return RecordPlace(sequence: sequence, part: part)
    }
}
