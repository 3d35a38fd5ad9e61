import MobiusJournal
import MobiusWire

/// The numbers of a record's row in the formats 1 and 2; those that did not apply were 0.
struct Format2Row {
    /// What they are called, then the others.
    static let columns = """
        loop, sequence, part, source, effect_sequence, effect_index, epoch, attempt, number, ends, kind, time, \
        key, event, effects, checksum
        """

    var loop: Int64
    var sequence: Int64
    var part: Int64
    /// Which sort of record it is.
    var source: Int64
    var effectSequence: Int64
    var effectIndex: Int64
    /// An attempt's epoch, or when a timer was due.
    var epoch: Int64
    /// An attempt's number, or the round that a dead letter ended.
    var attempt: Int64
    /// A report's number, a failure's or revival's round, or how many attempts failed.
    var number: Int64
    var ends: Int64
    var kind: Int64
    /// When it was applied, died or was revived.
    var time: Int64

    /// Reads the first columns of the current row.
    init(from statement: RawStatement) {
        loop = statement.number(0)
        sequence = statement.number(1)
        part = statement.number(2)
        source = statement.number(3)
        effectSequence = statement.number(4)
        effectIndex = statement.number(5)
        epoch = statement.number(6)
        attempt = statement.number(7)
        number = statement.number(8)
        ends = statement.number(9)
        kind = statement.number(10)
        time = statement.number(11)
    }

    /// Whether the current row, of which these are the numbers, is what was written.
    func matchesChecksum(_ statement: RawStatement) -> Bool {
        let sum = checksum(key: statement.bytes(12), event: statement.bytes(13), effects: statement.bytes(14))
        return sum == statement.number(15)
    }

    /// The row's sum, over these numbers and the bytes beside them.
    func checksum(
        key: UnsafeRawBufferPointer, event: UnsafeRawBufferPointer, effects: UnsafeRawBufferPointer
    ) -> Int64 {
        var sum = RowChecksum()
        sum.add(loop)
        sum.add(sequence)
        // Small numbers share a step; a flipped bit in any of them still changes it.
        sum.add(part << 32 ^ source << 8 ^ ends)
        sum.add(effectSequence)
        sum.add(effectIndex << 32 ^ number)
        sum.add(epoch)
        sum.add(attempt << 32 ^ kind)
        sum.add(key)
        sum.add(event)
        sum.add(effects)
        // Rows of format 1 have no time, and their sums stay right.
        if time != 0 { sum.add(time) }
        return sum.value
    }
}
