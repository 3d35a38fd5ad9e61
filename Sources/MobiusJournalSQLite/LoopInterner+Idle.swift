import MobiusJournal
import MobiusJournalTables
import MobiusWire

// Idle and active loops. Only active ones are cached, so that idle ones take no memory.
extension LoopInterner {
    /// The name of the loop with this number; `nil` when there is none.
    func name(of number: Int64, _ database: Database) throws -> LoopID? {
        try database.first(
            "SELECT id, name, first_sequence, first_part, checksum FROM loops WHERE id = ?", [number]
        ) { try current($0).loop }
    }

    /// Makes a loop active, in the transaction that writes its next record.
    mutating func wake(_ loop: LoopID, _ numbered: inout NumberedLoop, _ database: Database) throws {
        guard numbered.isIdle else { return }
        numbered.isIdle = false
        totals.remove(sequence: numbered.last?.sequence ?? 0)
        try database.perform { commit in
            IdleTable.wake(loop: numbered.number, &commit)
            IdleTable.activate(numbered.number, &commit)
        }
        update(loop, numbered)
    }

    /// Makes a loop idle, in the current transaction.
    mutating func park(_ idle: IdleLoop, _ database: Database) throws {
        let numbered = try find(idle.loop, database)
        idle.requirePlace(numbered?.last)
        guard let numbered else { return }
        if !numbered.isIdle { totals.add(sequence: idle.sequence) }
        try database.perform { IdleTable.park(idle, loop: numbered.number, &$0) }
        forget(idle.loop)
    }

    /// Stores the totals if they have changed, in the current transaction.
    mutating func saveTotals(_ database: Database) throws {
        guard totals != savedTotals else { return }
        try database.perform { IdleTable.save(totals, &$0) }
        savedTotals = totals
    }
}
