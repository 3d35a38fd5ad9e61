import Foundation
package import MobiusCodec
package import MobiusDriver
package import MobiusEngine
package import MobiusJournal
import MobiusRuntime
package import MobiusWire
import ZeroMQ

/// Writes the journal on a dedicated thread, so that no fsync blocks the sockets.
///
/// Group commit: records queued during one commit form the next, up to ``maximumRecords`` and ``maximumBytes``.
package final class JournalThread: JournalWriter, Sendable {
    private enum Job: Sendable {
        case append(Ticket, [JournalRecord], bytes: Int)
        case save(LoopID, @Sendable () -> Result<Snapshot, CodingFailure>)
        case park([Parking])
        case read(@Sendable (any JournalStore) -> Void)
        case perform(@Sendable (any JournalStore) throws(JournalError) -> Void)
        case close
    }

    /// The most records of one commit.
    ///
    /// It is large, because the number of records hardly affects the time of a commit; their bytes do.
    package static let maximumRecords = 4096
    /// The payload bytes at which a commit is full.
    static let maximumBytes = 1 << 20

    private let store: any JournalStore
    private let deliver: @Sendable (WriterReport) -> Void
    private let metrics: CommitMetrics?
    private let newest: NewestCommit?
    // The jobs are accessed only with the condition's lock held.
    private let condition = NSCondition()
    nonisolated(unsafe) private var jobs: [Job] = []

    /// Starts the thread; it ends after ``close()``.
    ///
    /// - Parameters:
    ///   - newest: Remembers the newest commit of a journal that may be opened again.
    ///   - deliver: Called on the journal thread.
    package init(
        _ store: any JournalStore, metrics: CommitMetrics? = nil, newest: NewestCommit? = nil,
        deliver: @escaping @Sendable (WriterReport) -> Void
    ) {
        self.newest = newest
        self.store = store
        self.metrics = metrics
        self.deliver = deliver
        DetachedThread.run(named: "journal") { [self] in work() }
    }

    /// Queues records, whose payloads have this many bytes in total.
    @discardableResult
    package func append(_ ticket: Ticket, _ records: [JournalRecord], bytes: Int) -> Bool {
        enqueue(.append(ticket, records, bytes: bytes))
        return false
    }

    package var keepsSnapshots: Bool { true }

    /// Makes and stores a snapshot of a loop on the journal thread, after all earlier appends.
    ///
    /// If the model cannot be encoded, the journal continues without the snapshot.
    package func save(_ loop: LoopID, _ snapshot: @escaping @Sendable () -> Result<Snapshot, CodingFailure>) {
        enqueue(.save(loop, snapshot))
    }

    /// Stores loops as idle, after all earlier appends.
    package func park(_ loops: [Parking]) {
        enqueue(.park(loops))
    }

    /// Calls `body` on the journal thread, without ending the group of records that is being collected.
    package func read(_ body: @escaping @Sendable (any JournalStore) -> Void) {
        enqueue(.read(body))
    }

    /// Calls `body` on the journal thread, after all earlier appends; an error that it throws fails the journal.
    package func perform(_ body: @escaping @Sendable (any JournalStore) throws(JournalError) -> Void) {
        enqueue(.perform(body))
    }

    /// Closes the store and ends the thread, after all earlier calls are done.
    @discardableResult
    package func close() -> Bool {
        enqueue(.close)
        return false
    }

    private func enqueue(_ job: Job) {
        condition.lock()
        jobs.append(job)
        condition.unlock()
        // After unlocking, otherwise the woken thread waits for the lock: on one processor two more context switches.
        condition.signal()
    }

    private func work() {
        var failed = false
        while true {
            condition.lock()
            while jobs.isEmpty { condition.wait() }
            let taken = jobs
            jobs.removeAll(keepingCapacity: true)
            condition.unlock()
            var group = CommitGroup()
            do throws(JournalError) {
                for job in taken {
                    if case .append(let ticket, let records, let bytes) = job {
                        if failed { continue }
                        group.add(ticket, records, bytes: bytes)
                        if group.isFull { try commit(&group) }
                        continue
                    }
                    if case .read(let body) = job {
                        if !failed { body(store) }
                        continue
                    }
                    try commit(&group)
                    if case .park(let loops) = job, !failed { try keep(loops) }
                    if case .save(let loop, let snapshot) = job, !failed { try keep(loop, snapshot) }
                    if case .perform(let body) = job, !failed {
                        newest?.forget()
                        try body(store)
                    }
                    if case .close = job {
                        store.close()
                        deliver(.closed)
                        return
                    }
                }
                try commit(&group)
            } catch {
                // No more writes: only the next recovery can determine what a failed write left on disk.
                failed = true
                deliver(.failed(error))
                if taken.contains(where: { if case .close = $0 { true } else { false } }) {
                    store.close()
                    deliver(.closed)
                    return
                }
            }
        }
    }

    private func keep(
        _ loop: LoopID, _ make: @Sendable () -> Result<Snapshot, CodingFailure>
    ) throws(JournalError) {
        switch make() {
        case .failure(let error): deliver(.snapshotFailed(loop, reason: "\(error)"))
        case .success(let snapshot):
            try store.save(snapshot)
            deliver(.saved(loop, bytes: snapshot.model.bytes.count))
        }
    }

    private func keep(_ parkings: [Parking]) throws(JournalError) {
        let (loops, snapshots, outcome) = Parking.encode(parkings)
        Failpoint.beforeParking.pass()
        try store.park(loops, snapshots)
        Failpoint.afterParking.pass()
        deliver(.parked(outcome))
    }

    private func commit(_ group: inout CommitGroup) throws(JournalError) {
        guard !group.tickets.isEmpty else { return }
        if !group.records.isEmpty {
            Failpoint.beforeCommit.pass()
            let start = metrics == nil ? nil : Moment.current
            try store.commit(group: group.records)
            if let metrics, let start {
                metrics.committed(group.count, in: Moment.current.nanoseconds - start.nanoseconds)
            }
            if let newest, let last = group.records.last { newest.note(last, epoch: store.epoch) }
            Failpoint.afterCommit.pass()
        }
        deliver(.committed(group.tickets))
        group = CommitGroup()
    }
}

/// The records of one commit.
private struct CommitGroup {
    private(set) var tickets: [Ticket] = []
    /// The appended arrays, not concatenated, because that would copy each record.
    private(set) var records: [[JournalRecord]] = []
    private(set) var count = 0
    private var bytes = 0

    var isFull: Bool { count >= JournalThread.maximumRecords || bytes >= JournalThread.maximumBytes }

    mutating func add(_ ticket: Ticket, _ added: [JournalRecord], bytes: Int) {
        tickets.append(ticket)
        if !added.isEmpty { records.append(added) }
        count += added.count
        self.bytes += bytes
    }
}
