import GRDB
public import MobiusJournal
public import MobiusWire

extension JournalInspector {
    /// What the journal is, and how much is in it.
    ///
    /// It counts every record, so it takes longer the more there are.
    public func info() throws(JournalError) -> JournalInfo {
        try look { contents, database in
            let loops = try contents.loops.all(database).map { loop, _ in
                try Self.loop(loop, contents: &contents, database)
            }
            return JournalInfo(
                identity: identity,
                application: try JournalConnection.text(database, "SELECT application FROM journal") ?? "",
                createdBy: try JournalConnection.text(database, "SELECT created_by FROM journal") ?? "",
                format: Int(Schema.version), bytes: file.bytes, holder: file.holder,
                epochs: try Epochs.all(database).map { JournalInfo.Epoch(epoch: $0.number, build: $0.build) },
                loops: loops)
        }
    }

    private static func loop(
        _ loop: LoopID, contents: inout StoredJournal, _ database: Database
    ) throws -> JournalInfo.Loop {
        guard let numbered = try contents.loops.find(loop, database) else {
            throw JournalError.damaged(contents.path, "loop \(loop) cannot be found by its name")
        }
        let statement = try RawStatement(
            database, "SELECT count(*) FROM records INDEXED BY records_order WHERE loop = ?")
        defer { statement.reset() }
        statement.bind(numbered.number, 1)
        let count = try statement.next() ? statement.number(0) : 0
        let snapshots = try [1, 0].compactMap {
            try SnapshotTable.place(skipping: $0, loop: numbered.number, database, path: contents.path)?.sequence
        }
        return JournalInfo.Loop(
            loop: loop, firstSequence: numbered.last == nil ? nil : numbered.first.sequence,
            lastSequence: numbered.last?.sequence, records: Int(count), isCompacted: numbered.first != .start,
            snapshots: snapshots, deadLetters: try DeadLetterTable.count(loop: numbered.number, database))
    }

    /// The records of a loop from the event `sequence` on, in commit order: at most `limit`, and then the notes up to the next
    /// event, so that going on with the event after the last one misses none.
    ///
    /// - Throws: ``JournalError`` with code `damaged` when one of them is missing or unreadable.
    public func records(
        of loop: LoopID, from sequence: UInt64 = 0, limit: Int
    ) throws(JournalError) -> [JournalEntry] {
        precondition(limit > 0, "A page has room for one record at least.")
        return try look { contents, database in
            guard let numbered = try contents.loops.find(loop, database), let last = numbered.last,
                sequence <= last.sequence
            else { return [] }
            let first =
                sequence <= numbered.first.sequence
                ? numbered.first : try Self.beginning(of: numbered.number, from: sequence, database)
            let end = try Self.end(of: numbered.number, from: first, limit: limit, database) ?? last
            let reader = try contents.reader(of: loop, numbered, database)
            let epochs = try Epochs.all(database)
            var entries: [JournalEntry] = []
            try reader.read(database, number: numbered.number, .at(first), upTo: end) { record, place, position in
                let epoch = epochs.last { $0.first <= position }
                entries.append(
                    JournalEntry(
                        sequence: place.sequence, part: place.part, epoch: epoch?.number ?? 0,
                        build: epoch?.build ?? "",
                        isSkipped: place.part == 0 && reader.skipped.contains(place.sequence), record: record))
            }
            return entries
        }
    }

    /// The number of the first of the newest `count` events of a loop that are kept; `nil` when there are fewer.
    public func sequence(ofNewest count: Int, of loop: LoopID) throws(JournalError) -> UInt64? {
        precondition(count > 0, "One event is the least.")
        return try look { contents, database in
            guard let numbered = try contents.loops.find(loop, database) else { return nil }
            let statement = try RawStatement(
                database,
                """
                SELECT sequence FROM records WHERE loop = ? AND part = 0 ORDER BY sequence DESC LIMIT 1 OFFSET ?
                """)
            defer { statement.reset() }
            statement.bind(numbered.number, 1)
            statement.bind(Int64(count) - 1, 2)
            return try statement.next() ? UInt64(bitPattern: statement.number(0)) : nil
        }
    }

    /// The place of the event of this number; or of the one that a restoration let follow the numbers before.
    private static func beginning(of loop: Int64, from sequence: UInt64, _ database: Database) throws -> RecordPlace {
        let place = RecordPlace(sequence: sequence, part: 0)
        let statement = try RawStatement(
            database, "SELECT sequence FROM records WHERE loop = ? AND sequence >= ? ORDER BY sequence, part LIMIT 1")
        defer { statement.reset() }
        statement.bind(loop, 1)
        statement.bind(Int64(bitPattern: sequence), 2)
        guard try statement.next() else { return place }
        let next = RecordPlace(sequence: UInt64(bitPattern: statement.number(0)), part: 0)
        return next.sequence.isMultiple(of: RecordPlace.stretch) ? next : place
    }

    /// The place of the last note on the event that the `limit`th record belongs to.
    private static func end(
        of loop: Int64, from first: RecordPlace, limit: Int, _ database: Database
    ) throws -> RecordPlace? {
        let statement = try RawStatement(
            database,
            """
            SELECT sequence, max(part) FROM records WHERE loop = ?1 AND sequence =
                (SELECT sequence FROM records WHERE loop = ?1 AND (sequence, part) >= (?2, ?3)
                ORDER BY sequence, part LIMIT 1 OFFSET ?4)
            """)
        defer { statement.reset() }
        statement.bind(loop, 1)
        statement.bind(Int64(bitPattern: first.sequence), 2)
        statement.bind(Int64(first.part), 3)
        statement.bind(Int64(limit) - 1, 4)
        guard try statement.next(), !statement.isNull(0) else { return nil }
        return RecordPlace(
            sequence: UInt64(bitPattern: statement.number(0)), part: UInt32(truncatingIfNeeded: statement.number(1)))
    }

    /// The kept snapshots of a loop, oldest first: none, one or two.
    public func snapshots(of loop: LoopID) throws(JournalError) -> [Snapshot] {
        try look { contents, database in
            try [1, 0].compactMap { try contents.snapshot(skipping: $0, of: loop, database) }
        }
    }

    /// The effects of a loop that have not ended, in the order they were asked for.
    public func pending(of loop: LoopID) throws(JournalError) -> [PendingEffect] {
        try look { contents, database in
            var recovered = RecoveredLoop(loop: loop, snapshot: try contents.snapshot(of: loop, database))
            try contents.readTail(of: loop, database) { try recovered.apply($0) }
            return recovered.pending
        }
    }
}
