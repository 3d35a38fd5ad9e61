import Logging
import MobiusCodec
package import MobiusCore
package import MobiusDriver
package import MobiusEngine
import MobiusJournal
import MobiusProgram
import MobiusRuntime
import MobiusWire

/// A coordinator process: the production driver and loops over a simulated network, disk and clock.
package final class CoordinatorProcess<Program: LoopProgram>: DrivenProcess {
    package unowned let world: World<Program>
    package let epoch: UInt64
    /// The shard whose loops it runs; 0 for a coordinator without a lease.
    package let shard: Int
    package let driver: CoordinatorDriver
    /// The lease by which it runs them; `nil` for a coordinator without one.
    package let lease: (any CoordinatorLease<Program>)?
    package let host: DurableHost<Program>
    private let ports: SimulatedCoordinatorIO<Program>
    package let preparer: LoopRecovery<Program>
    /// The breadcrumbs that outlive the process if its program traps; `nil` in a world in which no program does.
    package let breadcrumbs: (any Breadcrumbs)?
    private var willFlush = false
    private var lastReport = Moment(nanoseconds: 0)
    private var clock = (time: WallTime(milliseconds: 0), moment: Moment(nanoseconds: 0))
    /// The time at which the process was last stopped or continued, or began or ended a wait at its gate.
    private(set) var lastPause: Moment?
    /// Whether an orderly stop was requested.
    package private(set) var isEnding = false
    /// The number of messages that may wait to be read.
    private let inboxLimit: Int
    /// The most deadlines that it handles in one step.
    package let round: Int

    /// Recovers the loops from the journal.
    init(_ world: World<Program>, epoch: UInt64, lease: (any CoordinatorLease<Program>)? = nil) throws {
        self.world = world
        self.epoch = epoch
        self.lease = lease
        shard = lease.map { Int($0.shard) } ?? 0
        let disk = world.disks[shard]
        let shards = world.slices
        let shardSlices = shards.count > 1 ? ShardSlices(shards[shard]) { nil } : nil
        inboxLimit = world.chance.pick([10, 100, 1000])
        let name = "coordinator#\(epoch)"
        let calendar = HandedOver { [unowned world] in world.wall }
        let crumbs = world.director?.breadcrumbs(on: disk, epoch: epoch)
        let build = crumbs?.build ?? "simulated"
        let breadcrumbs = crumbs?.0
        self.breadcrumbs = breadcrumbs
        let preparer = LoopRecovery<Program>(
            lease?.calls ?? ProgramCalls(world.functions), build: build,
            logger: Logger(label: name) { _ in SwiftLogNoOpLogHandler() }, calendar: { calendar.value() })
        self.preparer = preparer
        let start = try world.callers.run(breadcrumbs) {
            try JournalRecovery(
                disk.content, preparer, breadcrumbs, limits: .standard, hasMain: shardSlices?.contains(.main) ?? true)
        }
        try world.director?.recovered(from: disk, breadcrumbs)
        let ports = SimulatedCoordinatorIO(world, disk, epoch: epoch, name: name, by: lease, breadcrumbs)
        let inbox = HandedOver(ports)
        var configuration = CoordinatorConfiguration(
            journal: disk.identity, epoch: epoch, timing: world.fleet.timing,
            maximumPayload: world.fleet.maximumPayload, batchBytes: world.chance.pick([256, 4096, 16 << 10]),
            maximumIntake: world.fleet.maximumIntake, seed: world.chance.next())
        configuration.kinds = preparer.calls.loopKinds
        configuration.idleAfter = world.fleet.idleAfter
        configuration.keepEnded = world.fleet.keepEnded
        if let records = world.fleet.maximumUncommitted { configuration.maximumUncommitted = records }
        if let keys = world.fleet.rememberedKeys { configuration.rememberedKeys = keys }
        if let effects = world.fleet.maximumBacklog { configuration.maximumBacklog = effects }
        if let deadlines = world.fleet.deadlinesPerRound { configuration.deadlinesPerRound = deadlines }
        round = configuration.deadlinesPerRound
        (configuration.shard, configuration.shards) = (UInt32(shard), UInt32(shards.count))
        let machine = SharedMachine(configuration, now: world.now)
        host = DurableHost(
            DurableHost<Program>.Dependencies(
                preparer: preparer, post: { inbox.value.post($0) }, drain: { ports.drain(into: &$0) }, senders: ports,
                journal: ports.journal, locals: ports.locals, watchers: LoopWatchers(), breadcrumbs: breadcrumbs,
                status: FleetStatus(
                    program: "simulated", build: build, journal: disk.identity, epoch: epoch,
                    started: world.wall, maximumPayload: world.fleet.maximumPayload),
                loopsBegin: true, snapshotBytes: world.fleet.snapshots ? world.chance.pick([1, 200, 5000]) : .max,
                background: { inbox.value.runInBackground($0) }, queries: SimulatedQueries(inbox),
                past: SimulatedQueries(inbox),
                crossShardSender: shardSlices.flatMap { lease?.crossShardSender(ports, $0) },
                returned: { inbox.value.returned($0) }),
            start, machine)
        driver = CoordinatorDriver(
            machine, host: RecordingHost(host, ports), clientHost: host, transport: ports, observer: ports,
            permit: lease.map { lease in { try lease.permit() } }, shardSlices: shardSlices,
            outranked: lease.map { lease in { lease.outranked(by: $0) } }, isStepwise: true)
        self.ports = ports
        super.init(name: name)
        ports.process = self
        world.director?.begins(self)
        begin(start, preparer)
    }

    private func begin(_ start: JournalRecovery<Program>, _ preparer: LoopRecovery<Program>) {
        readClock()
        for prepared in start.ready { world.resumed(prepared, in: self) }
        lease?.recovered(held: start.held.count)
        if let possibleHolders = lease?.possibleHolders { submit([.possibleHolders(possibleHolders)]) }
        submit(start.inputs)
        // A fleet's loops begin with the run. In production, all loops but `main` begin with their first event.
        let stored = Set((try? world.disks[shard].content.loops()) ?? [])
        for id in world.fleet.loops where world.shard(of: id) == shard && host.isNew(id) && !stored.contains(id) {
            do throws(CoordinatorError) {
                let prepared = try preparer.new(id, at: host.start(of: id), nil)
                host.install(prepared)
                submit([prepared.input])
            } catch {
                world.fail("\(error)")
            }
        }
    }

    private func submit(_ inputs: [CoordinatorInput]) {
        perform { [self] in for input in inputs { try driver.tell(input) } }
    }

    /// Runs `body` in this process; an error ends the process, as in production.
    func perform(_ body: @escaping () throws -> Void) {
        act { [self] in
            do {
                try world.callers.run(breadcrumbs, body)
            } catch {
                fail(error)
            }
        }
    }

    private func fail(_ error: any Error) {
        world.trace(name, "fails: \(error)")
        if let lease { return lease.gaveUp(self, error) }
        world.plan(after: world.chance.microseconds(0...500)) { [self] world in world.crash(self) }
    }

    // MARK: - Time

    /// The calendar time, extrapolated from the last time that this process read the calendar.
    var calendar: WallTime { clock.time + (world.now - clock.moment) }

    func readClock() {
        perform { [self] in
            clock = (world.wall, world.now)
            driver.now = world.now
            try driver.tell(calendar: world.wall)
        }
    }

    override var driverDeadline: Moment? { Moment.earliest(driver.nextDeadline, driver.calendarIsDue) }

    /// Reads the calendar and performs the timers that are due, behind the messages that wait.
    func tick() {
        if driver.calendarIsDue <= world.now { readClock() }
        perform { [self] in
            driver.now = world.now
            try driver.survey { world.now }
            if driver.isDue(whileMessagesWait: messagesWait) {
                try driver.tell(.tick)
            } else if driver.isDue(whileMessagesWait: false) {
                tick()  // behind what waits
            }
        }
    }

    // MARK: - The gate

    override var waitsBeforeInput: Bool { lease.map { !$0.isOpen && !$0.isClosed } ?? false }

    /// Whether it waits for its lease before an action that tells others something.
    ///
    /// In production the driver's permit waits. Here the permit throws, so the wait comes before the action, but not always:
    /// then the permit alone decides.
    override var waitsBeforeAction: Bool {
        guard let lease, !lease.isOpen, !lease.isClosed, case .action(let action) = driver.nextStep else {
            return false
        }
        return lease.delays(action)
    }

    /// In a cluster, a process is also stopped just before it tells others something.
    override func applyFault() {
        super.applyFault()
        guard let lease, world.isFaulty, isAlive, !isPaused, case .action(let action) = driver.nextStep else { return }
        lease.performs(action)
    }

    override func waitAtGate() {
        super.waitAtGate()
        lastPause = world.now
        lease?.waits(self)
    }

    package override func proceed() {
        if isAtGate { lastPause = world.now }
        super.proceed()
    }

    /// The connection of the journal is lost.
    package func loseJournal() { ports.journal.loseConnection() }

    // MARK: - Steps

    override var hasAction: Bool { if case .action = driver.nextStep { true } else { false } }

    override var hasInput: Bool { if case .input = driver.nextStep { true } else { false } }

    override func step() {
        guard let step = driver.nextStep else { return }
        driver.now = world.now
        let hasStepped = world.director?.takes(step, self)
        do {
            switch step {
            case .action(let action):
                if case .append(_, let records) = action, !records.isEmpty, crashIfPlanned(at: .beforeCommit) { return }
                try world.callers.run(breadcrumbs) { _ = try driver.step() }
                guard isAlive else { return }
                hasStepped?([])
                if case .send(_, let envelope) = action, case .effects = envelope.message {
                    _ = crashIfPlanned(at: .afterSend)
                }
            case .input(let input):
                let actions = try driver.step()
                hasStepped?(actions)
                decided(input, actions)
            }
        } catch {
            fail(error)
        }
    }

    private func decided(_ input: CoordinatorInput, _ actions: [CoordinatorAction]) {
        ports.decided = world.now
        switch input {
        case .flush: return checkPriorities(actions)
        case .tick: world.history.checkTimeouts(in: actions, by: epoch)
        case .committed(let ticket): ports.released(ticket)
        default: break
        }
        guard !willFlush else { return }
        willFlush = true
        let flush = { [self] in
            willFlush = false
            driver.now = world.now
            try driver.flush()
        }
        // The flush always follows all actions of this input.
        guard let pause = world.pauseBeforeFlush() else { return perform(flush) }
        world.plan(after: pause) { [self] _ in perform(flush) }
    }

    private func checkPriorities(_ actions: [CoordinatorAction]) {
        var orders: [EffectOrder] = []
        for case .send(_, let envelope) in actions {
            if case .effects(_, let sent) = envelope.message { orders.append(contentsOf: sent) }
        }
        if !orders.isEmpty { world.history.checkPriorities(of: orders, epoch: epoch, at: world.now) }
    }

    /// Crashes the process if a crash is planned for this step.
    ///
    /// - Returns: whether it crashed.
    private func crashIfPlanned(at step: CoordinatorStep) -> Bool {
        guard world.crashPoint == step else { return false }
        world.crashPoint = nil
        world.crash(self)
        return true
    }

    // MARK: - Inputs

    package func arrive(_ delivery: Delivery, from peer: Peer) {
        do throws(WireError) {
            let envelope = try Envelope<WorkerMessage>(decoding: delivery.bytes.span.bytes)
            if delivery.isCut {
                world.violated(.conduct, "\(name) decoded a truncated message: \(envelope.message.summary)")
            }
            world.trace(name, "receives from \(peer.token): \(envelope.message.summary)")
            receive(.received(envelope, from: peer), ending: isPaused ? envelope.message.endings : [])
        } catch {
            world.trace(name, "cannot decode a message from \(peer.token)")
            receive(.malformed(error, from: peer))
        }
    }

    /// Handles a received message; a stopped process reads it later.
    ///
    /// - Parameter attempts: The attempts whose last reports the message contains, if the process is stopped.
    private func receive(_ input: CoordinatorInput, ending attempts: [AttemptID] = []) {
        let isThere = act(isMessage: true, roomFor: inboxLimit) { [self] in
            world.history.lives[epoch]?.unread.subtract(attempts)
            driver.now = world.now
            do {
                try driver.tell(input)
            } catch {
                fail(error)
            }
        }
        if isThere { world.history.lives[epoch, default: History.EpochRecord()].unread.formUnion(attempts) }
    }

    func connectionEnded() { submit([.connectionEnded]) }

    /// Handles a report of the journal writer.
    func journal(_ report: WriterReport) {
        switch report {
        case .committed: if crashIfPlanned(at: .afterCommit) { return }
        case .parked: break
        case .saved, .snapshotFailed, .failed, .closed: return post(.journal(report))
        }
        // Reports of commits are delayed, so that a crash can come before them. They keep their order.
        lastReport = max(lastReport, world.now + world.chance.microseconds(0...100))
        world.plan(after: lastReport - world.now) { [self] _ in post(.journal(report)) }
    }

    /// Posts an input to the loops' host, and performs it at once if the process runs.
    func post(_ input: DurableHost<Program>.Input) {
        guard isAlive else { return }
        ports.post(input)
        perform { [self] in
            driver.now = world.now
            while try driver.takeInputs() {}
            if host.hasEnded { world.ended(self) }
        }
    }

    /// Work on another thread of this process is done.
    package func finish(_ work: () -> Void) {
        guard isAlive else { return }
        world.callers.run(breadcrumbs, work)
        perform { [self] in
            driver.now = world.now
            while try driver.takeInputs() {}
        }
    }

    // MARK: - Life cycle

    package func stopOrderly() {
        isEnding = true
        post(.stop)
    }

    package override func stop() {
        super.stop()
        ports.freeze(true)
        lastPause = world.now
    }

    package override func wake() {
        lastPause = world.now
        let wasStopped = isStopped
        super.wake()
        if wasStopped { ports.freeze(false) }
    }

    package override func die() {
        super.die()
        ports.abandon()
    }
}
