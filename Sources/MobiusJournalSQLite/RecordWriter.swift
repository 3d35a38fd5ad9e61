import MobiusJournal
import MobiusJournalTables
import MobiusWire

/// Inserts records: those of one loop in one commit are one batch, or a few when they are many.
struct RecordWriter {
    // One for each loop of a commit; reused, because their memory is kept.
    private var slots: [Slot] = []
    /// At least as many dead letters as each loop has that was counted.
    private var letters: [Int64: Int] = [:]
    /// The loop's number and the place of the last record written.
    private(set) var newest: (loop: Int64, place: RecordPlace)?

    /// The records of one loop that are being written.
    private struct Slot {
        var loop: LoopID
        var numbered: NumberedLoop
        var batches: BatchWriter
    }

    /// State shared by all records of a commit.
    private struct State {
        let epoch: Int64
        let limits: JournalLimits
        var keys: OutsideKeyTable?
    }

    /// Inserts the records of all lists in the current transaction, assigns numbers to new loops and kinds, and updates
    /// the tables of keys and dead letters.
    mutating func write(
        _ group: [[JournalRecord]], epoch: UInt64, _ database: Database, contents: inout StoredJournal,
        limits: JournalLimits
    ) throws {
        var state = State(epoch: Int64(bitPattern: epoch), limits: limits)
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
                try write(records[position], slot: current, database, &state, kinds: &contents.kinds)
            }
        }
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
        _ record: JournalRecord, slot index: Int, _ database: Database, _ state: inout State,
        kinds: inout Kinds
    ) throws {
        let place = RecordPlace.of(record, after: slots[index].numbered.last)
        try slots[index].batches.append(record, at: place, epoch: state.epoch, database, kinds: &kinds)
        slots[index].numbered.last = place
        let loop = slots[index].numbered.number
        switch record {
        case .event(let event):
            if event.source == .start, event.sequence > 0 {
                try database.perform { commit in
                    EndedLoopTable.delete(loop: loop, &commit)
                    BegunLoopTable.insert(event.sequence, loop: loop, &commit)
                }
            }
            guard let key = event.outsideKey else { break }
            let keys = try state.keys ?? OutsideKeyTable(database)
            state.keys = keys
            try keys.insert(key, loop: loop, sequence: Int64(bitPattern: event.sequence), event.mark)
            guard let reply = event.reply else { break }
            try database.perform { ReplyTable.insert(reply, at: event.sequence, loop: loop, kinds: &kinds, &$0) }
        case .note(let effect, let note):
            if let end = EndedLoop(note, on: effect, at: place.sequence) {
                try database.perform { EndedLoopTable.insert(end, loop: loop, &$0) }
            }
            guard DeadLetterTable.changes(note) else { break }
            var count = 0
            if case .deadLettered = note {
                count =
                    try letters[loop] ?? DeadLetterTable.count(loop: loop, shard: Database.shard, database)
            }
            try database.perform { commit in
                DeadLetterTable.apply(
                    note, to: effect, loop: loop, kinds: &kinds, limit: state.limits.deadLetters, count: &count,
                    &commit)
            }
            if count > 0 { letters[loop] = count }
        }
    }

    /// The loop of this number was removed.
    mutating func forget(_ loop: Int64) {
        letters[loop] = nil
    }
}
