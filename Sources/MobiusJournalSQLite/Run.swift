import MobiusJournal
import MobiusWire

/// What a row of `runs` says about its content: consecutive records of one loop, written by one commit.
///
/// A commit's records of a loop are one row, because a row costs as much as a dozen small records: it is found, bound and
/// inserted, and its page goes to the log with each commit that touches it. The row's id is the loop's number and, below it,
/// the row's own among those of its loop, so that a loop's rows stand together in order, without an index.
struct Run {
    /// What the others but the content are called, in the order of ``init(_:)``.
    static let columns = "id, epoch, sequence, part, last_sequence, last_part, count, checksum"

    /// How many bytes of content a row has at most, but for a last record that is larger.
    static let maximumBytes = 64 << 10

    /// The bits of an id below the loop's number.
    static let bits: Int64 = 40
    /// How many loops there can be.
    static let maximumLoop = Int64.max >> bits - 1

    /// The loop's number and the row's.
    var id: Int64
    /// The epoch that wrote it.
    var epoch: Int64
    /// Where its first record stands.
    var first: RecordPlace
    /// Where its last one does.
    var last: RecordPlace
    /// How many there are.
    var count = 1

    /// The ids that rows of a loop may have.
    static func ids(of loop: Int64) -> ClosedRange<Int64> { loop << bits...(loop + 1) << bits - 1 }

    /// How many of its records are events: their numbers have no gaps.
    var events: UInt64 { last.sequence - first.sequence + (first.part == 0 ? 1 : 0) }

    /// Whether `place` may stand behind the last record of the same row, which has no room for a gap.
    func isContinued(at place: RecordPlace) -> Bool {
        place.follows(last) && (place.sequence == last.sequence || place.sequence == last.sequence + 1)
    }

    /// The row's sum, over all that it holds.
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

extension Run {
    /// Reads the first columns of the current row, and believes them as little as any: `nil` when they cannot be.
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

    /// Whether the current row, whose ninth column is the content, is what was written.
    func matchesChecksum(_ statement: RawStatement) -> Bool {
        checksum(statement.bytes(8)) == statement.number(7)
    }
}
