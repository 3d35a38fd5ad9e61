import MobiusJournal
import MobiusWire

/// Inserts records: those of one loop in one commit are one batch, or a few when they are many.
struct RecordWriter {
    // One for each loop of a commit; reused, because their memory is kept.
    private var slots: [Slot] = []
    private var letters = DeadLetterTable()
    /// The loop's number and the place of the last record written.
    private(set) var newest: (loop: Int64, place: RecordPlace)?

    /// The records of one loop that are being written.
    private struct Slot {
        var loop: LoopID
        var numbered: NumberedLoop
        var batches: BatchWriter
    }

    /// State shared by all records of a commit.
    private struct Commit {
        let epoch: Int64
        let limits: JournalLimits
        var keys: OutsideKeyTable?
        /// Whether a record was written that programs of earlier formats cannot read.
        var needsNewestFormat = false
    }

    /// Inserts the records of all lists in the current transaction, assigns numbers to new loops and kinds, and updates
    /// the tables of keys and dead letters.
    mutating func write(
        _ group: [[JournalRecord]], epoch: UInt64, _ database: Database, contents: inout StoredJournal,
        limits: JournalLimits
    ) throws {
        var commit = Commit(epoch: Int64(bitPattern: epoch), limits: limits)
        var (current, used) = (0, 0)
        // Most commits contain one loop only and need no table.
        var indices: [LoopID: Int] = [:]
        var loop: LoopID?
        for records in group {
            // Not copied: copying a record and its loop's name would count two references.
            let records = records.span
            for position in records.indices {
                if loop.map({ !records[position].isOf($0) }) ?? true {
                    if used == 1 { indices[slots[0].loop] = 0 }
                    let next = records[position].loop
                    loop = next
                    if let known = indices[next] {
                        current = known
                    } else {
                        current = used
                        used += 1
                        if used > 1 { indices[next] = current }
                        try begin(
                            next, at: current, first: .first(of: records[position]), database, contents: &contents)
                    }
                }
                try write(records[position], slot: current, database, &commit, kinds: &contents.kinds)
            }
        }
        if commit.needsNewestFormat { try contents.raiseFormat(database) }
        if used > 0, let place = slots[current].numbered.last { newest = (slots[current].numbered.number, place) }
        for index in 0..<used {
            try slots[index].batches.finish(database)
            slots[index].numbered.nextRow = slots[index].batches.nextRow
            contents.loops.update(slots[index].loop, slots[index].numbered)
        }
    }

    private mutating func begin(
        _ loop: LoopID, at index: Int, first: RecordPlace, _ database: Database, contents: inout StoredJournal
    ) throws {
        var numbered = try contents.loops.findOrAdd(loop, first: first, database)
        if numbered.last == nil, numbered.first != first {
            // It was added without records, with a crash.
            try contents.loops.setFirst(first, of: loop, database)
            numbered.first = first
        }
        try contents.loops.wake(loop, &numbered, database)
        if index == slots.count {
            slots.append(Slot(loop: loop, numbered: numbered, batches: BatchWriter(nextRow: numbered.nextRow)))
        } else {
            slots[index].loop = loop
            slots[index].numbered = numbered
            slots[index].batches.restart(at: numbered.nextRow)
        }
    }

    private mutating func write(
        _ record: JournalRecord, slot index: Int, _ database: Database, _ commit: inout Commit,
        kinds: inout KindInterner
    ) throws {
        let place = RecordPlace.of(record, after: slots[index].numbered.last)
        try slots[index].batches.append(record, at: place, epoch: commit.epoch, database, kinds: &kinds)
        slots[index].numbered.last = place
        let loop = slots[index].numbered.number
        switch record {
        case .event(let event):
            if event.source == .start, event.sequence > 0 {
                try EndedLoopTable.delete(loop: loop, database)
                try BegunLoopTable.insert(event.sequence, loop: loop, database)
                commit.needsNewestFormat = true
            }
            if case .loop = event.source { commit.needsNewestFormat = true }
            guard let key = event.outsideKey else { break }
            let keys = try commit.keys ?? OutsideKeyTable(database)
            commit.keys = keys
            try keys.insert(key, loop: loop, sequence: Int64(bitPattern: event.sequence), event.mark)
            guard let reply = event.reply else { break }
            try ReplyTable.insert(reply, at: event.sequence, loop: loop, database, kinds: &kinds)
        case .note(let effect, let note):
            if let end = EndedLoop(note, on: effect, at: place.sequence) {
                try EndedLoopTable.insert(end, loop: loop, database)
                commit.needsNewestFormat = true
            }
            if case .remarked = note { commit.needsNewestFormat = true }
            try letters.apply(note, to: effect, loop: loop, database, kinds: &kinds, limit: commit.limits.deadLetters)
        }
    }
}
