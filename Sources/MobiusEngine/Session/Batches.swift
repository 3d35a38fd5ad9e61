/// The approximate size of a message's record besides its payload: its id, numbers, lengths.
let recordOverhead = 64

extension Array {
    /// Takes all elements out, and reserves room for later ones, which are rarely twice as many.
    mutating func takeAll() -> [Element] {
        var taken: [Element] = []
        guard !isEmpty else { return taken }  // the reserved room stays
        taken.reserveCapacity(2 * count)
        swap(&taken, &self)
        return taken
    }

    /// Hands out records in batches for one message each: as many as fit into `limit` bytes, at least one.
    ///
    /// Usually all fit, and none is copied.
    consuming func inBatches(
        ofBytes limit: Int, size: (borrowing Element) -> Int, _ body: (consuming [Element]) -> Void
    ) {
        let ends = ends(ofBytes: limit, size: size)
        var start = 0
        for end in ends {
            body(Array(self[start..<end]))
            start = end
        }
        if start == 0 { if !isEmpty { body(self) } } else { body(Array(self[start...])) }
    }

    /// Returns the ends of the batches, without the last one.
    private func ends(ofBytes limit: Int, size: (borrowing Element) -> Int) -> [Int] {
        var ends: [Int] = []
        var bytes = 0
        let records = span
        for position in records.indices {
            let size = size(records[position]) + recordOverhead
            if bytes + size > limit, position > ends.last ?? 0 {
                ends.append(position)
                bytes = 0
            }
            bytes += size
        }
        return ends
    }
}
