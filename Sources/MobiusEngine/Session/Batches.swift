/// What a record of a message takes beside its payload, roughly: its name, its numbers, lengths.
let recordOverhead = 64

extension Array {
    /// Takes all elements out, and makes room for those that follow, which will hardly be twice as many.
    mutating func takeAll() -> [Element] {
        var taken: [Element] = []
        guard !isEmpty else { return taken }  // the room there is stays
        taken.reserveCapacity(2 * count)
        swap(&taken, &self)
        return taken
    }

    /// Cuts records into runs for one message each: as many as fit into `limit` bytes, at least one.
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
