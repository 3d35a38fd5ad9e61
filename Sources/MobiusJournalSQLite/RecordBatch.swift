import MobiusJournal
import MobiusWire

/// The columns of a row of `runs` except its content: a batch of consecutive records of one loop, written by one
/// commit.
///
/// A commit's records of one loop are one row, because a row costs as much as a dozen small records: it is found, bound
/// and inserted, and its page goes to the log with each commit that touches it. The row's id is the loop's number and,
/// in the lower bits, the number of the batch within the loop, so a loop's batches are stored together and in order
/// without an index.
struct RecordBatch {
    /// The columns except the content, in the order that ``init(_:)`` expects.
    static let columns = "id, epoch, sequence, part, last_sequence, last_part, count, checksum"

    /// A batch is closed once its content has this many bytes.
    static let maximumBytes = 64 << 10

    /// The bits of an id below the loop's number.
    static let bits: Int64 = 40
    /// The maximum number of loops.
    static let maximumLoop = Int64.max >> bits - 1

    /// The loop's number and the number of the batch within the loop.
    var id: Int64
    /// The epoch that wrote it.
    var epoch: Int64
    /// The place of the first record.
    var first: RecordPlace
    /// The place of the last record.
    var last: RecordPlace
    /// The number of records.
    var count = 1

    /// The ids that batches of a loop may have.
    static func ids(of loop: Int64) -> ClosedRange<Int64> { loop << bits...(loop + 1) << bits - 1 }

    /// The number of its records that are events; sequence numbers within a batch have no gaps.
    var events: UInt64 { last.sequence - first.sequence + (first.part == 0 ? 1 : 0) }

    /// Whether a record at `place` can continue the batch; a batch contains no gap.
    func isContinued(at place: RecordPlace) -> Bool {
        place.follows(last) && (place.sequence == last.sequence || place.sequence == last.sequence + 1)
    }

    /// The checksum over all columns.
    func checksum(_ content: UnsafeRawBufferPointer) -> Int64 {
        var sum = RowChecksum()
        sum.add(id)
        sum.add(epoch)
        sum.add(first.sequence)
        sum.add(last.sequence)
        sum.add(UInt64(first.part) << 32 ^ UInt64(last.part))
        sum.add(Int64(count))
        sum.add(content)
        return sum.value
    }
}

extension RecordBatch {
    /// Reads the first columns of the current row; `nil` when they cannot belong to a batch.
    init?(_ statement: RawStatement) {
        guard let sequence = UInt64(exactly: statement.number(2)), let part = UInt32(exactly: statement.number(3)),
            let lastSequence = UInt64(exactly: statement.number(4)), let lastPart = UInt32(exactly: statement.number(5))
        else { return nil }
        id = statement.number(0)
        epoch = statement.number(1)
        first = RecordPlace(sequence: sequence, part: part)
        last = RecordPlace(sequence: lastSequence, part: lastPart)
        count = Int(statement.number(6))
        guard first <= last, count > 0 else { return nil }
    }

    /// Whether the current row, whose ninth column is the content, matches its checksum.
    func matchesChecksum(_ statement: RawStatement) -> Bool {
        checksum(statement.bytes(8)) == statement.number(7)
    }
}
