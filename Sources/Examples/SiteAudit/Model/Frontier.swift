/// Chooses the pages to crawl under a limit: level by level, so that the choice does not depend on the order of
/// answers.
struct Frontier: Sendable, Equatable, PackedCodable {
    /// The depth of the current level, in links from the start.
    var level = 0
    /// Pages of the current level that were not chosen yet, in reverse alphabetical order.
    var remaining: [Int32] = []
    /// Pages found one link further.
    var candidates: [Int32] = []
    /// Addresses requested, or to be requested, as pages that have not answered yet: a level ends when there are none.
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
