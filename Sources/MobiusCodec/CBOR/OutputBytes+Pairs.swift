// Maps whose equal values are equal bytes (RFC 8949, section 4.2.1).
extension OutputBytes {
    /// Brings pairs that begin at `starts` and reach to the end into the bytewise order of their keys; answers with their number.
    ///
    /// Of pairs with equal keys the last one stays, as in a dictionary that is assigned to.
    mutating func sortPairs(at starts: ArraySlice<Int>) -> Int {
        let ranges = zip(starts, starts.dropFirst() + [count]).map { $0..<$1 }
        let keys = starts.map { UnsafeBufferPointer(rebasing: content[$0..<endOfKey(from: $0)]) }
        let indices = keys.indices
        if zip(indices, indices.dropFirst()).allSatisfy({ keys[$0].lexicographicallyPrecedes(keys[$1]) }) {
            return keys.count
        }
        // The sort is stable.
        let sorted = indices.sorted { keys[$0].lexicographicallyPrecedes(keys[$1]) }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count - starts[starts.startIndex])
        var pairs = 0
        for (place, index) in sorted.enumerated() {
            if place + 1 < sorted.count, keys[index].elementsEqual(keys[sorted[place + 1]]) { continue }
            bytes.append(contentsOf: content[ranges[index]])
            pairs += 1
        }
        truncate(to: starts[starts.startIndex])
        bytes.withUnsafeBufferPointer { append($0) }
        return pairs
    }

    /// The end of a key, which is a text or an integer.
    private func endOfKey(from start: Int) -> Int {
        var at = start
        guard let head = CBORHead(base, &at, end: count) else { return count }
        return head.major == .text ? at + Int(head.argument) : at
    }
}
