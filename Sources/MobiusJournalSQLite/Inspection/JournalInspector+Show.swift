public import MobiusJournal
import MobiusJournalTables
public import MobiusWire

extension JournalInspector {
    /// A summary of the journal: its identity, epochs and loops.
    ///
    /// It counts all records, so its cost grows with their number.
    public func info() throws(JournalError) -> JournalInfo {
        try read { contents, database in
            let loops = try contents.loops.all(database).map { loop, _ in
                try Self.loop(loop, contents: &contents, database)
            }
            return JournalInfo(
                identity: identity,
                application: try database.text("SELECT application FROM journal") ?? "",
                createdBy: try database.text("SELECT created_by FROM journal") ?? "",
                format: Int(try database.number("PRAGMA user_version")), bytes: file.bytes,
                holder: file.holder,
                epochs: try Epochs.all(database, path: file.shown).map {
                    JournalInfo.Epoch(epoch: $0.number, build: $0.build)
                },
                loops: loops)
        }
    }

    private static func loop(
        _ loop: LoopID, contents: inout StoredJournal, _ database: Database
    ) throws -> JournalInfo.Loop {
        guard let numbered = try contents.loops.find(loop, database) else {
            throw JournalError.damaged(contents.path, "loop \(loop) cannot be found by its name")
        }
        let count = try BatchTable(path: contents.path, loop: numbered.number).count(database)
        let snapshots = try [1, 0].compactMap {
            try SnapshotTable.place(
                skipping: $0, loop: numbered.number, shard: Database.shard, database)?.sequence
        }
        return JournalInfo.Loop(
            loop: loop, firstSequence: numbered.last == nil ? nil : numbered.first.sequence,
            lastSequence: numbered.last?.sequence, records: count,
            isCompacted: try !contents.isWhole(numbered, database), snapshots: snapshots,
            deadLetters: try DeadLetterTable.count(loop: numbered.number, shard: Database.shard, database))
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
        return try read { contents, database in
            guard let numbered = try contents.loops.find(loop, database), let last = numbered.last,
                sequence <= last.sequence
            else { return [] }
            let reader = contents.reader(of: loop, numbered)
            let first =
                try sequence <= numbered.first.sequence
                ? numbered.first : reader.beginning(from: sequence, database)
            let builds = try Epochs.builds(database, path: file.shown)
            var entries: [JournalEntry] = []
            try reader.read(database, .at(first), upTo: last) { record, place, epoch in
                guard entries.count < limit || place.part > 0 else { return false }
                entries.append(
                    JournalEntry(
                        sequence: place.sequence, part: place.part, epoch: UInt64(bitPattern: epoch),
                        build: builds[epoch] ?? "", record: record))
                return true
            }
            return entries
        }
    }

    /// The sequence number of the first of a loop's newest `count` kept events; `nil` when fewer are kept.
    public func sequence(ofNewest count: Int, of loop: LoopID) throws(JournalError) -> UInt64? {
        precondition(count > 0, "The count must be at least 1.")
        return try read { contents, database in
            guard let numbered = try contents.loops.find(loop, database) else { return nil }
            var (left, found): (UInt64, UInt64?) = (UInt64(count), nil)
            try BatchTable(path: contents.path, loop: numbered.number).visitHeadersBackwards(database) { batch in
                let events = batch.events
                if left <= events { found = batch.last.sequence - left + 1 }
                left -= min(left, events)
                return found == nil
            }
            return found
        }
    }

    /// The kept snapshots of a loop, oldest first; at most two.
    public func snapshots(of loop: LoopID) throws(JournalError) -> [Snapshot] {
        try read { contents, database in
            try [1, 0].compactMap { try contents.snapshot(skipping: $0, of: loop, database) }
        }
    }

    /// The effects of a loop that have not ended, in the order in which they were requested.
    public func pending(of loop: LoopID) throws(JournalError) -> [PendingEffect] {
        try read { contents, database in
            var recovered = RecoveredLoop(loop: loop, snapshot: try contents.snapshot(of: loop, database))
            try contents.readTail(of: loop, database) { try recovered.apply($0) }
            return recovered.pending
        }
    }
}
