#if PostgreSQL
    import MobiusJournal
    import MobiusJournalTables
    import MobiusWire

    /// The queries behind `JournalReading`, shared by the store and the inspector.
    ///
    /// It caches loops and kinds, so all writes must go through it; an inspector makes a new one for each read.
    struct Contents {
        let shard: Int64
        var loops: Loops
        var kinds: Kinds

        /// Begins with the kinds of the journal.
        init(shard: Int64, _ session: Session) throws(JournalError) {
            self.shard = shard
            loops = Loops(shard: shard)
            kinds = try Kinds(shard: shard, session)
        }

        // MARK: Recovery

        func loopNames(_ session: Session) throws(JournalError) -> [LoopID] {
            let begun = try session.read(
                """
                SELECT l.id FROM loops l WHERE l.shard = $1
                    AND EXISTS (SELECT 1 FROM runs r WHERE r.shard = l.shard AND r.loop = l.id)
                """, [.number(shard)])
            let numbers = Set((0..<begun.rows).map { begun.number($0, 0) })
            return try loops.all(session).filter { numbers.contains($0.number) }.map(\.loop)
        }

        /// Whether compaction has deleted no record of the loop, or none since it began.
        func isWhole(_ numbered: NumberedLoop, _ session: Session) throws(JournalError) -> Bool {
            try numbered.first.isBeginning(BegunLoopTable.sequence(loop: numbered.number, shard: shard, session))
        }

        mutating func end(of loop: LoopID, _ session: Session) throws(JournalError) -> EndedLoop? {
            guard let numbered = try loops.find(loop, session) else { return nil }
            return try EndedLoopTable.end(of: numbered.number, shard: shard, session)
        }

        mutating func snapshot(
            skipping: Int64 = 0, of loop: LoopID, _ session: Session
        ) throws(JournalError) -> Snapshot? {
            guard let numbered = try loops.find(loop, session) else { return nil }
            return try SnapshotTable.snapshot(
                skipping: skipping, of: loop, number: numbered.number, shard: shard, kinds: kinds, session)
        }

        mutating func readTail(
            of loop: LoopID, _ session: Session, _ visit: (JournalRecord) throws -> Void
        ) throws {
            guard let numbered = try loops.find(loop, session) else { return }
            let snapshot = try SnapshotTable.place(loop: numbered.number, shard: shard, session)
            try requireBeginning(of: loop, numbered, after: snapshot, session)
            try replayer(of: loop, numbered, session).replay(after: snapshot, of: numbered, upTo: numbered.last, visit)
        }

        mutating func readBetweenSnapshots(
            of loop: LoopID, _ session: Session, _ visit: (JournalRecord) throws -> Void
        ) throws {
            guard let numbered = try loops.find(loop, session),
                let newest = try SnapshotTable.place(loop: numbered.number, shard: shard, session)
            else { return }
            let older = try SnapshotTable.place(skipping: 1, loop: numbered.number, shard: shard, session)
            try requireBeginning(of: loop, numbered, after: older, session)
            try replayer(of: loop, numbered, session).replay(after: older, of: numbered, upTo: newest, visit)
        }

        mutating func entries(of loop: LoopID, _ range: JournalRange, _ session: Session) throws -> JournalPage {
            guard let numbered = try loops.find(loop, session), numbered.last != nil else { return JournalPage() }
            var page = JournalPage(first: numbered.first.sequence)
            let builds = Dictionary(try Epochs.all(shard: shard, session)) { first, _ in first }
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

        func reader(of loop: LoopID, _ numbered: NumberedLoop, _ session: Session) -> RecordReader {
            RecordReader(
                loop: loop, table: RunTable(shard: shard, loop: numbered.number), kinds: kinds.numbered,
                session: session)
        }

        /// A reader of the records after the older snapshot.
        private func replayer(of loop: LoopID, _ numbered: NumberedLoop, _ session: Session) -> RecordReader {
            let runs = session.prefetch[numbered.number]?.runs
            return RecordReader(
                loop: loop, table: RunTable(shard: shard, loop: numbered.number, prefetched: runs),
                kinds: kinds.numbered, session: session)
        }

        /// Fails when compaction has deleted the loop's beginning but no snapshot replaces it.
        private func requireBeginning(
            of loop: LoopID, _ numbered: NumberedLoop, after snapshot: RecordPlace?, _ session: Session
        ) throws(JournalError) {
            guard snapshot == nil, numbered.first != .start, try !isWhole(numbered, session) else { return }
            throw .damaged(
                session.url.shown,
                "the snapshots of loop \(loop) are missing, and its records before event \(numbered.first.sequence) "
                    + "were compacted away")
        }

        // MARK: Builds

        /// The builds whose epochs wrote events of the loop.
        mutating func builds(
            of loop: LoopID, in sequences: ClosedRange<UInt64>, _ session: Session
        ) throws(JournalError) -> [String] {
            guard let numbered = try loops.find(loop, session), let last = numbered.last else { return [] }
            let table = RunTable(shard: shard, loop: numbered.number)
            let builds = Dictionary(try Epochs.all(shard: shard, session)) { first, _ in first }
            var found: [String] = []
            var next = try table.row(around: RecordPlace(sequence: sequences.lowerBound, part: 0), session)
            while let batch = next, batch.first.sequence <= sequences.upperBound {
                let end = try lastPlace(of: batch, upTo: last, in: table, session)
                if end.sequence >= sequences.lowerBound, let build = builds[batch.epoch], !found.contains(build) {
                    found.append(build)
                }
                next = try table.row(after: end, session)
            }
            return found
        }

        /// The last record of the epoch that wrote a batch: a search by halves, because epochs only grow.
        private func lastPlace(
            of batch: RecordBatch, upTo end: RecordPlace, in table: RunTable, _ session: Session
        ) throws(JournalError) -> RecordPlace {
            var (low, high) = (batch, end.sequence)
            while low.last.sequence < high {
                let middle = low.last.sequence + (high - low.last.sequence + 1) / 2
                guard let row = try table.row(around: RecordPlace(sequence: middle, part: .max), session) else { break }
                if row.epoch == batch.epoch {
                    guard row.last > low.last else { break }
                    low = row
                } else {
                    high = min(row.first.sequence, middle) - 1
                }
            }
            // Notes of the next epoch may follow the last event of this one.
            while let row = try table.row(after: low.last, session), row.epoch == batch.epoch { low = row }
            return low.last
        }

        // MARK: Keys, dead letters, crashes

        mutating func outsideKeys(
            of loop: LoopID, limit: Int, _ session: Session
        ) throws(JournalError) -> [String] {
            guard let numbered = try loops.find(loop, session) else { return [] }
            return try KeyTable.newest(limit, loop: numbered.number, shard: shard, session)
        }

        mutating func sequence(of key: String, in loop: LoopID, _ session: Session) throws(JournalError) -> Int64? {
            guard let numbered = try loops.find(loop, session) else { return nil }
            return try KeyTable.sequence(of: key, loop: numbered.number, shard: shard, session)
        }

        mutating func confirmation(
            of key: String, in loop: LoopID, _ session: Session
        ) throws(JournalError) -> EventConfirmation? {
            guard let numbered = try loops.find(loop, session),
                let sequence = try KeyTable.sequence(of: key, loop: numbered.number, shard: shard, session)
            else { return nil }
            let reply = try ReplyTable.reply(
                at: sequence, loop: numbered.number, shard: shard, kinds: kinds, session)
            return EventConfirmation(repeated: true, number: UInt64(bitPattern: sequence), reply: reply)
        }

        mutating func mark(of key: String, in loop: LoopID, _ session: Session) throws(JournalError) -> SenderMark? {
            guard let numbered = try loops.find(loop, session) else { return nil }
            return try KeyTable.mark(of: key, loop: numbered.number, shard: shard, session)
        }

        /// Dead letters in order, with effects of at most `bytes` bytes, until `total` bytes of effects were listed.
        mutating func deadLetters(
            of loop: LoopID?, after: EffectID?, limit: Int, bytes: Int, total: Int, _ session: Session
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

        private func loopsWithLetters(_ session: Session) throws(JournalError) -> [LoopID] {
            let rows = try session.read(
                """
                SELECT name FROM loops l WHERE shard = $1
                    AND EXISTS (SELECT 1 FROM dead_letters d WHERE d.shard = l.shard AND d.loop = l.id)
                ORDER BY name
                """, [.number(shard)])
            return (0..<rows.rows).compactMap { rows.text($0, 0).flatMap { LoopID($0) } }
        }

        mutating func deadLetter(_ id: EffectID, _ session: Session) throws(JournalError) -> DeadLetter? {
            guard let numbered = try loops.find(id.loop, session) else { return nil }
            return try DeadLetterTable.letter(
                of: id, number: numbered.number, shard: shard, kinds: kinds, session)
        }

        mutating func deadLetterCount(of loop: LoopID?, _ session: Session) throws(JournalError) -> Int {
            guard let loop else { return try DeadLetterTable.count(loop: nil, shard: shard, session) }
            guard let numbered = try loops.find(loop, session) else { return 0 }
            return try DeadLetterTable.count(loop: numbered.number, shard: shard, session)
        }

        func crashes(_ session: Session) throws(JournalError) -> [CrashTable.Row] {
            try CrashTable.all(shard: shard, kinds: kinds, session)
        }
    }

    extension Contents {
        /// See ``JournalReading/snapshot(of:upTo:)``.
        mutating func snapshot(
            of loop: LoopID, upTo sequence: UInt64, _ session: Session
        ) throws(JournalError) -> Snapshot? {
            guard let numbered = try loops.find(loop, session) else { return nil }
            let later = try SnapshotTable.count(after: sequence, loop: numbered.number, shard: shard, session)
            return try snapshot(skipping: later, of: loop, session)
        }

        /// See ``JournalReading/oldestSnapshot(of:)``.
        mutating func oldestSnapshot(of loop: LoopID, _ session: Session) throws(JournalError) -> Snapshot? {
            guard let numbered = try loops.find(loop, session) else { return nil }
            let count = try SnapshotTable.count(loop: numbered.number, shard: shard, session)
            return count == 0 ? nil : try snapshot(skipping: count - 1, of: loop, session)
        }
    }
#endif
