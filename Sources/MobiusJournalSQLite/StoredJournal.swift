import MobiusJournal
import MobiusJournalTables
import MobiusWire

/// The queries behind ``JournalReading``, shared by the store and the inspector.
///
/// It caches loops and kinds, so all writes must go through it; an inspector creates a new one for each read.
struct StoredJournal {
    let path: String
    var loops: LoopInterner
    var kinds: Kinds

    /// Begins with the kinds of the journal.
    init(_ database: Database, path: String) throws {
        self.path = path
        loops = LoopInterner(path: path)
        kinds = try Kinds(shard: Database.shard, database)
    }

    /// Whether the records are written by a single statement: one event of a known loop, with known kinds and without
    /// an outside key.
    func fitsOneStatement(_ group: [[JournalRecord]]) -> Bool {
        guard group.count == 1, group[0].count == 1, case .event(let event) = group[0][0],
            loops.hasTouched(event.loop)
        else { return false }
        switch event.source {
        case .outside, .loop: return false
        default: break
        }
        if event.source == .start { return false }
        return (event.event.map { kinds.numbered.contains($0.kind) } ?? true)
            && event.effects.allSatisfy { kinds.numbered.contains($0.kind) }
    }

    // MARK: Recovery

    mutating func loopNames(_ database: Database) throws -> [LoopID] {
        try loops.all(database).map(\.loop).filter { try loops.find($0, database)?.last != nil }
    }

    mutating func end(of loop: LoopID, _ database: Database) throws -> EndedLoop? {
        guard let numbered = try loops.find(loop, database) else { return nil }
        return try EndedLoopTable.end(of: numbered.number, shard: Database.shard, database)
    }

    mutating func activeLoopNames(_ database: Database) throws -> [LoopID] {
        try IdleTable.active(database).filter { try loops.find($0, database)?.last != nil }
    }

    /// See ``JournalReading/loopPage(prefix:after:limit:)``.
    mutating func loopPage(prefix: String, after: LoopID?, limit: Int, _ database: Database) throws -> [StoredLoop] {
        var (found, last): ([StoredLoop], LoopID?) = ([], after)
        while found.count < limit {
            let wanted = limit - found.count
            let page = try IdleTable.page(prefix: prefix, after: last, limit: wanted, database)
            // A loop whose first event trapped has no records.
            for loop in page where try loop.idle != nil || loops.find(loop.loop, database)?.last != nil {
                found.append(loop)
            }
            last = page.last?.loop
            if page.count < wanted { break }
        }
        return found
    }

    mutating func beginning(of loop: LoopID, _ database: Database) throws -> UInt64 {
        guard let numbered = try loops.find(loop, database) else { return 0 }
        return try BegunLoopTable.sequence(loop: numbered.number, shard: Database.shard, database)
    }

    /// Whether compaction has deleted no record of the loop, or none since it began.
    func isWhole(_ numbered: NumberedLoop, _ database: Database) throws -> Bool {
        try numbered.first.isBeginning(BegunLoopTable.sequence(loop: numbered.number, shard: Database.shard, database))
    }

    mutating func snapshot(skipping: Int64 = 0, of loop: LoopID, _ database: Database) throws -> Snapshot? {
        guard let numbered = try loops.find(loop, database) else { return nil }
        return try SnapshotTable.snapshot(
            skipping: skipping, of: loop, number: numbered.number, shard: Database.shard, kinds: kinds, database)
    }

    /// See ``JournalReading/snapshot(of:upTo:)``.
    mutating func snapshot(of loop: LoopID, upTo sequence: UInt64, _ database: Database) throws -> Snapshot? {
        guard let numbered = try loops.find(loop, database) else { return nil }
        let later = try SnapshotTable.count(
            after: sequence, loop: numbered.number, shard: Database.shard, database)
        return try snapshot(skipping: later, of: loop, database)
    }

    /// See ``JournalReading/oldestSnapshot(of:)``.
    mutating func oldestSnapshot(of loop: LoopID, _ database: Database) throws -> Snapshot? {
        guard let numbered = try loops.find(loop, database) else { return nil }
        let count = try SnapshotTable.count(loop: numbered.number, shard: Database.shard, database)
        return count == 0 ? nil : try snapshot(skipping: count - 1, of: loop, database)
    }

    mutating func readTail(
        of loop: LoopID, _ database: Database, _ visit: (JournalRecord) throws -> Void
    ) throws {
        guard let numbered = try loops.find(loop, database) else { return }
        let snapshot = try SnapshotTable.place(loop: numbered.number, shard: Database.shard, database)
        try requireBeginning(of: loop, numbered, after: snapshot, database)
        let reader = reader(of: loop, numbered)
        try reader.replay(
            database, snapshot.map { .after($0) } ?? .at(numbered.first), upTo: numbered.last, visit)
    }

    mutating func readBetweenSnapshots(
        of loop: LoopID, _ database: Database, _ visit: (JournalRecord) throws -> Void
    ) throws {
        guard let numbered = try loops.find(loop, database),
            let newest = try SnapshotTable.place(loop: numbered.number, shard: Database.shard, database)
        else { return }
        let older = try SnapshotTable.place(skipping: 1, loop: numbered.number, shard: Database.shard, database)
        try requireBeginning(of: loop, numbered, after: older, database)
        let reader = reader(of: loop, numbered)
        try reader.replay(database, older.map { .after($0) } ?? .at(numbered.first), upTo: newest, visit)
    }

    /// See ``JournalReading/entries(of:_:)``.
    mutating func entries(of loop: LoopID, _ range: JournalRange, _ database: Database) throws -> JournalPage {
        guard let numbered = try loops.find(loop, database), numbered.last != nil else { return JournalPage() }
        var page = JournalPage(first: numbered.first.sequence)
        let builds = try Epochs.builds(database, path: path)
        var bytes = 0
        try reader(of: loop, numbered).read(
            database, from: RecordPlace(sequence: range.sequence, part: range.part),
            upTo: RecordPlace(sequence: range.last, part: .max)
        ) { record, place, epoch in
            page.add(
                JournalEntry(
                    sequence: place.sequence, part: place.part, epoch: UInt64(bitPattern: epoch),
                    build: builds[epoch] ?? "", record: record),
                range, &bytes)
        }
        return page
    }

    func reader(of loop: LoopID, _ numbered: NumberedLoop) -> RecordReader {
        RecordReader(
            loop: loop, path: path, table: BatchTable(path: path, loop: numbered.number), kinds: kinds.numbered)
    }

    /// Fails when compaction has deleted the loop's beginning but no snapshot replaces it.
    private func requireBeginning(
        of loop: LoopID, _ numbered: NumberedLoop, after snapshot: RecordPlace?, _ database: Database
    ) throws {
        guard snapshot == nil, numbered.first != .start, try !isWhole(numbered, database) else { return }
        throw JournalError.damaged(
            path,
            "the snapshots of loop \(loop) are missing, and its records before event \(numbered.first.sequence) "
                + "were compacted away")
    }

    // MARK: Builds

    /// The builds whose epochs wrote events of the loop.
    mutating func builds(
        of loop: LoopID, in sequences: ClosedRange<UInt64>, _ database: Database
    ) throws -> [String] {
        guard let numbered = try loops.find(loop, database) else { return [] }
        let table = BatchTable(path: path, loop: numbered.number)
        let builds = try Epochs.builds(database, path: path)
        let first = RecordPlace(sequence: sequences.lowerBound, part: 0)
        var found: [String] = []
        // From the last batch of each epoch to the first one of the next epoch.
        var next = try table.row(around: first, database)
        while let batch = next, batch.first.sequence <= sequences.upperBound {
            if batch.last.sequence >= sequences.lowerBound, let build = builds[batch.epoch], !found.contains(build) {
                found.append(build)
            }
            let last = try table.row(ofEpochUpTo: batch.epoch, database)
            next = try last.flatMap { try table.row(after: $0, database) }
        }
        return found
    }

    // MARK: Keys, dead letters, crashes

    mutating func outsideKeys(of loop: LoopID, limit: Int, _ database: Database) throws -> [String] {
        guard let numbered = try loops.find(loop, database) else { return [] }
        return try OutsideKeyTable.newest(limit, loop: numbered.number, database, path: path)
    }

    mutating func hasApplied(key: String, of loop: LoopID, _ database: Database) throws -> Bool {
        guard let numbered = try loops.find(loop, database) else { return false }
        return try OutsideKeyTable.sequence(of: key, loop: numbered.number, database) != nil
    }

    mutating func confirmation(of key: String, in loop: LoopID, _ database: Database) throws -> EventConfirmation? {
        guard let numbered = try loops.find(loop, database),
            let sequence = try OutsideKeyTable.sequence(of: key, loop: numbered.number, database)
        else { return nil }
        let reply = try ReplyTable.reply(
            at: sequence, loop: numbered.number, shard: Database.shard, kinds: kinds, database)
        return EventConfirmation(repeated: true, number: UInt64(bitPattern: sequence), reply: reply)
    }

    mutating func mark(of key: String, in loop: LoopID, _ database: Database) throws -> SenderMark? {
        guard let numbered = try loops.find(loop, database) else { return nil }
        return try OutsideKeyTable.mark(of: key, loop: numbered.number, database)
    }

    /// Dead letters in order, with effects of at most `bytes` bytes, until `total` bytes of effects were listed.
    mutating func deadLetters(
        of loop: LoopID?, after: EffectID?, limit: Int, bytes: Int, total: Int, _ database: Database
    ) throws -> [DeadLetterHead] {
        var heads: [DeadLetterHead] = []
        var left = total
        let counts = loop == nil ? try DeadLetterTable.counts(shard: Database.shard, database) : [:]
        for name in loop.map({ [$0] }) ?? counts.keys.sorted(by: { $0.precedes($1) }) {
            if let after, name.precedes(after.loop) { continue }
            guard let numbered = try loops.find(name, database) else { continue }
            var cursor = after?.loop == name ? after : nil
            while heads.count < limit, left > 0 {
                let wanted = min(limit - heads.count, 64)
                let page = try DeadLetterTable.heads(
                    of: name, number: numbered.number, shard: Database.shard, after: cursor, limit: wanted,
                    bytes: bytes, kinds: kinds, database)
                for head in page where left > 0 {
                    left -= min(left, head.size)
                    heads.append(head)
                }
                guard page.count == wanted else { break }
                cursor = page.last?.letter.id
            }
        }
        return heads
    }

    mutating func deadLetter(_ id: EffectID, _ database: Database) throws -> DeadLetter? {
        guard let numbered = try loops.find(id.loop, database) else { return nil }
        return try DeadLetterTable.letter(
            of: id, number: numbered.number, shard: Database.shard, kinds: kinds, database)
    }

    mutating func deadLetterCount(of loop: LoopID?, _ database: Database) throws -> Int {
        guard let loop else { return try DeadLetterTable.count(loop: nil, shard: Database.shard, database) }
        guard let numbered = try loops.find(loop, database) else { return 0 }
        return try DeadLetterTable.count(loop: numbered.number, shard: Database.shard, database)
    }

    func crashes(_ database: Database) throws -> [CrashTable.Row] {
        try CrashTable.all(shard: Database.shard, kinds: kinds, database)
    }
}
