public import MobiusJournal
public import MobiusWire

// Snapshots before the newest two, from which models of the past are computed.
extension SnapshotTable {
    /// Deletes snapshots before the newest two, a few at a time.
    ///
    /// A window keeps them all until their segment goes. A journal that keeps everything keeps those of an earlier window, and
    /// the oldest, without which the models of a loop that was compacted before would not be known.
    static func deleteSuperseded(loop: Int64, _ kept: KeptHistory, _ database: Database) throws {
        let others: String
        switch kept {
        case .needed: others = ""
        case .window: return
        case .all:
            others = """
                AND id <> (SELECT id FROM snapshots WHERE loop = ?1 ORDER BY sequence, part, id LIMIT 1)
                AND NOT EXISTS (SELECT 1 FROM history WHERE history.loop = ?1
                    AND history.sequence = snapshots.sequence AND history.part = snapshots.part)
                """
        }
        try database.run(
            """
            DELETE FROM snapshots WHERE id IN (SELECT id FROM snapshots WHERE loop = ?1
                ORDER BY sequence DESC, part DESC, id DESC LIMIT 8 OFFSET 2) \(others)
            """, [loop])
    }

    /// Deletes the snapshots before a place.
    static func delete(before place: RecordPlace, loop: Int64, _ database: Database) throws {
        try database.run(
            "DELETE FROM snapshots WHERE loop = ? AND (sequence, part) < (?, ?)", [loop, place.sequence, place.part])
    }

    /// The number of a loop's snapshots of models after later events than `sequence`; with `nil`, of all.
    static func count(after sequence: UInt64? = nil, loop: Int64, _ database: Database) throws -> Int {
        Int(
            try database.number(
                "SELECT count(*) FROM snapshots WHERE loop = ? AND sequence > ?",
                [loop, sequence.map { Int64(clamping: $0) } ?? -1]))
    }
}

extension StoredJournal {
    /// See ``JournalReading/snapshot(of:upTo:)``.
    mutating func snapshot(of loop: LoopID, upTo sequence: UInt64, _ database: Database) throws -> Snapshot? {
        guard let numbered = try loops.find(loop, database) else { return nil }
        let later = try SnapshotTable.count(after: sequence, loop: numbered.number, database)
        return try snapshot(skipping: later, of: loop, database)
    }

    /// See ``JournalReading/oldestSnapshot(of:)``.
    mutating func oldestSnapshot(of loop: LoopID, _ database: Database) throws -> Snapshot? {
        guard let numbered = try loops.find(loop, database) else { return nil }
        let count = try SnapshotTable.count(loop: numbered.number, database)
        return count == 0 ? nil : try snapshot(skipping: count - 1, of: loop, database)
    }
}

extension SQLiteJournal {
    /// The newest snapshot at or before an event; see ``JournalReading/snapshot(of:upTo:)``.
    public func snapshot(of loop: LoopID, upTo sequence: UInt64) throws(JournalError) -> Snapshot? {
        try read { try $0.snapshot(of: loop, upTo: sequence, $1) }
    }

    /// The oldest snapshot that is kept; see ``JournalReading/oldestSnapshot(of:)``.
    public func oldestSnapshot(of loop: LoopID) throws(JournalError) -> Snapshot? {
        try read { try $0.oldestSnapshot(of: loop, $1) }
    }
}

extension JournalInspector {
    /// The newest snapshot at or before an event; see ``JournalReading/snapshot(of:upTo:)``.
    public func snapshot(of loop: LoopID, upTo sequence: UInt64) throws(JournalError) -> Snapshot? {
        try read { try $0.snapshot(of: loop, upTo: sequence, $1) }
    }

    /// The oldest snapshot that is kept; see ``JournalReading/oldestSnapshot(of:)``.
    public func oldestSnapshot(of loop: LoopID) throws(JournalError) -> Snapshot? {
        try read { try $0.oldestSnapshot(of: loop, $1) }
    }
}
