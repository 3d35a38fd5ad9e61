import GRDB
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

    /// Adds columns that older journals of this format lack, and checksums for rows without one.
    static func prepare(_ database: Database) throws {
        if try !hasSums(database) {
            try database.execute(
                sql: """
                    ALTER TABLE epochs ADD COLUMN writes INTEGER NOT NULL DEFAULT 0;
                    ALTER TABLE epochs ADD COLUMN checksum INTEGER;
                    """)
        }
        let statement = try RawStatement(database, "SELECT epoch, build, writes FROM epochs WHERE checksum IS NULL")
        var bare: [Epoch] = []
        while try statement.next() { bare.append(epoch(statement)) }
        statement.reset()
        for epoch in bare { try update(epoch, database) }
    }

    /// All epochs, in order.
    static func all(_ database: Database, path: String) throws -> [Epoch] {
        let columns = try hasSums(database) ? "epoch, build, writes, checksum" : "epoch, build, 0, NULL"
        let statement = try RawStatement(database, "SELECT \(columns) FROM epochs ORDER BY epoch")
        defer { statement.reset() }
        var epochs: [Epoch] = []
        while try statement.next() {
            let found = epoch(statement)
            // Older versions wrote no checksum.
            guard statement.isNull(3) || checksum(found) == statement.number(3), statement.number(0) > 0 else {
                throw JournalError.damaged(path, "epoch \(statement.number(0)) is not what was written")
            }
            epochs.append(found)
        }
        return epochs
    }

    /// The builds by the numbers of their epochs.
    static func builds(_ database: Database, path: String) throws -> [Int64: String] {
        Dictionary(try all(database, path: path).map { (Int64(bitPattern: $0.number), $0.build) }) { first, _ in first }
    }

    /// Begins the next epoch, in the current transaction.
    static func begin(_ database: Database, build: String, path: String) throws -> UInt64 {
        let last = try all(database, path: path).last?.number ?? 0
        guard last < Int64.max else { throw JournalError.damaged(path, "its epoch numbers are used up") }
        let next = Epoch(number: last + 1, build: build, writes: 0)
        try database.execute(
            sql: "INSERT INTO epochs (epoch, build, writes, checksum) VALUES (?, ?, 0, ?)",
            arguments: [Int64(next.number), build, checksum(next)])
        return next.number
    }

    /// Stores how many commits without records an epoch has made, in the current transaction.
    static func update(_ epoch: Epoch, _ database: Database) throws {
        let statement = try RawStatement(database, "UPDATE epochs SET writes = ?, checksum = ? WHERE epoch = ?")
        defer { statement.reset() }
        statement.bind(Int64(bitPattern: epoch.writes), 1)
        statement.bind(checksum(epoch), 2)
        statement.bind(Int64(bitPattern: epoch.number), 3)
        try statement.run()
    }

    private static func hasSums(_ database: Database) throws -> Bool {
        try JournalConnection.number(
            database, "SELECT count(*) FROM pragma_table_info('epochs') WHERE name = 'checksum'") > 0
    }

    private static func epoch(_ statement: RawStatement) -> Epoch {
        Epoch(
            number: UInt64(bitPattern: statement.number(0)), build: statement.text(1) ?? "",
            writes: UInt64(bitPattern: statement.number(2)))
    }

    private static func checksum(_ epoch: Epoch) -> Int64 {
        var sum = RowChecksum()
        sum.add(epoch.number)
        sum.add(epoch.build)
        sum.add(epoch.writes)
        return sum.value
    }
}
