import MobiusCodec
import MobiusCore
import MobiusDriver
import MobiusEngine
import MobiusJournal
import MobiusWire

/// The journal writer of one simulated process: records that are queued during a flush become one commit.
///
/// While the process is stopped, a running flush continues, as in a kernel, but no new one begins.
final class SimulatedJournal<Program: LoopProgram>: JournalWriter {
    private enum Job {
        case append(Ticket, [JournalRecord])
        case save(LoopID, () -> Result<Snapshot, CodingFailure>)
        case park([Parking])
        case perform((any JournalStore) throws(JournalError) -> Void)
        case close
    }

    /// The job that is being flushed.
    private struct Flush {
        var tickets: [Ticket] = []
        var records: [JournalRecord] = []
        var snapshot: Snapshot?
        var parking: (loops: [IdleLoop], snapshots: [Snapshot], outcome: Parking.Outcome)?
        var bodies: [(any JournalStore) throws(JournalError) -> Void] = []
    }

    private unowned let world: World<Program>
    private let disk: Disk
    private let writer: UInt64
    /// The host whose connection the commits need; `nil` for a journal on a disk.
    private unowned let host: ClusterHost<Program>?
    /// Called with the reports, in the order of the jobs.
    var deliver: (WriterReport) -> Void = { _ in }
    /// Called after a body was called, which may have posted something.
    var performed: () -> Void = {}
    private var jobs: [Job] = []
    private var flush: Flush?
    /// Whether a flush has failed, after which nothing is written.
    private var hasFailed = false
    private var isAbandoned = false
    /// Whether a flush may begin.
    var isAwake = true { didSet { if isAwake { begin() } } }

    init(_ world: World<Program>, _ disk: Disk, writer: UInt64, host: ClusterHost<Program>? = nil) {
        self.world = world
        self.disk = disk
        self.writer = writer
        self.host = host
    }

    var keepsSnapshots: Bool { true }

    func append(_ ticket: Ticket, _ records: [JournalRecord], bytes: Int) -> Bool {
        enqueue(.append(ticket, records))
        return false
    }

    func save(_ loop: LoopID, _ snapshot: @escaping @Sendable () -> Result<Snapshot, CodingFailure>) {
        enqueue(.save(loop, snapshot))
    }

    func park(_ loops: [Parking]) {
        enqueue(.park(loops))
    }

    /// Reads at some time, also during a flush.
    func read(_ body: @escaping @Sendable (any JournalStore) -> Void) {
        guard !isAbandoned else { return }
        world.plan(after: world.chance.microseconds(0...3000)) { [weak self] _ in
            guard let self, !isAbandoned, !hasFailed else { return }
            guard isAwake else { return read(body) }
            try? disk.perform({ (store) throws(JournalError) in body(store) }, by: writer)
            performed()
        }
    }

    func perform(_ body: @escaping @Sendable (any JournalStore) throws(JournalError) -> Void) {
        enqueue(.perform(body))
    }

    func close() -> Bool {
        enqueue(.close)
        return false
    }

    private func enqueue(_ job: Job) {
        guard !isAbandoned else { return }
        jobs.append(job)
        begin()
    }

    /// Ends the writer with its process: a running flush reaches the disk in half of the cases, queued jobs never do.
    func abandon() {
        isAbandoned = true
        jobs = []
        guard let flush, !hasFailed, !disk.isFull, world.chance.percent(50) else { return }
        world.trace("disk", "a flush completes after its process ended")
        try? write(flush)
    }

    private func begin() {
        guard flush == nil, isAwake, !isAbandoned, !jobs.isEmpty, !hasFailed else { return }
        var next = Flush()
        switch jobs[0] {
        case .save(let loop, let make):
            jobs.removeFirst()
            switch make() {
            case .success(let snapshot): next.snapshot = snapshot
            case .failure(let error):
                deliver(.snapshotFailed(loop, reason: "\(error)"))
                return begin()
            }
        case .park(let loops):
            jobs.removeFirst()
            next.parking = Parking.encode(loops)
        case .perform:
            // Most look something up, which takes no flush: hundreds of them would hold up the next commit for seconds.
            while next.bodies.count < 256, case .perform(let body)? = jobs.first {
                next.bodies.append(body)
                jobs.removeFirst()
            }
        case .close:
            jobs.removeFirst()
            deliver(.closed)
            return
        case .append:
            while next.records.count < 256, case .append(let ticket, let records)? = jobs.first {
                next.tickets.append(ticket)
                next.records.append(contentsOf: records)
                jobs.removeFirst()
            }
        }
        flush = next
        world.plan(after: world.timeToFlush()) { [weak self] _ in self?.finish() }
    }

    /// The connection to the database is lost: the commit that is under way may be kept or not.
    func loseConnection() {
        guard !isAbandoned, !hasFailed else { return }
        hasFailed = true
        if let flush, world.chance.percent(50) { try? write(flush) }
        flush = nil
        world.log("disk", "process \(writer) lost its connection")
        world.cluster?.counts.failedCommits += 1
        deliver(.failed(JournalError(.outcomeUnknown, "The connection was lost.")))
    }

    private func finish() {
        guard let done = flush, !isAbandoned else { return }
        if let host, !host.reachesDatabase { return host.whenReachable { [weak self] in self?.finish() } }
        flush = nil
        do throws(JournalError) {
            if disk.isFull { throw JournalError(.notWritable, "The disk is full.") }
            if world.chance.happens(disk.faults.failing), !disk.failWrites() {
                // It is unknown whether a failed flush reached the disk.
                if world.chance.percent(50) { try write(done) }
                world.cluster?.counts.failedCommits += 1
                throw JournalError(host == nil ? .notWritable : .outcomeUnknown, "The disk failed.")
            }
            try write(done)
            if !done.bodies.isEmpty { performed() }
            if !done.tickets.isEmpty { deliver(.committed(done.tickets)) }
            if let parking = done.parking { deliver(.parked(parking.outcome)) }
            if let snapshot = done.snapshot {
                deliver(.saved(snapshot.loop, bytes: snapshot.model.bytes.count))
            }
        } catch {
            hasFailed = true
            world.log("disk", "flush of process \(writer) failed: \(error.code)")
            deliver(.failed(error))
        }
        begin()
    }

    /// Ended loops of which the journal has nothing any more are new names.
    private func noteRemovals() {
        guard world.scenario.keepEnded != nil else { return }
        for loop in world.history.ended where (try? disk.content.contains(loop)) == false {
            world.trace("disk", "removed \(loop)")
            world.removed(loop)
        }
    }

    private func write(_ flush: Flush) throws(JournalError) {
        if !flush.bodies.isEmpty {
            for body in flush.bodies { try disk.perform(body, by: writer) }
            noteRemovals()
        } else if let parking = flush.parking {
            try disk.park(parking.loops, parking.snapshots, by: writer)
            world.trace("disk", "idle: \(parking.loops.map(\.loop))")
        } else if let snapshot = flush.snapshot {
            try disk.save(snapshot, by: writer)
            world.trace("disk", "snapshot of \(snapshot.loop) at \(snapshot.sequence)")
        } else {
            world.trace("disk", "flushed \(flush.records.count) records of process \(writer)")
            do throws(JournalError) {
                try disk.commit(flush.records, by: writer)
            } catch {
                if error.code == .conflict {
                    world.violated(.appliedOnce, "the journal received a second event from the same source")
                }
                throw error
            }
        }
    }
}
