import MobiusCodec
import MobiusCore
import MobiusDriver
import MobiusEngine
import MobiusJournal
import MobiusWire

/// The journal writer of one simulated process, which performs the steps of the same queue as the real one.
///
/// While the process is stopped, a running flush continues, as in a kernel, but no new one begins.
final class SimulatedJournal<Program: LoopProgram>: JournalWriter {
    /// The step that is being flushed.
    private enum Flush {
        case commit(JournalQueue.Commit)
        case snapshot(Snapshot)
        case parking(loops: [IdleLoop], snapshots: [Snapshot], outcome: Parking.Outcome)
        case read(JournalQueue.Read)
        case bodies([JournalQueue.Work])

        /// Whether it may fail.
        var writes: Bool { if case .read = self { false } else { true } }
    }

    private unowned let world: World<Program>
    private let disk: Disk
    private let writer: UInt64
    /// The lease of its process, by whose connection it reaches the journal; `nil` for a journal on a disk.
    private let lease: (any CoordinatorLease<Program>)?
    /// Those of its process, as which it calls the program.
    private let breadcrumbs: (any Breadcrumbs)?
    /// Called with the reports, in the order of the jobs.
    var deliver: (WriterReport) -> Void = { _ in }
    /// Called after a body was called, which may have posted something.
    var performed: () -> Void = {}
    private var queue: JournalQueue
    private var flush: Flush?
    /// Whether a flush has failed, after which nothing is written.
    private var hasFailed = false
    private var isAbandoned = false
    /// Whether a flush may begin.
    var isAwake = true { didSet { if isAwake { begin() } } }

    init(
        _ world: World<Program>, _ disk: Disk, writer: UInt64, lease: (any CoordinatorLease<Program>)?,
        _ breadcrumbs: (any Breadcrumbs)?
    ) {
        self.breadcrumbs = breadcrumbs
        self.world = world
        self.disk = disk
        self.writer = writer
        self.lease = lease
        // Small groups in some worlds, so that many commits wait behind each other.
        let records = world.chance.percent(25) ? world.chance.number(1...16) : JournalQueue.maximumRecords
        queue = JournalQueue(maximumRecords: records)
    }

    var keepsSnapshots: Bool { true }

    func append(_ ticket: Ticket, _ records: [JournalRecord], facts: [FactChange], bytes: Int) -> Bool {
        enqueue(.append(ticket, records, facts: facts, bytes: bytes))
        return false
    }

    func save(_ loop: LoopID, _ snapshot: @escaping @Sendable () -> Result<Snapshot, CodingFailure>) {
        enqueue(.save(loop, snapshot))
    }

    func park(_ loops: [Parking]) {
        enqueue(.park(loops))
    }

    func read(_ body: @escaping @Sendable (any JournalStore) -> Void) {
        enqueue(.read(body))
    }

    func perform(_ body: @escaping @Sendable (any JournalStore) throws(JournalError) -> Void) {
        enqueue(.perform(body))
    }

    func close() -> Bool {
        enqueue(.close)
        return false
    }

    private func enqueue(_ job: JournalQueue.Job) {
        guard !isAbandoned else { return }
        queue.add(job)
        begin()
    }

    /// Ends the writer with its process: a running flush reaches the disk in half of the cases, queued jobs never do.
    func abandon() {
        isAbandoned = true
        guard let flush, !hasFailed, !disk.isFull, world.chance.percent(50) else { return }
        world.trace("disk", "a flush completes after its process ended")
        try? write(flush)
    }

    private func begin() {
        guard flush == nil, isAwake, !isAbandoned, let step = queue.next() else { return }
        var time = world.timeToFlush()
        switch step {
        case .commit(let commit): flush = .commit(commit)
        case .save(let loop, let make):
            switch world.callers.run(breadcrumbs, make) {
            case .success(let snapshot): flush = .snapshot(snapshot)
            case .failure(let error):
                deliver(.snapshotFailed(loop, reason: "\(error)"))
                return begin()
            }
        case .park(let loops):
            let (idle, snapshots, outcome) = world.callers.run(breadcrumbs) { Parking.encode(loops) }
            flush = .parking(loops: idle, snapshots: snapshots, outcome: outcome)
        case .read(let body):
            flush = .read(body)
            time = world.chance.microseconds(0...3000)
        case .perform(let bodies): flush = .bodies(bodies)
        case .close: return deliver(.closed)
        }
        world.plan(after: time) { [weak self] _ in self?.finish() }
    }

    /// The connection to the database is lost: the commit that is under way may be kept or not.
    func loseConnection() {
        guard !isAbandoned, !hasFailed else { return }
        fail()
        if let flush, world.chance.percent(50) { try? write(flush) }
        flush = nil
        world.log("disk", "process \(writer) lost its connection")
        lease?.commitFailed()
        deliver(.failed(JournalError(.outcomeUnknown, "The connection was lost.")))
    }

    private func finish() {
        guard let done = flush, !isAbandoned else { return }
        if let lease, !lease.reachesJournal { return lease.whenReachable { [weak self] in self?.finish() } }
        flush = nil
        do throws(JournalError) {
            if disk.isFull, done.writes { throw JournalError(.notWritable, "The disk is full.") }
            if done.writes, world.chance.happens(disk.faults.failing), !disk.failWrites() {
                // It is unknown whether a failed flush reached the disk.
                if world.chance.percent(50) { try write(done) }
                lease?.commitFailed()
                throw JournalError(lease == nil ? .notWritable : .outcomeUnknown, "The disk failed.")
            }
            try write(done)
            switch done {
            case .commit(let commit): deliver(.committed(commit.tickets))
            case .snapshot(let snapshot): deliver(.saved(snapshot.loop, bytes: snapshot.model.bytes.count))
            case .parking(_, _, let outcome): deliver(.parked(outcome))
            case .read, .bodies: performed()
            }
        } catch {
            fail()
            world.log("disk", "flush of process \(writer) failed: \(error.code)")
            deliver(.failed(error))
        }
        begin()
    }

    /// Ended loops of which the journal has nothing any more are new names.
    private func noteRemovals() {
        guard world.fleet.keepEnded != nil else { return }
        let ended = world.history.ended.sorted { $0.name < $1.name }
        for loop in ended where (try? disk.content.contains(loop)) == false {
            world.trace("disk", "removed \(loop)")
            world.removed(loop)
        }
    }

    private func fail() {
        hasFailed = true
        queue.fail()
    }

    private func write(_ flush: Flush) throws(JournalError) {
        switch flush {
        case .read(let body):
            world.callers.run(breadcrumbs) {
                try? disk.perform({ (store) throws(JournalError) in body(store) }, by: writer, writes: false)
            }
        case .bodies(let bodies):
            for body in bodies where !isAbandoned {
                try world.callers.run(breadcrumbs) { () throws(JournalError) in try disk.perform(body, by: writer) }
            }
            noteRemovals()
        case .parking(let loops, let snapshots, _):
            try disk.park(loops, snapshots, by: writer)
            world.trace("disk", "idle: \(loops.map(\.loop))")
        case .snapshot(let snapshot):
            try disk.save(snapshot, by: writer)
            world.trace("disk", "snapshot of \(snapshot.loop) at \(snapshot.sequence)")
        case .commit(let commit):
            world.trace("disk", "flushed \(commit.count) records of process \(writer)")
            do throws(JournalError) {
                try disk.commit(commit.records.flatMap(\.self), facts: commit.facts, by: writer)
            } catch {
                if error.code == .conflict {
                    world.violated(.appliedOnce, "the journal received a second event from the same source")
                }
                throw error
            }
        }
    }
}
