package import MobiusEngine
import MobiusJournal
import MobiusWire

/// Counts the dead letters in the journal, which keeps a bounded number per loop and drops the oldest.
package struct LetterCounts {
    package private(set) var total = 0
    // Only loops with dead letters have an entry.
    private var counts: [LoopID: Int] = [:]
    private let limit: Int

    /// None, without a journal.
    package init() { limit = 0 }

    /// Reads the counts from the journal, which keeps at most `limit` dead letters per loop.
    init(of store: any JournalStore, limit: Int) throws(JournalError) {
        self.limit = limit
        for (loop, count) in try store.deadLetterCounts() { set(loop, to: count) }
    }

    /// A dead letter is about to be appended to the journal.
    mutating func added(in loop: LoopID) { set(loop, to: min(limit, counts[loop, default: 0] + 1)) }

    /// A dead letter was requeued or dropped.
    mutating func removed(from loop: LoopID) { set(loop, to: max(0, counts[loop, default: 0] - 1)) }

    /// The loop was removed from the journal.
    mutating func removed(_ loop: LoopID) { set(loop, to: 0) }

    /// The number of each kind's.
    package func counts(of kinds: LoopKinds) -> [Int] {
        var sums = Array(repeating: 0, count: kinds.all.count)
        guard !kinds.isEmpty else { return [] }
        for (loop, count) in counts {
            if let kind = kinds.index(of: loop) { sums[kind] += count }
        }
        return sums
    }

    private mutating func set(_ loop: LoopID, to count: Int) {
        total += count - counts[loop, default: 0]
        counts[loop] = count == 0 ? nil : count
    }
}
