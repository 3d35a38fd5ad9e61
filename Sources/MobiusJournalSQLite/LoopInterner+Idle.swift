import MobiusJournal
import MobiusWire

// Idle and active loops. Only active ones are cached, so that idle ones take no memory.
extension LoopInterner {
    /// The name of the loop with this number; `nil` when there is none.
    func name(of number: Int64, _ database: Database) throws -> LoopID? {
        try database.first(
            "SELECT id, name, first_sequence, first_part, checksum FROM loops WHERE id = ?", [number]
        ) { try current($0).loop }
    }

    /// The loops that must be recovered, in the order in which they were added; also loops without records.
    func active(_ database: Database) throws -> [(loop: LoopID, number: Int64)] {
        guard keepsIdle else { return try all(database) }
        return try IdleTable.active(database, path: path).map { number in
            guard let loop = try name(of: number, database) else {
                throw JournalError.damaged(path, "a loop that is to be recovered is missing")
            }
            return (loop, number)
        }
    }

    /// Makes a loop active, in the transaction that writes its next record.
    mutating func wake(_ loop: LoopID, _ numbered: inout NumberedLoop, _ database: Database) throws {
        guard !numbered.isActive else { return }
        numbered.isActive = true
        totals.remove(sequence: numbered.last?.sequence ?? 0)
        try IdleTable.activate(numbered.number, database)
        update(loop, numbered)
    }

    /// Makes a loop idle, in the current transaction.
    mutating func park(_ idle: IdleLoop, _ database: Database) throws {
        let numbered = try find(idle.loop, database)
        idle.requirePlace(numbered?.last)
        guard keepsIdle, let numbered else { return }
        if numbered.isActive { totals.add(sequence: idle.sequence) }
        try IdleTable.park(idle, loop: numbered.number, database)
        forget(idle.loop)
    }

    /// Stores the totals if they have changed, in the current transaction.
    mutating func saveTotals(epoch: UInt64, _ database: Database) throws {
        guard keepsIdle, totals != savedTotals else { return }
        try IdleTable.save(totals, epoch: epoch, database)
        savedTotals = totals
    }
}
