public import MobiusJournal
import MobiusJournalTables
public import MobiusWire

extension JournalInspector {
    /// A summary of the journal: its identity, epochs and loops.
    ///
    /// It counts all records, so its cost grows with their number.
    public func info() throws(JournalError) -> JournalInfo {
        try readRaw { database in
            var contents = try Contents(shard: Database.shard, database)
            return JournalInfo(
                identity: identity, application: try database.text("SELECT application FROM journal") ?? "",
                createdBy: try database.text("SELECT created_by FROM journal") ?? "",
                format: Int(Schema.version), bytes: file.bytes, holder: file.holder,
                epochs: try Epochs.all(database).map { JournalInfo.Epoch(epoch: $0.number, build: $0.build) },
                loops: try contents.summaries(database))
        }
    }

    /// The records of a loop from the event `sequence` on, in commit order.
    ///
    /// It returns at most `limit` records, and then the notes up to the next event, so that a caller that continues
    /// with the event after the last one misses no note.
    ///
    /// - Throws: ``JournalError`` with code `damaged` when a record is missing or unreadable.
    public func records(
        of loop: LoopID, from sequence: UInt64 = 0, limit: Int
    ) throws(JournalError) -> [JournalEntry] {
        precondition(limit > 0, "The limit must be at least 1.")
        return try reading { try $0.records(of: loop, from: sequence, limit: limit, $1) }
    }

    /// The sequence number of the first of a loop's newest `count` kept events; `nil` when fewer are kept.
    public func sequence(ofNewest count: Int, of loop: LoopID) throws(JournalError) -> UInt64? {
        precondition(count > 0, "The count must be at least 1.")
        return try reading { contents, database in
            guard let numbered = try contents.loops.find(loop, database) else { return nil }
            return try database.sequence(ofNewest: count, loop: numbered.number, shard: Database.shard)
        }
    }

    /// The kept snapshots of a loop, oldest first; at most two.
    public func snapshots(of loop: LoopID) throws(JournalError) -> [Snapshot] {
        try reading { contents, database in
            try [1, 0].compactMap { try contents.snapshot(skipping: $0, of: loop, database) }
        }
    }

    /// The effects of a loop that have not ended, in the order in which they were requested.
    public func pending(of loop: LoopID) throws(JournalError) -> [PendingEffect] {
        try reading { try $0.pending(of: loop, $1) }
    }
}
