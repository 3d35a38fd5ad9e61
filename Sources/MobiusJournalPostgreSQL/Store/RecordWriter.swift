#if PostgreSQL
    import MobiusJournal
    import MobiusJournalTables
    import MobiusWire

    /// Turns records into rows: those of one loop in one commit are one batch, or a few when they are many.
    struct RecordWriter {
        private let epoch: Int64
        private let limits: JournalLimits
        private var slots: [Slot] = []
        private var indices: [LoopID: Int] = [:]
        // Encoders keep their memory.
        private var spare: [BatchEncoder] = []
        /// At least as many dead letters as each loop has that was counted.
        private var letters: [Int64: Int] = [:]

        /// The records of one loop that are being written.
        private struct Slot {
            let loop: LoopID
            let number: Int64
            var last: RecordPlace?
            var batch: RecordBatch?
            let encoder: BatchEncoder
        }

        init(epoch: UInt64, limits: JournalLimits) {
            self.epoch = Int64(bitPattern: epoch)
            self.limits = limits
        }

        /// Adds the records of all lists to a commit, assigns numbers to new loops and kinds, and updates the tables of
        /// keys, dead letters and ended loops.
        mutating func write(
            _ group: [[JournalRecord]], _ session: Session, contents: inout Contents, _ commit: inout Commit
        ) throws(JournalError) {
            var current = 0
            for records in group {
                for record in records {
                    if slots.isEmpty || !record.isOf(slots[current].loop) {
                        current = try slot(of: record, session, contents: &contents, &commit)
                    }
                    try write(record, slot: current, session, kinds: &contents.kinds, &commit)
                }
            }
            for index in slots.indices {
                finish(index, &commit)
                contents.loops.update(slots[index].loop, last: slots[index].last)
                spare.append(slots[index].encoder)
            }
            slots.removeAll(keepingCapacity: true)
            indices.removeAll(keepingCapacity: true)
        }

        private mutating func slot(
            of record: JournalRecord, _ session: Session, contents: inout Contents, _ commit: inout Commit
        ) throws(JournalError) -> Int {
            let loop = record.loop
            if let known = indices[loop] { return known }
            var numbered = try contents.loops.findOrAdd(loop, first: .first(of: record), session, &commit)
            // Otherwise it may have been added without records, with a crash.
            if numbered.last == nil { contents.loops.setFirst(.first(of: record), of: loop, numbered, &commit) }
            try contents.loops.wake(loop, &numbered, session, &commit)
            let encoder = spare.popLast() ?? BatchEncoder()
            encoder.reset()
            slots.append(Slot(loop: loop, number: numbered.number, last: numbered.last, encoder: encoder))
            indices[loop] = slots.count - 1
            return slots.count - 1
        }

        private mutating func write(
            _ record: JournalRecord, slot index: Int, _ session: Session, kinds: inout Kinds, _ commit: inout Commit
        ) throws(JournalError) {
            let place = RecordPlace.of(record, after: slots[index].last)
            append(record, at: place, slot: index, kinds: &kinds, &commit)
            let loop = slots[index].number
            switch record {
            case .event(let event):
                if event.source == .start, event.sequence > 0 {
                    EndedLoopTable.delete(loop: loop, &commit)
                    BegunLoopTable.insert(event.sequence, loop: loop, &commit)
                }
                guard case .outside(let key) = event.source else { break }
                KeyTable.insert(key, loop: loop, sequence: event.sequence, event.mark, &commit)
                guard let reply = event.reply else { break }
                ReplyTable.insert(reply, at: event.sequence, loop: loop, kinds: &kinds, &commit)
            case .note(let effect, let note):
                if let end = EndedLoop(note, on: effect, at: place.sequence) {
                    EndedLoopTable.insert(end, loop: loop, &commit)
                }
                var count = 0
                if case .deadLettered = note {
                    if let known = letters[loop] {
                        count = known
                    } else {
                        count = try DeadLetterTable.count(loop: loop, shard: commit.shard, session)
                    }
                }
                DeadLetterTable.apply(
                    note, to: effect, loop: loop, kinds: &kinds, limit: limits.deadLetters, count: &count, &commit)
                if count > 0 { letters[loop] = count }
            }
        }

        /// Adds the record at `place`; first inserts the gathered batch if the record cannot continue it.
        private mutating func append(
            _ record: JournalRecord, at place: RecordPlace, slot index: Int, kinds: inout Kinds, _ commit: inout Commit
        ) {
            let encoder = slots[index].encoder
            if let batch = slots[index].batch,
                !batch.isContinued(at: place) || encoder.count >= RecordBatch.maximumBytes
            {
                finish(index, &commit)
            }
            encoder.append(record, at: place) { kind in kinds.number(kind, &commit) }
            if slots[index].batch == nil {
                slots[index].batch = RecordBatch(id: slots[index].number, epoch: epoch, first: place)
            } else {
                slots[index].batch?.last = place
                slots[index].batch?.count += 1
            }
            slots[index].last = place
        }

        /// Inserts the gathered records, if any.
        private mutating func finish(_ index: Int, _ commit: inout Commit) {
            guard let batch = slots[index].batch else { return }
            RunTable.insert(batch, slots[index].encoder.bytes, &commit)
            slots[index].encoder.reset()
            slots[index].batch = nil
        }

        /// The loop of this number was removed.
        mutating func forget(_ loop: Int64) {
            letters[loop] = nil
        }
    }
#endif
