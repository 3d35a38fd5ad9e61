/// The columns of a row of `runs` except its content: a batch of consecutive records of one loop, written by one
/// commit.
///
/// A commit's records of one loop are one row, because a row costs as much as a dozen small records: it is found, bound
/// and inserted, and its page goes to the log with each commit that touches it. The row's id is the loop's number and,
/// in the lower bits, the number of the batch within the loop, so a loop's batches are stored together and in order
/// without an index.
package struct RecordBatch: Equatable, Sendable {
    /// A batch is closed once its content has this many bytes.
    package static let maximumBytes = 64 << 10

    /// The bits of an id below the loop's number.
    package static let bits: Int64 = 40
    /// The maximum number of loops.
    package static let maximumLoop = Int64.max >> bits - 1

    /// The loop's number and the number of the batch within the loop.
    package var id: Int64
    /// The epoch that wrote it.
    package var epoch: Int64
    /// The place of the first record.
    package var first: RecordPlace
    /// The place of the last record.
    package var last: RecordPlace
    /// The number of records.
    package var count = 1

    /// A batch of one record.
    package init(id: Int64, epoch: Int64, first: RecordPlace) {
        self.id = id
        self.epoch = epoch
        self.first = first
        last = first
    }

    /// Checks what a row says; `nil` when it cannot belong to a batch.
    package init?(
        id: Int64, epoch: Int64, sequence: Int64, part: Int64, lastSequence: Int64, lastPart: Int64, count: Int64
    ) {
        guard let sequence = UInt64(exactly: sequence), let part = UInt32(exactly: part),
            let lastSequence = UInt64(exactly: lastSequence), let lastPart = UInt32(exactly: lastPart)
        else { return nil }
        self.id = id
        self.epoch = epoch
        first = RecordPlace(sequence: sequence, part: part)
        last = RecordPlace(sequence: lastSequence, part: lastPart)
        self.count = Int(count)
        guard first <= last, self.count > 0 else { return nil }
    }

    /// The ids that batches of a loop may have.
    package static func ids(of loop: Int64) -> ClosedRange<Int64> { loop << bits...(loop + 1) << bits - 1 }

    /// The number of its records that are events; sequence numbers within a batch have no gaps.
    package var events: UInt64 { last.sequence - first.sequence + (first.part == 0 ? 1 : 0) }

    /// Whether a record at `place` can continue the batch; a batch contains no gap.
    package func isContinued(at place: RecordPlace) -> Bool {
        place.follows(last) && (place.sequence == last.sequence || place.sequence == last.sequence + 1)
    }

    /// The checksum over all columns.
    package func checksum(_ content: UnsafeRawBufferPointer) -> Int64 {
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
