#if PostgreSQL
    public import MobiusJournal
    import MobiusJournalTables
    public import MobiusWire

    extension PostgreSQLInspector {
        /// A summary of the journal: its identity, epochs and loops.
        ///
        /// It counts all records, so its cost grows with their number.
        public func info() throws(JournalError) -> JournalInfo {
            try reading { contents, session in
                let owner = try session.read(
                    "SELECT application, created_by FROM shards WHERE shard = $1", [.number(shard)])
                var loops: [JournalInfo.Loop] = []
                for (loop, _) in try contents.loops.all(session) {
                    loops.append(try self.loop(loop, &contents, session))
                }
                let epochs = try Epochs.all(shard: shard, session)
                return JournalInfo(
                    identity: identity, application: owner.text(0, 0) ?? "", createdBy: owner.text(0, 1) ?? "",
                    format: Schema.version, bytes: try bytes(session), holder: nil,
                    epochs: epochs.map { JournalInfo.Epoch(epoch: UInt64(bitPattern: $0.epoch), build: $0.build) },
                    loops: loops)
            }
        }

        /// The size of the schema's tables with their indices.
        private func bytes(_ session: Session) throws(JournalError) -> Int {
            Int(
                try session.read(
                    """
                    SELECT coalesce(sum(pg_total_relation_size(c.oid)), 0)::bigint
                    FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
                    WHERE n.nspname = $1 AND c.relkind = 'r'
                    """, [.name(session.url.schema)]
                ).number(0, 0))
        }

        private func loop(
            _ loop: LoopID, _ contents: inout Contents, _ session: Session
        ) throws(JournalError) -> JournalInfo.Loop {
            guard let numbered = try contents.loops.find(loop, session) else {
                throw JournalError.damaged(shown, "loop \(loop) cannot be found by its name")
            }
            let count = try session.read(
                "SELECT coalesce(sum(count), 0)::bigint FROM runs WHERE shard = $1 AND loop = $2",
                [.number(shard), .number(numbered.number)])
            var snapshots: [UInt64] = []
            for skipping in [Int64(1), 0] {
                let place = try SnapshotTable.place(
                    skipping: skipping, loop: numbered.number, shard: shard, session)
                if let place { snapshots.append(place.sequence) }
            }
            return JournalInfo.Loop(
                loop: loop, firstSequence: numbered.last == nil ? nil : numbered.first.sequence,
                lastSequence: numbered.last?.sequence, records: Int(count.number(0, 0)),
                isCompacted: try !contents.isWhole(numbered, session), snapshots: snapshots,
                deadLetters: try DeadLetterTable.count(loop: numbered.number, shard: shard, session))
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
            return try reading { contents, session in
                guard let numbered = try contents.loops.find(loop, session), numbered.last != nil else { return [] }
                let builds = Dictionary(try Epochs.all(shard: shard, session)) { first, _ in first }
                var entries: [JournalEntry] = []
                try contents.reader(of: loop, numbered, session).read(
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
        }

        /// The sequence number of the first of a loop's newest `count` kept events; `nil` when fewer are kept.
        public func sequence(ofNewest count: Int, of loop: LoopID) throws(JournalError) -> UInt64? {
            precondition(count > 0, "The count must be at least 1.")
            return try reading { contents, session in
                guard let numbered = try contents.loops.find(loop, session) else { return nil }
                // The events of a batch have no gaps among their numbers.
                let row = try session.read(
                    """
                    SELECT (last_sequence - ($3 - before) + 1)::bigint FROM (
                        SELECT last_sequence, sequence, events,
                            sum(events) OVER (ORDER BY sequence DESC, part DESC) - events AS before
                        FROM (SELECT *, last_sequence - sequence + CASE part WHEN 0 THEN 1 ELSE 0 END AS events
                            FROM runs WHERE shard = $1 AND loop = $2) batches
                    ) sums WHERE before < $3 AND before + events >= $3 LIMIT 1
                    """, [.number(shard), .number(numbered.number), .number(Int64(count))])
                return row.rows > 0 ? UInt64(bitPattern: row.number(0, 0)) : nil
            }
        }

        /// The effects of a loop that have not ended, in the order in which they were requested.
        public func pending(of loop: LoopID) throws(JournalError) -> [PendingEffect] {
            try reading { contents, session in
                var recovered = RecoveredLoop(loop: loop, snapshot: try contents.snapshot(of: loop, session))
                try contents.readTail(of: loop, session) { try recovered.apply($0) }
                return recovered.pending
            }
        }
    }
#endif
