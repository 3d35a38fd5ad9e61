import Foundation
package import MobiusCodec
package import MobiusDriver
package import MobiusEngine
package import MobiusJournal
import MobiusRuntime
import MobiusTransport
package import MobiusWire

/// Writes the journal on a dedicated thread, so that no fsync blocks the sockets.
package final class JournalThread: JournalWriter, Sendable {
    private let store: any JournalStore
    private let deliver: @Sendable (WriterReport) -> Void
    private let metrics: CommitMetrics?
    private let newest: NewestCommit?
    // The jobs are accessed only with the condition's lock held.
    private let condition = NSCondition()
    nonisolated(unsafe) private var jobs: [JournalQueue.Job] = []

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

    /// Queues records, whose payloads have this many bytes in total, and the facts that change with them.
    @discardableResult
    package func append(_ ticket: Ticket, _ records: [JournalRecord], facts: [FactChange], bytes: Int) -> Bool {
        enqueue(.append(ticket, records, facts: facts, bytes: bytes))
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

    /// Calls `body` on the journal thread, perhaps before earlier appends are written.
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

    private func enqueue(_ job: JournalQueue.Job) {
        condition.lock()
        jobs.append(job)
        condition.unlock()
        // After unlocking, otherwise the woken thread waits for the lock: on one processor two more context switches.
        condition.signal()
    }

    private func work() {
        var queue = JournalQueue()
        var taken: [JournalQueue.Job] = []
        while true {
            var step: JournalQueue.Step?
            repeat {
                condition.lock()
                // What came meanwhile joins what waits.
                step = jobs.isEmpty ? queue.next() : nil
                while step == nil, jobs.isEmpty { condition.wait() }
                swap(&jobs, &taken)
                condition.unlock()
                for job in taken { queue.add(job) }
                taken.removeAll(keepingCapacity: true)
            } while step == nil
            guard let step else { continue }
            if case .close = step {
                store.close()
                deliver(.closed)
                return
            }
            do throws(JournalError) {
                try perform(step)
            } catch {
                queue.fail()
                deliver(.failed(error))
            }
        }
    }

    private func perform(_ step: JournalQueue.Step) throws(JournalError) {
        switch step {
        case .commit(let commit): try write(commit)
        case .save(let loop, let make): try keep(loop, make)
        case .park(let loops): try keep(loops)
        case .read(let body): body(store)
        case .perform(let bodies):
            newest?.forget()
            for body in bodies { try body(store) }
        case .close: break
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

    private func write(_ commit: JournalQueue.Commit) throws(JournalError) {
        if !commit.records.isEmpty {
            Failpoint.beforeCommit.pass()
            let start = metrics == nil ? nil : Moment.current
            try store.commit(group: commit.records, facts: commit.facts)
            if let metrics, let start {
                metrics.committed(commit.count, in: Moment.current.nanoseconds - start.nanoseconds)
            }
            if let newest, let last = commit.records.last { newest.note(last, epoch: store.epoch) }
            Failpoint.afterCommit.pass()
        }
        deliver(.committed(commit.tickets))
    }
}
