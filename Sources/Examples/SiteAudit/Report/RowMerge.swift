/// A source of sorted rows.
package protocol RowSource {
    /// The error of reading.
    associatedtype Failure: Error

    /// The next row; `nil` at the end.
    mutating func next() throws(Failure) -> ReportRow?
}

/// Merges sorted sources into one sorted source without duplicates (Knuth, The Art of Computer Programming, 5.4.1).
///
/// It holds one row of each source, and a row costs some comparisons for each doubling of their number.
package struct RowMerge<Source: RowSource>: RowSource {
    private var sources: [Source]
    /// A heap: no row precedes its parent.
    private var heads: [(row: ReportRow, source: Int)] = []
    private var last: ReportRow?

    /// Reads the first row of each source.
    package init(_ sources: [Source]) throws(Source.Failure) {
        self.sources = sources
        for source in sources.indices {
            if let row = try self.sources[source].next() { heads.append((row, source)) }
        }
        // A sorted array is a heap.
        heads.sort { $0.row < $1.row }
    }

    /// The next row of all.
    package mutating func next() throws(Source.Failure) -> ReportRow? {
        while let (row, source) = heads.first {
            if let successor = try sources[source].next() {
                heads[0].row = successor
            } else {
                heads[0] = heads[heads.count - 1]
                heads.removeLast()
            }
            sink()
            if row == last { continue }
            last = row
            return row
        }
        return nil
    }

    /// Restores the heap after its first element has changed.
    private mutating func sink() {
        var place = 0
        while true {
            var least = place
            for child in [2 * place + 1, 2 * place + 2] where child < heads.count {
                if heads[child].row < heads[least].row { least = child }
            }
            if least == place { return }
            heads.swapAt(place, least)
            place = least
        }
    }
}
