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

    /// Splits records into batches for one message each: as many as fit into `limit` bytes, at least one.
    func batches(ofBytes limit: Int, size: (Element) -> Int) -> [[Element]] {
        var batches: [[Element]] = []
        var start = 0
        var bytes = 0
        for position in indices {
            let size = size(self[position]) + recordOverhead
            if bytes + size > limit, position > start {
                batches.append(Array(self[start..<position]))
                start = position
                bytes = 0
            }
            bytes += size
        }
        if start == 0 { return isEmpty ? [] : [self] }
        batches.append(Array(self[start...]))
        return batches
    }
}
