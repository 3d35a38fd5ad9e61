import Foundation
package import MobiusCodec
package import MobiusDriver
package import MobiusEngine
package import MobiusJournal
import MobiusRuntime
package import MobiusWire
import ZeroMQ

/// Writes the journal on a thread of its own, so that no fsync ever holds up a socket.
///
/// Whatever queued up during the last flush becomes one commit: group commit, bounded by ``maximumRecords`` and
/// ``maximumBytes``.
package final class JournalThread: JournalWriter, Sendable {
    private enum Job: Sendable {
        case append(Ticket, [JournalRecord], bytes: Int)
        case save(LoopID, @Sendable () -> Result<Snapshot, CodingFailure>)
        case perform(@Sendable (any JournalStore) throws(JournalError) -> Void)
        case close
    }

    /// Many, for a slow disk takes hardly longer for them: it is the bytes that bound what a commit holds up.
    package static let maximumRecords = 4096
    static let maximumBytes = 1 << 20

    private let store: any JournalStore
    private let deliver: @Sendable (WriterReport, _ isLast: Bool) -> Void
    private let metrics: CommitMetrics?
    // Jobs are touched with the condition's lock held.
    private let condition = NSCondition()
    nonisolated(unsafe) private var jobs: [Job] = []

    /// Starts the thread; it ends after ``close()``.
    ///
    /// - Parameter deliver: Called on the thread, and told whether it has nothing else to do after that.
    package init(
        _ store: any JournalStore, metrics: CommitMetrics? = nil,
        deliver: @escaping @Sendable (WriterReport, _ isLast: Bool) -> Void
    ) {
        self.store = store
        self.metrics = metrics
        self.deliver = deliver
        DetachedThread.run(named: "journal") { [self] in work() }
    }

    /// Writes records with so many bytes of payload.
    @discardableResult
    package func append(_ ticket: Ticket, _ records: [JournalRecord], bytes: Int) -> Bool {
        enqueue(.append(ticket, records, bytes: bytes))
        return false
    }

    package var keepsSnapshots: Bool { true }

    /// Makes a snapshot of a loop on the thread, after all that was appended before, and keeps it.
    ///
    /// A model that cannot be coded is no fault of the journal's, which goes on without its snapshot.
    package func save(_ loop: LoopID, _ snapshot: @escaping @Sendable () -> Result<Snapshot, CodingFailure>) {
        enqueue(.save(loop, snapshot))
    }

    /// Uses the store on the thread, after all that was appended before; what it throws fails the journal.
    package func perform(_ body: @escaping @Sendable (any JournalStore) throws(JournalError) -> Void) {
        enqueue(.perform(body))
    }

    /// Ends the thread, when all before is done.
    @discardableResult
    package func close() -> Bool {
        enqueue(.close)
        return false
    }

    private func enqueue(_ job: Job) {
        condition.lock()
        jobs.append(job)
        condition.unlock()
        // After the lock, which the woken thread would only wait for: on one processor that is two switches more.
        condition.signal()
    }

    private var hasNothingToDo: Bool {
        condition.lock()
        defer { condition.unlock() }
        return jobs.isEmpty
    }

    private func work() {
        // Whoever steps in at the edge may apply events here, and one of them may use up the stack.
        let stack = AlternateStack()
        defer { stack?.release() }
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
                    try commit(&group)
                    if case .save(let loop, let snapshot) = job, !failed { try keep(loop, snapshot) }
                    if case .perform(let body) = job, !failed { try body(store) }
                    if case .close = job {
                        store.close()
                        deliver(.closed, false)
                        return
                    }
                }
                try commit(&group, isLast: true)
            } catch {
                // Never written again: what a failed write left behind is known to nobody but the next recovery.
                failed = true
                deliver(.failed(error), false)
                if taken.contains(where: { if case .close = $0 { true } else { false } }) {
                    store.close()
                    deliver(.closed, false)
                    return
                }
            }
        }
    }

    private func keep(
        _ loop: LoopID, _ make: @Sendable () -> Result<Snapshot, CodingFailure>
    ) throws(JournalError) {
        switch make() {
        case .failure(let error): deliver(.unsaved(loop, reason: "\(error)"), false)
        case .success(let snapshot):
            try store.save(snapshot)
            deliver(.saved(loop, bytes: snapshot.model.bytes.count), false)
        }
    }

    private func commit(_ group: inout CommitGroup, isLast: Bool = false) throws(JournalError) {
        guard !group.tickets.isEmpty else { return }
        if !group.records.isEmpty {
            Failpoint.beforeCommit.pass()
            let start = metrics == nil ? nil : Moment.current
            try store.commit(group: group.records)
            if let metrics, let start {
                metrics.committed(group.count, in: Moment.current.nanoseconds - start.nanoseconds)
            }
            Failpoint.afterCommit.pass()
        }
        deliver(.committed(group.tickets), isLast && hasNothingToDo)
        group = CommitGroup()
    }
}

/// What becomes one commit.
private struct CommitGroup {
    private(set) var tickets: [Ticket] = []
    /// As they came: to join them, each would be copied.
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
