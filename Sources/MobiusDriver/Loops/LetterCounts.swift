import MobiusJournal
import MobiusWire

/// How many dead letters are in the journal, which keeps a bounded number of each loop and drops the oldest.
struct LetterCounts {
    /// How many there are in all.
    private(set) var total = 0
    // Of the loops that have some.
    private var counts: [LoopID: Int] = [:]
    private let limit: Int

    /// Asks the journal, which keeps at most `limit` of each loop.
    init(of store: any JournalStore, limit: Int) throws(JournalError) {
        self.limit = limit
        guard try store.deadLetterCount(of: nil) > 0 else { return }
        for loop in try store.loops() { set(loop, to: try store.deadLetterCount(of: loop)) }
    }

    /// One more is on its way to the journal.
    mutating func died(in loop: LoopID) { set(loop, to: min(limit, counts[loop, default: 0] + 1)) }

    /// One was revived or dropped.
    mutating func removed(from loop: LoopID) { set(loop, to: max(0, counts[loop, default: 0] - 1)) }

    private mutating func set(_ loop: LoopID, to count: Int) {
        total += count - counts[loop, default: 0]
        counts[loop] = count == 0 ? nil : count
    }
}
