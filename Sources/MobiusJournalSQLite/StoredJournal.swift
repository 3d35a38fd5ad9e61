import MobiusJournal
import MobiusWire

/// The queries behind ``JournalReading``, shared by the store and the inspector.
///
/// It caches loops and kinds, so all writes must go through it; an inspector creates a new one for each read.
struct StoredJournal {
    let path: String
    var loops: LoopInterner
    var kinds: KindInterner
    /// Whether the file has the newest format.
    private var isNewestFormat: Bool

    /// Begins with the kinds of the journal.
    init(_ database: Database, path: String) throws {
        self.path = path
        loops = LoopInterner(path: path)
        kinds = try KindInterner(database, path: path)
        isNewestFormat = try database.number("PRAGMA user_version") >= Schema.version
    }

    /// Gives the file the newest format, in the current transaction.
    mutating func raiseFormat(_ database: Database) throws {
        guard !isNewestFormat else { return }
        try database.execute("PRAGMA user_version = \(Schema.version)")
        isNewestFormat = true
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
        return (event.event.map { kinds.contains($0.kind) } ?? true)
            && event.effects.allSatisfy { kinds.contains($0.kind) }
    }

    // MARK: Recovery

    mutating func loopNames(_ database: Database) throws -> [LoopID] {
        try loops.all(database).map(\.loop).filter { try loops.find($0, database)?.last != nil }
    }

    mutating func end(of loop: LoopID, _ database: Database) throws -> EndedLoop? {
        guard let numbered = try loops.find(loop, database) else { return nil }
        return try EndedLoopTable.all(database, of: numbered.number, path: path).first
    }

    mutating func activeLoopNames(_ database: Database) throws -> [LoopID] {
        try loops.active(database).map(\.loop).filter { try loops.find($0, database)?.last != nil }
    }

    /// See ``JournalReading/loopPage(prefix:after:limit:)``.
    mutating func loopPage(prefix: String, after: LoopID?, limit: Int, _ database: Database) throws -> [StoredLoop] {
        var (found, last): ([StoredLoop], LoopID?) = ([], after)
        while found.count < limit {
            let wanted = limit - found.count
            let page = try IdleTable.page(prefix: prefix, after: last, limit: wanted, database, path: path)
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
        return try BegunLoopTable.sequence(loop: numbered.number, database, path: path)
    }

    /// Whether compaction has deleted no record of the loop, or none since it began.
    func isWhole(_ numbered: NumberedLoop, _ database: Database) throws -> Bool {
        try numbered.first.isBeginning(BegunLoopTable.sequence(loop: numbered.number, database, path: path))
    }

    mutating func snapshot(skipping: Int = 0, of loop: LoopID, _ database: Database) throws -> Snapshot? {
        guard let numbered = try loops.find(loop, database) else { return nil }
        return try SnapshotTable.snapshot(
            skipping: skipping, of: loop, number: numbered.number, database, kinds: kinds, path: path)
    }

    mutating func readTail(
        of loop: LoopID, _ database: Database, _ visit: (JournalRecord) throws -> Void
    ) throws {
        guard let numbered = try loops.find(loop, database) else { return }
        let snapshot = try SnapshotTable.place(loop: numbered.number, database, path: path)
        try requireBeginning(of: loop, numbered, after: snapshot, database)
        let reader = reader(of: loop, numbered)
        try reader.replay(
            database, snapshot.map { .after($0) } ?? .at(numbered.first), upTo: numbered.last, visit)
    }

    mutating func readBetweenSnapshots(
        of loop: LoopID, _ database: Database, _ visit: (JournalRecord) throws -> Void
    ) throws {
        guard let numbered = try loops.find(loop, database),
            let newest = try SnapshotTable.place(loop: numbered.number, database, path: path)
        else { return }
        let older = try SnapshotTable.place(skipping: 1, loop: numbered.number, database, path: path)
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
        RecordReader(loop: loop, path: path, table: BatchTable(path: path, loop: numbered.number), kinds: kinds)
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
        let reply = try ReplyTable.reply(at: sequence, loop: numbered.number, database, kinds: kinds, path: path)
        return EventConfirmation(repeated: true, number: UInt64(bitPattern: sequence), reply: reply)
    }

    mutating func mark(of key: String, in loop: LoopID, _ database: Database) throws -> SenderMark? {
        guard let numbered = try loops.find(loop, database) else { return nil }
        return try OutsideKeyTable.mark(of: key, loop: numbered.number, database)
    }

    mutating func deadLetters(
        of loop: LoopID?, after: EffectID?, limit: Int, _ database: Database
    ) throws -> [DeadLetter] {
        let names = try loop.map { [$0] } ?? letterLoops(database).map(\.loop).sorted { $0.precedes($1) }
        var letters: [DeadLetter] = []
        for name in names {
            if let after, name.precedes(after.loop) { continue }
            guard letters.count < limit, let numbered = try loops.find(name, database) else { continue }
            letters += try DeadLetterTable.letters(
                of: name, number: numbered.number, after: after?.loop == name ? after : nil,
                limit: limit - letters.count, database, kinds: kinds, path: path)
        }
        return letters
    }

    mutating func deadLetter(_ id: EffectID, _ database: Database) throws -> DeadLetter? {
        guard let numbered = try loops.find(id.loop, database) else { return nil }
        return try DeadLetterTable.letter(of: id, number: numbered.number, database, kinds: kinds, path: path)
    }

    mutating func deadLetterCount(of loop: LoopID?, _ database: Database) throws -> Int {
        guard let loop else { return try letterLoops(database).reduce(0) { $0 + $1.count } }
        guard let numbered = try loops.find(loop, database) else { return 0 }
        return try DeadLetterTable.count(loop: numbered.number, database)
    }

    /// The loops that have dead letters, and their numbers of them.
    func letterLoops(_ database: Database) throws -> [(loop: LoopID, count: Int)] {
        try DeadLetterTable.counts(database).map { number, count in
            guard let loop = try loops.name(of: number, database) else {
                throw JournalError.damaged(path, "a dead letter is of an unknown loop")
            }
            return (loop, count)
        }
    }

    func crashes(_ database: Database) throws -> [Crash] {
        try CrashTable.all(database, loops: loops, kinds: kinds, path: path)
    }
}
