/// Which pages are crawled when not all may be: level by level, so that the choice does not depend on who answers first.
struct Frontier: Sendable, Equatable, PackedCodable {
    /// How many links away from the start the pages are that are crawled now.
    var level = 0
    /// Pages of the current level that were not chosen yet, in reverse alphabetical order.
    var remaining: [Int32] = []
    /// Pages found one link further.
    var candidates: [Int32] = []
    /// Addresses asked for as pages, or to be, that have not answered yet: a level ends when there are none.
    ///
    /// Pages that are not crawled count too, because they may redirect to some that are.
    var openPages = 0

    init() {}

    init(from reader: inout PackedReader) throws(PackedReader.Damaged) {
        level = try reader.number()
        openPages = try reader.number()
        remaining = try reader.array { reader throws(PackedReader.Damaged) in try reader.number() }
        candidates = try reader.array { reader throws(PackedReader.Damaged) in try reader.number() }
    }

    func pack(into writer: inout PackedWriter) {
        writer.put(level)
        writer.put(openPages)
        writer.put(remaining) { $1.put($0) }
        writer.put(candidates) { $1.put($0) }
    }
}
