import MobiusJournal

/// The epochs of a journal, one for each time that it was opened.
enum Epochs {
    /// One opening of the journal.
    struct Epoch {
        let number: UInt64
        let build: String
        /// The number of its commits without records.
        let writes: UInt64
    }

    /// All epochs, in order.
    static func all(_ database: Database) throws -> [Epoch] {
        try database.rows("SELECT epoch, build, writes, checksum FROM epochs ORDER BY epoch") { row in
            let found = Epoch(
                number: UInt64(bitPattern: row.number(0)), build: row.text(1) ?? "",
                writes: UInt64(bitPattern: row.number(2)))
            guard checksum(found) == row.number(3), row.number(0) > 0 else {
                throw JournalError.damaged(database.shown, "epoch \(row.number(0)) is not what was written")
            }
            return found
        }
    }

    /// Begins the next epoch, in the current transaction.
    static func begin(_ database: Database, build: String) throws -> UInt64 {
        let last = try all(database).last?.number ?? 0
        guard last < Int64.max else { throw JournalError.damaged(database.shown, "its epoch numbers are used up") }
        let next = Epoch(number: last + 1, build: build, writes: 0)
        try insert(next, database)
        return next.number
    }

    /// Stores an epoch, in the current transaction.
    static func insert(_ epoch: Epoch, _ database: Database) throws {
        try database.run(
            "INSERT INTO epochs (epoch, build, writes, checksum) VALUES (?, ?, ?, ?)",
            [epoch.number, epoch.build, epoch.writes, checksum(epoch)])
    }

    /// Stores how many commits without records an epoch has made, in the current transaction.
    static func update(_ epoch: Epoch, _ database: Database) throws {
        try database.run(
            "UPDATE epochs SET writes = ?, checksum = ? WHERE epoch = ?", [epoch.writes, checksum(epoch), epoch.number])
    }

    private static func checksum(_ epoch: Epoch) -> Int64 {
        var sum = RowChecksum()
        sum.add(epoch.number)
        sum.add(epoch.build)
        sum.add(epoch.writes)
        return sum.value
    }
}
