package import MobiusJournal
package import MobiusWire

/// How the disk behaves.
package struct DiskFaults: Sendable {
    /// How many of ten thousand flushes fail.
    package var failing = 0
    /// How many of ten thousand flushes take very long.
    package var slow = 0
    /// How long the others take, at most, in microseconds.
    package var usualMicroseconds = 4000

    package init(failing: Int = 0, slow: Int = 0, usualMicroseconds: Int = 4000) {
        self.failing = failing
        self.slow = slow
        self.usualMicroseconds = usualMicroseconds
    }
}

/// What outlives every process: the journal's content, and who may write it.
///
/// The content is the production store for tests, which passes the same suite as those on disk. Each opening has a
/// number, the epoch; a writer whose number is not the newest is refused, as a second process on one file is.
package final class Disk {
    package let identity = JournalID(high: 7, low: 11)
    package var faults: DiskFaults
    /// Whether nothing more fits on it.
    package var isFull = false
    /// The number of the newest opening.
    package private(set) var epoch: UInt64 = 0
    package private(set) var content = InMemoryStore()
    /// Told of all that is on disk, in its order, before anybody else.
    private let onDurable: ([JournalRecord], _ writer: UInt64) -> Void

    package init(faults: DiskFaults, onDurable: @escaping ([JournalRecord], _ writer: UInt64) -> Void) {
        self.faults = faults
        self.onDurable = onDurable
    }

    /// A new process opens the journal; whoever had it open before cannot write any more.
    package func open() -> UInt64 {
        epoch += 1
        content = content.reopened()
        return epoch
    }

    /// Records reach the disk, all of them.
    package func commit(_ records: [JournalRecord], by writer: UInt64) throws(JournalError) {
        guard writer == epoch else { throw Self.replaced }
        guard !records.isEmpty else { return }
        try content.commit(records)
        onDurable(records, writer)
    }

    package func save(_ snapshot: Snapshot, by writer: UInt64) throws(JournalError) {
        guard writer == epoch else { throw Self.replaced }
        try content.save(snapshot)
    }

    /// Uses the content, as its writer.
    func perform(
        _ body: (any JournalStore) throws(JournalError) -> Void, by writer: UInt64
    ) throws(JournalError) {
        guard writer == epoch else { throw Self.replaced }
        try body(content)
    }

    private static let replaced = JournalError(.held, "Another process has opened the journal.")
}
