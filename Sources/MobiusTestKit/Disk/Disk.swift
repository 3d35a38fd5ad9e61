package import MobiusJournal
package import MobiusWire

/// The faults of a simulated disk.
package struct DiskFaults: Sendable {
    /// The number of failing flushes per 10,000.
    package var failing = 0
    /// The number of slow flushes per 10,000; each takes 0.3 to 3 s.
    package var slow = 0
    /// The maximum duration of the other flushes, in microseconds.
    package var usualMicroseconds = 4000

    package init(failing: Int = 0, slow: Int = 0, usualMicroseconds: Int = 4000) {
        self.failing = failing
        self.slow = slow
        self.usualMicroseconds = usualMicroseconds
    }
}

/// The journal, which survives every process, and the epoch of its only writer.
///
/// Each opening has a number, the epoch. A writer with an older number is refused, as a second process on the same file is.
package final class Disk {
    package var faults: DiskFaults
    /// Whether the disk is full.
    package var isFull = false
    /// The epoch of the newest opening.
    package private(set) var epoch: UInt64 = 0
    /// The number of writes.
    package private(set) var writes = 0
    /// The journal of the newest opening; empty before the first one.
    package private(set) var content: any JournalStore = InMemoryStore()
    /// The traces that traps of the program left in the breadcrumbs beside the journal.
    package var traces: [BreadcrumbSlot.Trace] = []
    private let medium: any JournalMedium
    /// The first epoch, and the distance of each to the next: epochs of several shards are different numbers.
    private let epochs: (first: UInt64, step: UInt64)
    private var lostEpochs: Set<UInt64> = []
    /// A commit that threw; only the next opening shows whether it is on disk.
    private var interrupted: (records: [JournalRecord], writer: UInt64)?
    /// Called with the records of each commit, in their order, before the commit is reported to its writer.
    private let onDurable: ([JournalRecord], _ writer: UInt64) -> Void

    package init(
        _ medium: any JournalMedium, faults: DiskFaults, epochs: (first: UInt64, step: UInt64) = (1, 1),
        onDurable: @escaping ([JournalRecord], _ writer: UInt64) -> Void
    ) {
        self.medium = medium
        self.faults = faults
        self.epochs = epochs
        self.onDurable = onDurable
    }

    package var identity: JournalID { content.identity }

    /// Opens the journal for a new process; earlier openings can no longer write.
    ///
    /// - Parameter floor: The new epoch is greater than this one.
    package func open(above floor: UInt64 = 0) throws -> UInt64 {
        content = try medium.open()
        if let (records, writer) = interrupted, try hasArrived(records) { onDurable(records, writer) }
        interrupted = nil
        epoch = epoch == 0 ? epochs.first : epoch + epochs.step
        if epoch <= floor { epoch += (floor - epoch) / epochs.step * epochs.step + epochs.step }
        // That a taking comes in the very millisecond of one that was lost is not drawn.
        while lostEpochs.contains(epoch) { epoch += epochs.step }
        return epoch
    }

    /// Loses the newest openings, as a replica that had not received them: the writer with this epoch is the newest one again.
    package func loseOpenings(after epoch: UInt64) {
        lostEpochs.insert(self.epoch)
        self.epoch = epoch
    }

    /// Makes writes fail until the next opening; `false` if this disk's medium cannot.
    func failWrites() -> Bool { medium.failWrites() }

    /// Writes records and facts, all or none.
    package func commit(
        _ records: [JournalRecord], facts: [FactChange] = [], by writer: UInt64
    ) throws(JournalError) {
        guard writer == epoch else { throw Self.replaced }
        guard !records.isEmpty else { return }
        writes += 1
        do {
            try content.commit(group: [records], facts: facts)
        } catch {
            interrupted = (records, writer)
            throw error
        }
        onDurable(records, writer)
    }

    /// Whether a commit that threw is on disk: then its last record is the last one of its loop.
    private func hasArrived(_ records: [JournalRecord]) throws -> Bool {
        guard let last = records.last else { return false }
        var found: JournalRecord?
        let loop =
            switch last {
            case .event(let event): event.loop
            case .note(let effect, _): effect.loop
            }
        if try content.loops().contains(loop) { try content.readTail(of: loop) { found = $0 } }
        return found == last
    }

    package func save(_ snapshot: Snapshot, by writer: UInt64) throws(JournalError) {
        guard writer == epoch else { throw Self.replaced }
        writes += 1
        try content.save(snapshot)
    }

    package func park(_ loops: [IdleLoop], _ snapshots: [Snapshot], by writer: UInt64) throws(JournalError) {
        guard writer == epoch else { throw Self.replaced }
        writes += 1
        try content.park(loops, snapshots)
    }

    /// Calls `body` with the store, in which it may write.
    func perform(
        _ body: (any JournalStore) throws(JournalError) -> Void, by writer: UInt64, writes isWrite: Bool = true
    ) throws(JournalError) {
        guard writer == epoch else { throw Self.replaced }
        if isWrite { writes += 1 }
        try body(content)
    }

    private static let replaced = JournalError(.fenced, "Another process has opened the journal.")
}
