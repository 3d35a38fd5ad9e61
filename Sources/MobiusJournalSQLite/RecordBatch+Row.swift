import MobiusJournal

// A batch as a row of SQLite.
extension RecordBatch {
    /// The columns except the content, in the order that ``init(_:)`` expects.
    static let columns = "id, epoch, sequence, part, last_sequence, last_part, count, checksum"

    /// Reads the first columns of the current row; `nil` when they cannot belong to a batch.
    init?(_ statement: Statement) {
        self.init(
            id: statement.number(0), epoch: statement.number(1), sequence: statement.number(2),
            part: statement.number(3), lastSequence: statement.number(4), lastPart: statement.number(5),
            count: statement.number(6))
    }

    /// Whether the current row, whose ninth column is the content, matches its checksum.
    func matchesChecksum(_ statement: Statement) -> Bool {
        checksum(statement.bytes(8)) == statement.number(7)
    }
}
