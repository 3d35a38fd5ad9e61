import GRDB

/// Which opening of the journal was whose.
enum Epochs {
    /// One opening.
    struct Epoch {
        let number: UInt64
        let build: String
    }

    /// All of them, in order.
    static func all(_ database: Database) throws -> [Epoch] {
        let statement = try RawStatement(database, "SELECT epoch, build FROM epochs ORDER BY epoch")
        defer { statement.reset() }
        var epochs: [Epoch] = []
        while try statement.next() {
            epochs.append(Epoch(number: UInt64(bitPattern: statement.number(0)), build: statement.text(1) ?? ""))
        }
        return epochs
    }

    /// The builds by the numbers of their epochs.
    static func builds(_ database: Database) throws -> [Int64: String] {
        Dictionary(try all(database).map { (Int64(bitPattern: $0.number), $0.build) }) { first, _ in first }
    }
}
