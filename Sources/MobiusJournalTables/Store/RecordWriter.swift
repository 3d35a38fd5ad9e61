package import MobiusJournal
import MobiusWire

/// Turns records into rows: those of one loop in one commit are one batch, or a few when they are many.
package struct RecordWriter {
    private let epoch: Int64
    private let limits: JournalLimits
    // One for each loop of a commit; reused, because their memory is kept.
    private var slots: [Slot] = []
    /// At least as many dead letters as each loop has that was counted.
    private var letters: [Int64: Int] = [:]
    /// The loop's number and the place of the last record written.
    package private(set) var newest: (loop: Int64, place: RecordPlace)?

    /// The records of one loop that are being written.
    private struct Slot {
        var loop: LoopID
        var numbered: NumberedLoop
        var batch: RecordBatch?
        let encoder = BatchEncoder()
    }

    /// Writes as this epoch.
    package init(epoch: UInt64, limits: JournalLimits) {
        self.epoch = Int64(bitPattern: epoch)
        self.limits = limits
    }

    /// Adds the records of all lists to a commit, assigns numbers to new loops and kinds, and updates the tables of keys,
    /// dead letters and ended loops.
    package mutating func write(
        _ group: [[JournalRecord]], _ session: any JournalDatabase, contents: inout Contents, _ commit: inout Commit
    ) throws(JournalError) {
        var (current, used) = (0, 0)
        // Most commits contain one loop only and need no table.
        var indices: [LoopID: Int] = [:]
        for records in group {
            // Not copied: copying a record and its loop's name would count two references.
            let records = records.span
            for position in records.indices {
                if used == 0 || !records[position].isOf(slots[current].loop) {
                    let loop = records[position].loop
                    if used == 1 { indices[slots[0].loop] = 0 }
                    if let known = indices[loop] {
                        current = known
                    } else {
                        current = used
                        used += 1
                        if used > 1 { indices[loop] = current }
                        try begin(records[position], at: current, session, contents: &contents, &commit)
                    }
                }
                try write(records[position], slot: current, session, kinds: &contents.kinds, &commit)
            }
        }
        if used > 0, let place = slots[current].numbered.last { newest = (slots[current].numbered.number, place) }
        for index in 0..<used {
            try finish(index, session, &commit)
            contents.loops.update(slots[index].loop, slots[index].numbered)
        }
    }

    private mutating func begin(
        _ record: JournalRecord, at index: Int, _ session: any JournalDatabase, contents: inout Contents,
        _ commit: inout Commit
    ) throws(JournalError) {
        let (loop, first) = (record.loop, RecordPlace.first(of: record))
        var numbered = try contents.loops.findOrAdd(loop, first: first, session, &commit)
        if numbered.last == nil {
            // It may have been added without records, with a crash.
            contents.loops.setFirst(first, of: loop, numbered, &commit)
            numbered.first = first
        }
        try contents.loops.wake(loop, &numbered, session, &commit)
        if index == slots.count {
            slots.append(Slot(loop: loop, numbered: numbered))
        } else {
            slots[index].loop = loop
            slots[index].numbered = numbered
        }
    }

    private mutating func write(
        _ record: JournalRecord, slot index: Int, _ session: any JournalDatabase, kinds: inout Kinds,
        _ commit: inout Commit
    ) throws(JournalError) {
        let place = RecordPlace.of(record, after: slots[index].numbered.last)
        try append(record, at: place, slot: index, session, kinds: &kinds, &commit)
        let loop = slots[index].numbered.number
        switch record {
        case .event(let event):
            if event.source == .start, event.sequence > 0 {
                EndedLoopTable.delete(loop: loop, &commit)
                BegunLoopTable.insert(event.sequence, loop: loop, &commit)
            }
            guard let key = event.outsideKey else { break }
            try session.insert(
                key: key, loop: loop, sequence: Int64(bitPattern: event.sequence), event.mark, &commit)
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
        _ record: JournalRecord, at place: RecordPlace, slot index: Int, _ session: any JournalDatabase,
        kinds: inout Kinds, _ commit: inout Commit
    ) throws(JournalError) {
        let encoder = slots[index].encoder
        if let batch = slots[index].batch, !batch.isContinued(at: place) || encoder.count >= RecordBatch.maximumBytes {
            try finish(index, session, &commit)
        }
        encoder.append(record, at: place) { kind in kinds.number(kind, &commit) }
        if slots[index].batch == nil {
            slots[index].batch = RecordBatch(id: slots[index].numbered.nextRow, epoch: epoch, first: place)
        } else {
            slots[index].batch?.last = place
            slots[index].batch?.count += 1
        }
        slots[index].numbered.last = place
    }

    /// Inserts the gathered records, if any.
    private mutating func finish(
        _ index: Int, _ session: any JournalDatabase, _ commit: inout Commit
    ) throws(JournalError) {
        guard let batch = slots[index].batch else { return }
        let encoder = slots[index].encoder
        slots[index].numbered.nextRow = try session.insert(batch, encoder.bytes, &commit)
        encoder.reset()
        slots[index].batch = nil
    }

    /// The loop of this number was removed.
    package mutating func forget(_ loop: Int64) {
        letters[loop] = nil
    }
}
