package import MobiusJournal
package import MobiusWire

/// A loop's number in the journal, and the places of its first and last record.
package struct NumberedLoop {
    /// The loop's number, from 1.
    package let number: Int64
    /// The first record that compaction has kept; the place of the start if it has deleted none.
    package var first: RecordPlace
    /// The last record; `nil` before the start.
    package var last: RecordPlace?
    /// Whether a start need not recover it.
    package var isIdle: Bool
    /// The id of the next batch, where batches have ids of their own.
    package var nextRow: Int64

    /// Describes a loop as the database has it.
    package init(
        number: Int64, first: RecordPlace = .start, last: RecordPlace? = nil, isIdle: Bool = false, nextRow: Int64
    ) {
        (self.number, self.first, self.last, self.isIdle) = (number, first, last, isIdle)
        self.nextRow = nextRow
    }
}

/// The loops of a shard; caches those that this process has used.
package struct Loops {
    private let shard: Int64
    private var known: [LoopID: NumberedLoop] = [:]
    /// The idle loop that was found last: what reads one loop asks for it several times.
    private var lastIdle: (loop: LoopID, numbered: NumberedLoop)?
    // The greatest number, once a loop was added.
    private var greatest: Int64?
    // Once they were read.
    private var totals: IdleTotals?
    private var hasNewTotals = false

    package init(shard: Int64) {
        self.shard = shard
    }

    /// Finds a loop; `nil` when the journal has no loop of that name.
    ///
    /// The checksum of its last batch is verified; a missing batch before it is found when the loop is read. In a
    /// file all names are verified before the first new loop begins. In PostgreSQL a broken one is found where it is read: of
    /// active loops by a start, of all by a verification; to read millions of names would take a take-over seconds.
    package mutating func find(_ loop: LoopID, _ session: any JournalDatabase) throws(JournalError) -> NumberedLoop? {
        if let found = known[loop] { return found }
        if let lastIdle, lastIdle.loop == loop { return lastIdle.numbered }
        guard let found = try session.find(loop, shard: shard) else { return nil }
        // Idle loops take no memory.
        if found.isIdle { lastIdle = (loop, found) } else { known[loop] = found }
        return found
    }

    /// Whether a loop is stored and active, and this process has used it.
    package func hasTouched(_ loop: LoopID) -> Bool { known[loop] != nil }

    /// Makes an idle loop active, in the commit that has its next record.
    package mutating func wake(
        _ loop: LoopID, _ numbered: inout NumberedLoop, _ session: any JournalDatabase, _ commit: inout Commit
    ) throws(JournalError) {
        guard numbered.isIdle else { return }
        numbered.isIdle = false
        try changeTotals(session) { $0.remove(sequence: numbered.last?.sequence ?? 0) }
        IdleTable.wake(loop: numbered.number, &commit)
        IdleTable.activate(numbered.number, &commit)
        known[loop] = numbered
        lastIdle = nil
    }

    /// Makes a loop idle.
    package mutating func park(_ idle: IdleLoop, _ session: any JournalDatabase, _ commit: inout Commit)
        throws(JournalError)
    {
        let numbered = try find(idle.loop, session)
        idle.requirePlace(numbered?.last)
        guard let numbered else { return }
        if !numbered.isIdle { try changeTotals(session) { $0.add(sequence: idle.sequence) } }
        IdleTable.park(idle, loop: numbered.number, &commit)
        known[idle.loop] = nil
        lastIdle = nil
    }

    private mutating func changeTotals(
        _ session: any JournalDatabase, _ change: (inout IdleTotals) -> Void
    ) throws(JournalError) {
        var changed = try idleTotals(session)
        change(&changed)
        totals = changed
        hasNewTotals = true
    }

    /// Stores the totals if they have changed.
    package mutating func saveTotals(_ commit: inout Commit) {
        guard hasNewTotals, let totals else { return }
        IdleTable.save(totals, &commit)
        hasNewTotals = false
    }

    /// The number of idle loops, and of their events.
    package mutating func idleTotals(_ session: any JournalDatabase) throws(JournalError) -> IdleTotals {
        if let totals { return totals }
        let stored = try IdleTable.totals(shard: shard, session)
        totals = stored
        return stored
    }

    /// Finds a loop, or takes the next number for it; its first record will be at `first`.
    package mutating func findOrAdd(
        _ loop: LoopID, first: RecordPlace, _ session: any JournalDatabase, _ commit: inout Commit
    ) throws(JournalError) -> NumberedLoop {
        if let found = try find(loop, session) { return found }
        let number = try nextNumber(session)
        guard number <= session.maximumLoop else {
            throw JournalError(
                .notWritable, "The journal \(session.shown) has no room for more loops: begin another one.")
        }
        commit.add(
            """
            INSERT INTO loops (shard, id, name, first_sequence, first_part, checksum) VALUES ($1, $2, $3, $5, 0, $4)
            """,
            [
                .number(shard), .number(number), .text(loop.name),
                .number(RowChecksum.loop(loop.name, first: first)), .bits(first.sequence),
            ])
        IdleTable.activate(number, &commit)
        let added = NumberedLoop(
            number: number, first: first, nextRow: session.firstRow(ofLoop: number))
        known[loop] = added
        return added
    }

    /// The number behind all that the shard has; one that was given and removed since may be given again: nothing of it is left.
    private mutating func nextNumber(_ session: any JournalDatabase) throws(JournalError) -> Int64 {
        var last = greatest ?? 0
        if greatest == nil {
            last = try session.read("SELECT max(id) FROM loops WHERE shard = $1", [.number(shard)]).number(0, 0)
        }
        guard (0..<Int64.max).contains(last) else { throw Self.broken(session) }
        greatest = last + 1
        return last + 1
    }

    /// Stores where the loop's records end now.
    package mutating func update(_ loop: LoopID, _ numbered: NumberedLoop) {
        known[loop] = numbered
        lastIdle = nil
    }

    /// The loop is no longer in the journal.
    package mutating func forget(_ loop: LoopID, _ session: any JournalDatabase) throws(JournalError) {
        if let numbered = try find(loop, session), numbered.isIdle {
            try changeTotals(session) { $0.remove(sequence: numbered.last?.sequence ?? 0) }
        }
        known[loop] = nil
        lastIdle = nil
    }

    /// Every loop and its number, in the order in which they were added; also loops without records.
    package func all(_ session: any JournalDatabase) throws(JournalError) -> [(loop: LoopID, number: Int64)] {
        var found: [(LoopID, Int64)] = []
        var cursor: Int64 = 0
        while true {
            let page = try session.read(
                """
                SELECT id, name, first_sequence, first_part, checksum FROM loops WHERE shard = $1 AND id > $2
                ORDER BY id LIMIT 10000
                """, [.number(shard), .number(cursor)])
            for row in 0..<page.rows {
                guard let name = page.text(row, 1), let loop = LoopID(name), page.number(row, 0) >= 1,
                    RowChecksum.loop(name, first: try Self.place(page, row, 2, session)) == page.number(row, 4)
                else { throw Self.broken(session) }
                cursor = page.number(row, 0)
                found.append((loop, cursor))
            }
            guard page.rows == 10_000 else { return found }
        }
    }

    /// Stores the first record that compaction has kept.
    package mutating func setFirst(
        _ first: RecordPlace, of loop: LoopID, _ numbered: NumberedLoop, _ commit: inout Commit
    ) {
        guard numbered.first != first else { return }
        commit.add(
            "UPDATE loops SET first_sequence = $3, first_part = $4, checksum = $5 WHERE shard = $1 AND id = $2",
            [
                .number(shard), .number(numbered.number), .bits(first.sequence), .number(Int64(first.part)),
                .number(RowChecksum.loop(loop.name, first: first)),
            ])
        known[loop]?.first = first
        lastIdle = nil
    }

    /// The place in two columns.
    package static func place(
        _ row: Rows, _ index: Int, _ column: Int, _ session: any JournalDatabase
    ) throws(JournalError) -> RecordPlace {
        guard let sequence = UInt64(exactly: row.number(index, column)),
            let part = UInt32(exactly: row.number(index, column + 1))
        else { throw JournalError.damaged(session.shown, "a record has an impossible place") }
        return RecordPlace(sequence: sequence, part: part)
    }

    /// Returns the result of ``JournalDatabase/leftovers(shard:)``, from rows with a loop's number and name and a
    /// snapshot's place.
    package static func leftovers(_ rows: Rows) -> [(loop: LoopID, number: Int64, end: RecordPlace)] {
        (0..<rows.rows).compactMap { row in
            guard let loop = rows.text(row, 1).flatMap({ LoopID($0) }),
                let sequence = UInt64(exactly: rows.number(row, 2)), let part = UInt32(exactly: rows.number(row, 3))
            else { return nil }
            return (loop, rows.number(row, 0), RecordPlace(sequence: sequence, part: part))
        }
    }

    /// The error of a row that was changed.
    package static func broken(_ session: any JournalDatabase) -> JournalError {
        .damaged(session.shown, "the row of a loop is not what was written")
    }
}
