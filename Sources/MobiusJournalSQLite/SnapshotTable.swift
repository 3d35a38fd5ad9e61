import MobiusJournal
import MobiusWire

/// Stores the newest two snapshots of each loop, and earlier ones for a kept history.
enum SnapshotTable {
    /// Inserts `snapshot` at `place` in the current transaction, and deletes the loop's third newest unless it is kept.
    static func insert(
        _ snapshot: Snapshot, at place: RecordPlace, loop: Int64, _ database: Database, kinds: inout KindInterner,
        kept: KeptHistory = .needed
    ) throws {
        var pending: [UInt8] = []
        try PayloadLists.append(snapshot.pending, to: &pending) { kind throws in try kinds.number(kind, database) }
        let kind = Int64(try kinds.number(snapshot.model.kind, database))
        let sum = pending.withUnsafeBytes {
            RowChecksum.snapshot(loop: loop, place: place, kind: kind, hash: snapshot.hash, pending: $0)
        }
        let statement = try database.statement(
            """
            INSERT INTO snapshots (loop, sequence, part, kind, model, hash, pending, checksum)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?)
            """, [loop, place.sequence, place.part, kind, 0, snapshot.hash, pending, sum])
        defer { statement.reset() }
        // Not copied: models may be large.
        try snapshot.model.bytes.withUnsafeBytes { model in
            statement.bind(model, 5)
            try statement.run()
        }
        try deleteSuperseded(loop: loop, kept, database)
    }

    /// The place of a loop's newest snapshot, or with `skipping: 1` of the one before it.
    static func place(skipping: Int = 0, loop: Int64, _ database: Database, path: String) throws -> RecordPlace? {
        try database.first(
            """
            SELECT sequence, part FROM snapshots WHERE loop = ?
            ORDER BY sequence DESC, part DESC, id DESC LIMIT 1 OFFSET ?
            """, [loop, skipping]
        ) { try place($0, path: path) }
    }

    /// A loop's newest snapshot, or with `skipping: 1` the one before it; its checksum is verified.
    static func snapshot(
        skipping: Int = 0, of loop: LoopID, number: Int64, _ database: Database, kinds: KindInterner, path: String
    ) throws -> Snapshot? {
        try database.first(
            """
            SELECT sequence, part, kind, model, hash, pending, checksum FROM snapshots WHERE loop = ?
            ORDER BY sequence DESC, part DESC, id DESC LIMIT 1 OFFSET ?
            """, [number, skipping]
        ) { try current($0, of: loop, number: number, kinds: kinds, path: path) }
    }

    private static func current(
        _ statement: Statement, of loop: LoopID, number: Int64, kinds: KindInterner, path: String
    ) throws -> Snapshot {
        let place = try Self.place(statement, path: path)
        let hash = UInt64(bitPattern: statement.number(4))
        let sum = RowChecksum.snapshot(
            loop: number, place: place, kind: statement.number(2), hash: hash, pending: statement.bytes(5))
        guard sum == statement.number(6) else {
            throw JournalError.damaged(path, "the snapshot of loop \(loop) is not what was written")
        }
        let model = Payload(
            kind: try kinds.kind(UInt64(bitPattern: statement.number(2))), bytes: Array(statement.bytes(3)))
        let found = FNV1a.hash(model.bytes)
        guard found == hash else {
            throw JournalError.damaged(
                path,
                "the model of loop \(loop) at event \(place.sequence) has the hash \(String(found, radix: 16)) "
                    + "instead of \(String(hash, radix: 16))")
        }
        let pending = try PayloadLists.pending(of: loop, from: Array(statement.bytes(5))) {
            number throws(JournalError) in try kinds.kind(number)
        }
        return Snapshot(loop: loop, sequence: place.sequence, model: model, hash: hash, pending: pending)
    }

    /// The place in the first two columns.
    private static func place(_ statement: Statement, path: String) throws -> RecordPlace {
        guard let sequence = UInt64(exactly: statement.number(0)), let part = UInt32(exactly: statement.number(1))
        else { throw JournalError.damaged(path, "a snapshot has an impossible place") }
        return RecordPlace(sequence: sequence, part: part)
    }
}
