import GRDB
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
        let statement = try RawStatement(
            database,
            """
            INSERT INTO snapshots (loop, sequence, part, kind, model, hash, pending, checksum)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?)
            """)
        defer { statement.reset() }
        statement.bind(loop, 1)
        statement.bind(Int64(bitPattern: place.sequence), 2)
        statement.bind(Int64(place.part), 3)
        statement.bind(kind, 4)
        statement.bind(Int64(bitPattern: snapshot.hash), 6)
        try snapshot.model.bytes.withUnsafeBytes { model in
            try pending.withUnsafeBytes { pending in
                statement.bind(model, 5)
                statement.bind(pending, 7)
                statement.bind(
                    RowChecksum.snapshot(loop: loop, place: place, kind: kind, hash: snapshot.hash, pending: pending), 8
                )
                try statement.run()
            }
        }
        try deleteSuperseded(loop: loop, kept, database)
    }

    /// The place of a loop's newest snapshot, or with `skipping: 1` of the one before it.
    static func place(skipping: Int = 0, loop: Int64, _ database: Database, path: String) throws -> RecordPlace? {
        let statement = try RawStatement(
            database,
            """
            SELECT sequence, part FROM snapshots WHERE loop = ?
            ORDER BY sequence DESC, part DESC, id DESC LIMIT 1 OFFSET ?
            """)
        defer { statement.reset() }
        statement.bind(loop, 1)
        statement.bind(Int64(skipping), 2)
        guard try statement.next() else { return nil }
        return try place(statement, 0, path: path)
    }

    /// A loop's newest snapshot, or with `skipping: 1` the one before it; its checksum is verified.
    static func snapshot(
        skipping: Int = 0, of loop: LoopID, number: Int64, _ database: Database, kinds: KindInterner, path: String
    ) throws -> Snapshot? {
        let statement = try RawStatement(
            database,
            """
            SELECT sequence, part, kind, model, hash, pending, checksum FROM snapshots WHERE loop = ?
            ORDER BY sequence DESC, part DESC, id DESC LIMIT 1 OFFSET ?
            """)
        defer { statement.reset() }
        statement.bind(number, 1)
        statement.bind(Int64(skipping), 2)
        guard try statement.next() else { return nil }
        let place = try Self.place(statement, 0, path: path)
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

    private static func place(_ statement: RawStatement, _ column: CInt, path: String) throws -> RecordPlace {
        guard let sequence = UInt64(exactly: statement.number(column)),
            let part = UInt32(exactly: statement.number(column + 1))
        else { throw JournalError.damaged(path, "a snapshot has an impossible place") }
        return RecordPlace(sequence: sequence, part: part)
    }
}
