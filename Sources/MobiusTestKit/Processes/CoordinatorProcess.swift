import Logging
import MobiusCodec
import MobiusCore
import MobiusDriver
import MobiusEngine
import MobiusJournal
import MobiusProgram
import MobiusRuntime
import MobiusWire

/// A coordinator process: the driver and the loops of the product, over a simulated network, disk and clock.
final class CoordinatorProcess<Program: LoopProgram>: DrivenProcess {
    unowned let world: World<Program>
    let epoch: UInt64
    let driver: CoordinatorDriver
    private let host: DurableHost<Program>
    private let ports: CoordinatorPorts<Program>
    private var willFlush = false
    private var lastNews = Moment(nanoseconds: 0)
    private var clock = (time: WallTime(milliseconds: 0), moment: Moment(nanoseconds: 0))
    /// When it was last stopped.
    private(set) var lastPause: Moment?
    /// Whether it was told to stop.
    private(set) var isEnding = false
    private let room: Int

    /// Reads the journal back, as every coordinator does first.
    init(_ world: World<Program>, epoch: UInt64) throws {
        self.world = world
        self.epoch = epoch
        room = world.chance.pick([10, 100, 1000])
        let name = "coordinator#\(epoch)"
        let first = HandedOver(world.scenario.first)
        let calendar = HandedOver { [unowned world] in world.wall }
        let preparer = LoopPreparer<Program>(
            routes: world.scenario.routes, codings: ProgramCodings(), build: "simulated",
            logger: Logger(label: name) { _ in SwiftLogNoOpLogHandler() }, first: { first.value() },
            calendar: { calendar.value() })
        let start = try HostStart(world.disk.content, preparer, nil, limits: .standard)
        let ports = CoordinatorPorts(world, epoch: epoch, name: name)
        let inbox = HandedOver(ports)
        host = DurableHost(
            DurableHost<Program>.Setting(
                preparer: preparer, post: { inbox.value.post($0) }, take: { ports.take(into: &$0) }, senders: ports,
                journal: ports.pen, locals: ports.locals, watchers: LoopWatchers(), breadcrumbs: nil,
                status: FleetStatus(
                    program: "simulated", build: "simulated", journal: world.disk.identity, epoch: epoch,
                    started: world.wall, maximumPayload: world.scenario.maximumPayload),
                loopsBegin: true, snapshotBytes: world.scenario.snapshots ? world.chance.pick([1, 200, 5000]) : .max),
            start)
        driver = CoordinatorDriver(
            CoordinatorConfiguration(
                journal: world.disk.identity, epoch: epoch, timing: world.scenario.timing,
                maximumPayload: world.scenario.maximumPayload, batchBytes: world.chance.pick([256, 4096, 16 << 10]),
                maximumIntake: world.scenario.maximumIntake, seed: world.chance.next()),
            host: WitnessedHost(host, ports), clientHost: host, transport: ports, observer: ports, now: world.now,
            isStepwise: true)
        self.ports = ports
        super.init(name: name)
        ports.process = self
        host.takesEvents = { [unowned driver] in driver.takesEvents }
        begin(start, preparer)
    }

    private func begin(_ start: HostStart<Program>, _ preparer: LoopPreparer<Program>) {
        lookAtClock()
        for prepared in start.ready { world.resumed(prepared, in: self) }
        tell(start.inputs)
        // A scenario's loops begin with the run; those of an app, but for `main`, with their first event.
        for id in world.scenario.loops where host.isNew(id) {
            do throws(CoordinatorError) {
                let prepared = try preparer.new(id)
                host.install(prepared)
                tell([prepared.input])
            } catch {
                world.fail("\(error)")
            }
        }
    }

    private func tell(_ inputs: [CoordinatorInput]) {
        attempt { [self] in for input in inputs { try driver.tell(input) } }
    }

    /// Does something in this process; an error ends it, as it does in the product.
    private func attempt(_ body: @escaping () throws -> Void) {
        act { [self] in
            do {
                try body()
            } catch {
                fail(error)
            }
        }
    }

    private func fail(_ error: any Error) {
        world.trace(name, "cannot go on: \(error)")
        world.plan(after: world.chance.microseconds(0...500)) { [self] world in world.crash(self) }
    }

    /// The loops' models.
    var models: [(id: LoopID, model: Program.Model)] {
        host.loops.values.map { ($0.id, $0.typed.model) }.sorted { $0.id.name < $1.id.name }
    }

    // MARK: - Time

    /// What the calendar says, as far as this process knows.
    var calendar: WallTime { clock.time + (world.now - clock.moment) }

    func lookAtClock() {
        attempt { [self] in
            clock = (world.wall, world.now)
            driver.now = world.now
            try driver.tell(calendar: world.wall)
        }
    }

    override var driverDeadline: Moment? { Moment.earliest(driver.nextDeadline, driver.calendarIsDue) }

    /// Does what is due.
    func tick() {
        if driver.calendarIsDue <= world.now { lookAtClock() }
        attempt { [self] in
            driver.now = world.now
            try driver.survey { world.now }
            if let deadline = driver.machine.nextDeadline, deadline <= world.now { try driver.tell(.tick) }
        }
    }

    // MARK: - Steps

    override var hasAction: Bool { if case .action = driver.nextStep { true } else { false } }

    override var hasInput: Bool { if case .input = driver.nextStep { true } else { false } }

    override func step() {
        guard let step = driver.nextStep else { return }
        driver.now = world.now
        do {
            switch step {
            case .action(let action):
                if case .append(_, let records) = action, !records.isEmpty, meetsEnd(.beforeCommit) { return }
                try driver.step()
                if case .send(_, let envelope) = action, case .effects = envelope.message { _ = meetsEnd(.afterSend) }
            case .input(let input): decided(input, try driver.step())
            }
        } catch {
            fail(error)
        }
    }

    private func decided(_ input: CoordinatorInput, _ actions: [CoordinatorAction]) {
        ports.decided = world.now
        switch input {
        case .flush: return checkPriorities(actions)
        case .tick: world.chronicle.checkTimeouts(in: actions, by: epoch)
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
        // After all actions of this input in any case.
        guard let pause = world.pauseBeforeFlush() else { return attempt(flush) }
        world.plan(after: pause) { [self] _ in attempt(flush) }
    }

    private func checkPriorities(_ actions: [CoordinatorAction]) {
        var orders: [EffectOrder] = []
        for case .send(_, let envelope) in actions {
            if case .effects(_, let sent) = envelope.message { orders.append(contentsOf: sent) }
        }
        if !orders.isEmpty { world.chronicle.checkPriorities(of: orders, epoch: epoch, at: world.now) }
    }

    /// Whether it is killed at this step.
    private func meetsEnd(_ step: CoordinatorStep) -> Bool {
        guard world.plannedEnd == step else { return false }
        world.plannedEnd = nil
        world.crash(self)
        return true
    }

    // MARK: - What comes in

    func arrive(_ delivery: Delivery, from peer: Peer) {
        do throws(WireError) {
            let envelope = try Envelope<WorkerMessage>(decoding: delivery.bytes.span.bytes)
            if delivery.isCut {
                world.complain(.conduct, "\(name) read a message that was cut off: \(envelope.message.sketch)")
            }
            world.trace(name, "receives of \(peer.token): \(envelope.message.sketch)")
            receive(.received(envelope, from: peer), ending: isStopped ? envelope.message.endings : [])
        } catch {
            world.trace(name, "cannot read \(peer.token)")
            receive(.malformed(error, from: peer))
        }
    }

    /// A message came, which a process that is stopped reads later: with the ends of these attempts.
    private func receive(_ input: CoordinatorInput, ending attempts: [AttemptID] = []) {
        let isThere = act(isMessage: true, roomFor: room) { [self] in
            world.chronicle.lives[epoch]?.unread.subtract(attempts)
            driver.now = world.now
            do {
                try driver.tell(input)
            } catch {
                fail(error)
            }
        }
        if isThere { world.chronicle.lives[epoch, default: Chronicle.Life()].unread.formUnion(attempts) }
    }

    /// A connection to a worker has ended.
    func connectionEnded() { tell([.connectionEnded]) }

    /// A sender in this process has an event.
    func send(_ request: RequestID, to loop: LoopID, key: String, _ event: Payload) {
        post(.outside(request, loop, key: key, event))
    }

    /// A client asks for something.
    func take(_ request: ClientRequest, as id: RequestID) {
        attempt { [self] in
            driver.now = world.now
            try driver.take(request, as: id)
            try driver.answerClients()
        }
    }

    /// A local handler has an outcome.
    func take(_ outcome: HandlerOutcome) {
        act { [self] in
            world.tell(name, outcome.sketch(nil))
            switch outcome {
            case .report(let id, let event, let final):
                world.chronicle.said(id, event, final: final, at: world.now)
            case .failed(let id, let failure): world.chronicle.failed(id, failure, at: world.now)
            }
            post(.local(outcome))
        }
    }

    /// The journal's writer reports.
    func journal(_ report: WriterReport) {
        guard case .committed = report else { return post(.journal(report)) }
        if meetsEnd(.afterCommit) { return }
        // The news is a moment late, so a crash can come between, and keeps its order.
        lastNews = max(lastNews, world.now + world.chance.microseconds(0...100))
        world.plan(after: lastNews - world.now) { [self] _ in post(.journal(report)) }
    }

    /// Hands something to the loops' host.
    func post(_ input: DurableHost<Program>.Input) {
        guard isAlive else { return }
        ports.post(input)
        attempt { [self] in
            driver.now = world.now
            while try driver.takeInputs() {}
            if host.hasEnded { world.ended(self) }
        }
    }

    // MARK: - Its life

    func stopOrderly() {
        isEnding = true
        post(.stop)
    }

    override func stop() {
        super.stop()
        ports.freeze(true)
        lastPause = world.now
    }

    override func wake() {
        lastPause = world.now
        let wasStopped = isStopped
        // The edge may look at the clock before its socket has what came meanwhile.
        if isStopped, world.chance.percent(50) { actFirst { [self] in tick() } }
        super.wake()
        if wasStopped { ports.freeze(false) }
    }

    override func die() {
        super.die()
        ports.abandon()
    }

    /// What the machine says of the effects that have not ended.
    var statuses: [EffectID: EffectSummary] {
        var statuses: [EffectID: EffectSummary] = [:]
        var last: EffectID?
        while true {
            let page = driver.machine.statuses(
                of: nil, after: last, limit: Int(ClientRequest.maximumPage), at: world.now)
            for status in page.effects { statuses[status.id] = status }
            last = page.effects.last?.id
            guard page.more, last != nil else { return statuses }
        }
    }
}
