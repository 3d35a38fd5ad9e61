package import MobiusJournal
package import MobiusWire

/// The queries behind `JournalReading`, shared by the store and the inspector.
///
/// It caches loops and kinds, so all writes must go through it; an inspector makes a new one for each read.
package struct Contents {
    package let shard: Int64
    package var loops: Loops
    package var kinds: Kinds

    /// Begins with the kinds of the journal.
    package init(shard: Int64, _ session: any JournalDatabase) throws(JournalError) {
        self.shard = shard
        loops = Loops(shard: shard)
        kinds = try Kinds(shard: shard, session)
    }

    // MARK: Recovery

    package func loopNames(_ session: any JournalDatabase) throws(JournalError) -> [LoopID] {
        let numbers = try session.loopsWithRecords(shard: shard)
        return try loops.all(session).filter { numbers.contains($0.number) }.map(\.loop)
    }

    /// Whether compaction has deleted no record of the loop, or none since it began.
    package func isWhole(_ numbered: NumberedLoop, _ session: any JournalDatabase) throws(JournalError) -> Bool {
        try numbered.first.isBeginning(BegunLoopTable.sequence(loop: numbered.number, shard: shard, session))
    }

    package mutating func end(of loop: LoopID, _ session: any JournalDatabase) throws(JournalError) -> EndedLoop? {
        guard let numbered = try loops.find(loop, session) else { return nil }
        return try EndedLoopTable.end(of: numbered.number, shard: shard, session)
    }

    package mutating func snapshot(
        skipping: Int64 = 0, of loop: LoopID, _ session: any JournalDatabase
    ) throws(JournalError) -> Snapshot? {
        guard let numbered = try loops.find(loop, session) else { return nil }
        return try SnapshotTable.snapshot(
            skipping: skipping, of: loop, number: numbered.number, shard: shard, kinds: kinds, session)
    }

    package mutating func readTail(
        of loop: LoopID, _ session: any JournalDatabase, _ visit: (JournalRecord) throws -> Void
    ) throws {
        guard let numbered = try loops.find(loop, session) else { return }
        let snapshot = try SnapshotTable.place(loop: numbered.number, shard: shard, session)
        try requireBeginning(of: loop, numbered, after: snapshot, session)
        try reader(of: loop, numbered, session).replay(after: snapshot, of: numbered, upTo: numbered.last, visit)
    }

    package mutating func readBetweenSnapshots(
        of loop: LoopID, _ session: any JournalDatabase, _ visit: (JournalRecord) throws -> Void
    ) throws {
        guard let numbered = try loops.find(loop, session),
            let newest = try SnapshotTable.place(loop: numbered.number, shard: shard, session)
        else { return }
        let older = try SnapshotTable.place(skipping: 1, loop: numbered.number, shard: shard, session)
        try requireBeginning(of: loop, numbered, after: older, session)
        try reader(of: loop, numbered, session).replay(after: older, of: numbered, upTo: newest, visit)
    }

    package mutating func entries(of loop: LoopID, _ range: JournalRange, _ session: any JournalDatabase) throws
        -> JournalPage
    {
        guard let numbered = try loops.find(loop, session), numbered.last != nil else { return JournalPage() }
        var page = JournalPage(first: numbered.first.sequence)
        let builds = try builds(session)
        var bytes = 0
        try reader(of: loop, numbered, session).read(
            from: RecordPlace(sequence: range.sequence, part: range.part),
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

    /// Returns the reader of a loop's records.
    package func reader(of loop: LoopID, _ numbered: NumberedLoop, _ session: any JournalDatabase) -> RecordReader {
        RecordReader(loop: loop, number: numbered.number, shard: shard, kinds: kinds.numbered, session: session)
    }

    /// Fails when compaction has deleted the loop's beginning but no snapshot replaces it.
    private func requireBeginning(
        of loop: LoopID, _ numbered: NumberedLoop, after snapshot: RecordPlace?, _ session: any JournalDatabase
    ) throws(JournalError) {
        guard snapshot == nil, numbered.first != .start, try !isWhole(numbered, session) else { return }
        throw .damaged(
            session.shown,
            "the snapshots of loop \(loop) are missing, and its records before event \(numbered.first.sequence) "
                + "were compacted away")
    }

    // MARK: Builds

    /// The builds by the numbers of their epochs.
    package func builds(_ session: any JournalDatabase) throws(JournalError) -> [Int64: String] {
        Dictionary(try session.epochs(shard: shard)) { first, _ in first }
    }

    /// The builds whose epochs wrote events of the loop.
    package mutating func builds(
        of loop: LoopID, in sequences: ClosedRange<UInt64>, _ session: any JournalDatabase
    ) throws(JournalError) -> [String] {
        guard let numbered = try loops.find(loop, session), let last = numbered.last else { return [] }
        let number = numbered.number
        let builds = try builds(session)
        var found: [String] = []
        var next = try session.batch(
            around: RecordPlace(sequence: sequences.lowerBound, part: 0), loop: number, shard: shard)
        while let batch = next, batch.first.sequence <= sequences.upperBound {
            let end = try lastPlace(of: batch, upTo: last, loop: number, session)
            if end.sequence >= sequences.lowerBound, let build = builds[batch.epoch], !found.contains(build) {
                found.append(build)
            }
            next = try session.batch(after: end, loop: number, shard: shard)
        }
        return found
    }

    /// The last record of the epoch that wrote a batch: a search by halves, because epochs only grow.
    private func lastPlace(
        of batch: RecordBatch, upTo end: RecordPlace, loop number: Int64, _ session: any JournalDatabase
    ) throws(JournalError) -> RecordPlace {
        var (low, high) = (batch, end.sequence)
        while low.last.sequence < high {
            let middle = low.last.sequence + (high - low.last.sequence + 1) / 2
            guard
                let row = try session.batch(
                    around: RecordPlace(sequence: middle, part: .max), loop: number, shard: shard)
            else { break }
            if row.epoch == batch.epoch {
                guard row.last > low.last else { break }
                low = row
            } else {
                high = min(row.first.sequence, middle) - 1
            }
        }
        // Notes of the next epoch may follow the last event of this one.
        while let row = try session.batch(after: low.last, loop: number, shard: shard), row.epoch == batch.epoch {
            low = row
        }
        return low.last
    }

    // MARK: Keys, dead letters, crashes

    package mutating func outsideKeys(
        of loop: LoopID, limit: Int, _ session: any JournalDatabase
    ) throws(JournalError) -> [String] {
        guard let numbered = try loops.find(loop, session) else { return [] }
        return try session.newestKeys(limit, loop: numbered.number, shard: shard)
    }

    package mutating func sequence(of key: String, in loop: LoopID, _ session: any JournalDatabase) throws(JournalError)
        -> Int64?
    {
        guard let numbered = try loops.find(loop, session) else { return nil }
        return try session.sequence(ofKey: key, loop: numbered.number, shard: shard)
    }

    package mutating func confirmation(
        of key: String, in loop: LoopID, _ session: any JournalDatabase
    ) throws(JournalError) -> EventConfirmation? {
        guard let numbered = try loops.find(loop, session),
            let sequence = try session.sequence(ofKey: key, loop: numbered.number, shard: shard)
        else { return nil }
        let reply = try ReplyTable.reply(
            at: sequence, loop: numbered.number, shard: shard, kinds: kinds, session)
        return EventConfirmation(repeated: true, number: UInt64(bitPattern: sequence), reply: reply)
    }

    package mutating func mark(of key: String, in loop: LoopID, _ session: any JournalDatabase) throws(JournalError)
        -> SenderMark?
    {
        guard let numbered = try loops.find(loop, session) else { return nil }
        return try session.mark(ofKey: key, loop: numbered.number, shard: shard)
    }

    /// Dead letters in order, with effects of at most `bytes` bytes, until `total` bytes of effects were listed.
    package mutating func deadLetters(
        of loop: LoopID?, after: EffectID?, limit: Int, bytes: Int, total: Int, _ session: any JournalDatabase
    ) throws(JournalError) -> [DeadLetterHead] {
        var heads: [DeadLetterHead] = []
        var left = total
        let names = if let loop { [loop] } else { try loopsWithLetters(session) }
        for name in names {
            if let after, name.precedes(after.loop) { continue }
            guard let numbered = try loops.find(name, session) else { continue }
            var cursor = after?.loop == name ? after : nil
            while heads.count < limit, left > 0 {
                let wanted = min(limit - heads.count, 64)
                let page = try DeadLetterTable.heads(
                    of: name, number: numbered.number, shard: shard, after: cursor, limit: wanted, bytes: bytes,
                    kinds: kinds, session)
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

    private func loopsWithLetters(_ session: any JournalDatabase) throws(JournalError) -> [LoopID] {
        // From the letters, because loops may be a million.
        let rows = try session.read(
            """
            SELECT l.name FROM (SELECT DISTINCT loop FROM dead_letters WHERE shard = $1) d
            JOIN loops l ON l.shard = $1 AND l.id = d.loop ORDER BY l.name
            """, [.number(shard)])
        return (0..<rows.rows).compactMap { rows.text($0, 0).flatMap { LoopID($0) } }
    }

    package mutating func deadLetter(_ id: EffectID, _ session: any JournalDatabase) throws(JournalError) -> DeadLetter?
    {
        guard let numbered = try loops.find(id.loop, session) else { return nil }
        return try DeadLetterTable.letter(
            of: id, number: numbered.number, shard: shard, kinds: kinds, session)
    }

    package mutating func deadLetterCount(of loop: LoopID?, _ session: any JournalDatabase) throws(JournalError) -> Int
    {
        guard let loop else { return try DeadLetterTable.count(loop: nil, shard: shard, session) }
        guard let numbered = try loops.find(loop, session) else { return 0 }
        return try DeadLetterTable.count(loop: numbered.number, shard: shard, session)
    }

    package func crashes(_ session: any JournalDatabase) throws(JournalError) -> [CrashTable.Row] {
        try CrashTable.all(shard: shard, kinds: kinds, session)
    }
}

extension Contents {
    /// The number of the event with which a loop began; see ``JournalReading/beginning(of:)``.
    package mutating func beginning(of loop: LoopID, _ session: any JournalDatabase) throws(JournalError) -> UInt64 {
        guard let numbered = try loops.find(loop, session) else { return 0 }
        return try BegunLoopTable.sequence(loop: numbered.number, shard: shard, session)
    }

    /// The effects of a loop that have not ended, in the order in which they were requested.
    package mutating func pending(of loop: LoopID, _ session: any JournalDatabase) throws -> [PendingEffect] {
        var recovered = RecoveredLoop(loop: loop, snapshot: try snapshot(of: loop, session))
        try readTail(of: loop, session) { try recovered.apply($0) }
        return recovered.pending
    }

    /// A summary of each loop; it counts all records.
    package mutating func summaries(_ session: any JournalDatabase) throws(JournalError) -> [JournalInfo.Loop] {
        var found: [JournalInfo.Loop] = []
        for (loop, _) in try loops.all(session) {
            guard let numbered = try loops.find(loop, session) else {
                throw JournalError.damaged(session.shown, "loop \(loop) cannot be found by its name")
            }
            var snapshots: [UInt64] = []
            for skipping in [Int64(1), 0] {
                let place = try SnapshotTable.place(
                    skipping: skipping, loop: numbered.number, shard: shard, session)
                if let place { snapshots.append(place.sequence) }
            }
            found.append(
                JournalInfo.Loop(
                    loop: loop, firstSequence: numbered.last == nil ? nil : numbered.first.sequence,
                    lastSequence: numbered.last?.sequence,
                    records: try session.countRecords(loop: numbered.number, shard: shard),
                    isCompacted: try !isWhole(numbered, session), snapshots: snapshots,
                    deadLetters: try DeadLetterTable.count(loop: numbered.number, shard: shard, session)))
        }
        return found
    }

    /// The records of a loop from an event on: at most `limit`, and then the notes up to the next event.
    package mutating func records(
        of loop: LoopID, from sequence: UInt64, limit: Int, _ session: any JournalDatabase
    ) throws -> [JournalEntry] {
        guard let numbered = try loops.find(loop, session), numbered.last != nil else { return [] }
        let builds = try builds(session)
        var entries: [JournalEntry] = []
        try reader(of: loop, numbered, session).read(
            from: RecordPlace(sequence: sequence, part: 0), upTo: RecordPlace(sequence: .max, part: .max)
        ) { record, place, epoch in
            guard entries.count < limit || place.part > 0 else { return false }
            entries.append(
                JournalEntry(
                    sequence: place.sequence, part: place.part, epoch: UInt64(bitPattern: epoch),
                    build: builds[epoch] ?? "", record: record))
            return true
        }
        return entries
    }

    /// See ``JournalReading/snapshot(of:upTo:)``.
    package mutating func snapshot(
        of loop: LoopID, upTo sequence: UInt64, _ session: any JournalDatabase
    ) throws(JournalError) -> Snapshot? {
        guard let numbered = try loops.find(loop, session) else { return nil }
        let later = try SnapshotTable.count(after: sequence, loop: numbered.number, shard: shard, session)
        return try snapshot(skipping: later, of: loop, session)
    }

    /// See ``JournalReading/oldestSnapshot(of:)``.
    package mutating func oldestSnapshot(of loop: LoopID, _ session: any JournalDatabase) throws(JournalError)
        -> Snapshot?
    {
        guard let numbered = try loops.find(loop, session) else { return nil }
        let count = try SnapshotTable.count(loop: numbered.number, shard: shard, session)
        return count == 0 ? nil : try snapshot(skipping: count - 1, of: loop, session)
    }
}
