import GRDB

/// Which opening of the journal wrote which records.
enum Epochs {
    /// One opening.
    struct Epoch {
        let number: UInt64
        let build: String
        /// The position of its first record, if it wrote any.
        let first: Int64
        /// The first position of the next epoch, if there is one.
        let next: Int64?
    }

    /// All of them, in order.
    static func all(_ database: Database) throws -> [Epoch] {
        let statement = try RawStatement(
            database,
            """
            SELECT epoch, build, first_position, lead(first_position) OVER (ORDER BY epoch) FROM epochs ORDER BY epoch
            """)
        defer { statement.reset() }
        var epochs: [Epoch] = []
        while try statement.next() { epochs.append(current(statement)) }
        return epochs
    }

    /// The one that wrote the record at `position`.
    static func epoch(at position: Int64, _ database: Database) throws -> Epoch {
        let statement = try RawStatement(
            database,
            """
            SELECT epoch, build, first_position, (SELECT min(first_position) FROM epochs WHERE first_position > ?1)
            FROM epochs WHERE first_position <= ?1 ORDER BY epoch DESC LIMIT 1
            """)
        defer { statement.reset() }
        statement.bind(position, 1)
        guard try statement.next() else { return Epoch(number: 0, build: "", first: 0, next: nil) }
        return current(statement)
    }

    private static func current(_ statement: RawStatement) -> Epoch {
        Epoch(
            number: UInt64(bitPattern: statement.number(0)), build: statement.text(1) ?? "", first: statement.number(2),
            next: statement.isNull(3) ? nil : statement.number(3))
    }
}
