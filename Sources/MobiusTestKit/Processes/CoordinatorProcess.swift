import MobiusCodec
import MobiusCore
import MobiusEngine
import MobiusJournal
import MobiusProgram
import MobiusRuntime
import MobiusWire

/// A coordinator process: the production machine and typed loops, and what their edge does with the machine's actions.
final class CoordinatorProcess<Program: LoopProgram>: QueueingProcess<CoordinatorAction> {
    unowned let world: World<Program>
    let epoch: UInt64
    private(set) var machine: CoordinatorMachine
    private(set) var loops: [LoopID: TypedLoop<Program>] = [:]
    private var pen: JournalPen<Program>?
    /// Records on their way to the disk.
    private var appended: [Ticket: [JournalRecord]] = [:]
    /// When the machine took its last decision; what it leads to may be done later, when the process stops between.
    private var decided = Moment(nanoseconds: 0)
    private var willFlush = false
    /// When it looks at the calendar again.
    private var nextLook: Moment?
    private var lastNews = Moment(nanoseconds: 0)
    private var clock = (time: WallTime(milliseconds: 0), moment: Moment(nanoseconds: 0))
    private var locals: [AttemptID: HandlerRun<Program>] = [:]
    /// When it was last stopped.
    private(set) var lastPause: Moment?
    /// Whether it was told to stop.
    private(set) var isEnding = false
    private let room: Int
    /// `nil` where handlers are scripted.
    private(set) var handlers: ProcessHandlers<Program>?

    init(_ world: World<Program>, epoch: UInt64) {
        self.world = world
        self.epoch = epoch
        room = world.chance.pick([10, 100, 1000])
        machine = CoordinatorMachine(
            CoordinatorConfiguration(
                journal: world.disk.identity, epoch: epoch, timing: world.scenario.timing,
                maximumPayload: world.scenario.maximumPayload, batchBytes: world.chance.pick([256, 4096, 16 << 10]),
                maximumIntake: world.scenario.maximumIntake, seed: world.chance.next()))
        super.init(name: "coordinator#\(epoch)")
        if let stage = world.stage { handlers = ProcessHandlers(world.scenario.routes, of: name, on: stage) }
        pen = JournalPen(world, writer: epoch) { [weak self] report in self?.hear(report) }
        lookAtClock()
    }

    /// What the calendar says, as far as this process knows.
    var calendar: WallTime { clock.time + (world.now - clock.moment) }

    func lookAtClock() {
        act { [self] in
            clock = (world.wall, world.now)
            decide(.wallClock(world.wall))
        }
        nextLook = world.now + .seconds(1)
    }

    override var machineDeadline: Moment? { Moment.earliest(machine.nextDeadline, nextLook) }

    /// Does what is due.
    func tick() {
        if let nextLook, nextLook <= world.now { lookAtClock() }
        if let deadline = machine.nextDeadline, deadline <= world.now { tell(.tick) }
    }

    func tell(_ input: CoordinatorInput) {
        act { [self] in decide(input) }
    }

    func decide(_ input: CoordinatorInput) {
        decided = world.now
        let actions = machine.handle(input, at: world.now)
        push(actions)
        if input == .flush { checkPriorities(actions) }
        if input == .tick { world.chronicle.checkTimeouts(in: actions, by: epoch) }
        guard input != .flush, !willFlush else { return }
        willFlush = true
        let flush = { [self] in
            willFlush = false
            decide(.flush)
        }
        // After all actions of this input in any case.
        guard let pause = world.pauseBeforeFlush() else {
            act(flush)
            return
        }
        world.plan(after: pause) { [self] _ in _ = act(flush) }
    }

    private func checkPriorities(_ actions: [CoordinatorAction]) {
        var orders: [EffectOrder] = []
        for case .send(_, let envelope) in actions {
            if case .effects(_, let sent) = envelope.message { orders.append(contentsOf: sent) }
        }
        if !orders.isEmpty { world.chronicle.checkPriorities(of: orders, epoch: epoch, at: decided) }
    }

    func arrive(_ delivery: Delivery, from peer: Peer) {
        do throws(WireError) {
            let envelope = try Envelope<WorkerMessage>(decoding: delivery.bytes.span.bytes)
            if delivery.isCut {
                world.complain(.conduct, "\(name) read a message that was cut off: \(envelope.message.sketch)")
            }
            world.trace(name, "hears \(peer.token): \(envelope.message.sketch)")
            hear(.received(envelope, from: peer), ending: isStopped ? envelope.message.endings : [])
        } catch {
            world.trace(name, "cannot read \(peer.token)")
            hear(.malformed(error, from: peer))
        }
    }

    /// A message came, which a process that is stopped reads later: with the ends of these attempts.
    private func hear(_ input: CoordinatorInput, ending attempts: [AttemptID] = []) {
        let isThere = act(isMessage: true, roomFor: room) { [self] in
            world.chronicle.lives[epoch]?.unread.subtract(attempts)
            decide(input)
        }
        if isThere { world.chronicle.lives[epoch, default: Chronicle.Life()].unread.formUnion(attempts) }
    }

    private func hear(_ report: JournalPen<Program>.Report) {
        switch report {
        case .committed(let tickets):
            if meetsEnd(.afterCommit) { return }
            // The news is a moment late, so a crash can come between, and keeps its order.
            lastNews = max(lastNews, world.now + world.chance.microseconds(0...100))
            world.plan(after: lastNews - world.now) { [self] _ in
                for ticket in tickets {
                    act { [self] in
                        decide(.committed(ticket))
                        world.chronicle.released(appended.removeValue(forKey: ticket) ?? [], epoch: epoch, at: decided)
                    }
                }
            }
        case .failed: world.plan(after: world.chance.microseconds(0...500)) { [self] world in world.crash(self) }
        case .closed: world.ended(self)
        }
    }

    func stopOrderly() {
        isEnding = true
        tell(.stop)
    }

    override func stop() {
        super.stop()
        handlers?.freeze(true)
        lastPause = world.now
        pen?.isAwake = false
    }

    override func wake() {
        lastPause = world.now
        handlers?.freeze(false)
        // The edge may look at the clock before its socket has what came meanwhile.
        if isStopped, world.chance.percent(50) { actFirst { [self] in tick() } }
        super.wake()
        pen?.isAwake = true
    }

    override func die() {
        super.die()
        pen?.abandon()
        handlers?.vanish()
    }

    override func strike(before action: CoordinatorAction) {
        if case .append(_, let records) = action, !records.isEmpty { _ = meetsEnd(.beforeCommit) }
    }

    override func strike(after action: CoordinatorAction) {
        guard case .send(_, let envelope) = action, case .effects = envelope.message else { return }
        _ = meetsEnd(.afterSend)
    }

    override func perform(_ action: CoordinatorAction) {
        switch action {
        case .apply(let application): apply(application)
        case .applyFailure(let id, let effect, let failure, let round): apply(failure, of: id, effect, round)
        case .applyTimer(let id, let effect, let due, let ends): fire(id, effect, due, ends: ends)
        case .selectCancelled(let id, let effect): select(id, effect)
        case .append(let ticket, let records): append(ticket, records)
        case .send(let peer, let envelope): send(envelope, to: peer)
        case .runLocal(let id, let effect): run(id, effect)
        case .acknowledged: break  // its handlers never wait
        case .confirm(let request, _): world.answered(request, .done)
        case .refuse(let request, let refusal): world.answered(request, .refused(refusal.reason))
        case .stopping(let request): world.answered(request, .later)
        case .busy(let request): world.answered(request, .later)
        case .lookUp(let request, let loop, let key, let event): lookUp(request, loop, key, event)
        case .note(let note):
            world.trace(name, "notes \(note)")
            world.chronicle.noted(note, by: self.epoch, at: world.now)
        case .stopped:
            world.trace(name, "has said everything")
            for loop in world.loops where world.chance.percent(50) { snapshot(loop) }
            pen?.close()
        }
    }
}

// MARK: - Loops

extension CoordinatorProcess {
    /// Reads the journal back and tells the machine.
    func begin() throws {
        for id in world.loops {
            let snapshot = try world.disk.content.newestSnapshot(of: id)
            let first = world.scenario.first()
            let model = try snapshot.map { try world.models.decode($0.model) } ?? first.model
            let loop = TypedLoop<Program>(id: id, model: model, routes: world.scenario.routes)
            var recovered = RecoveredLoop(loop: id, snapshot: snapshot)
            try world.disk.content.readTail(of: id) { record in
                try recovered.apply(record)
                if case .event(let event) = record, let payload = event.event { _ = try loop.apply(payload) }
            }
            guard let last = recovered.lastSequence else {
                guard world.scenario.loops.contains(id) else { continue }  // it begins again with its first event
                world.oracle.compare(id, try world.models.encode(loop.model), upTo: nil, in: name)
                begin(loop, first.effects)
                continue
            }
            world.oracle.compare(id, try world.models.encode(loop.model), upTo: last, in: name)
            loops[id] = loop
            let pending = try recovered.pending.map { ($0, try loop.plan($0.effect)) }
            world.chronicle.resumed(id, pending.map(\.0), epoch: epoch, at: world.now)
            let keys = try world.disk.content.outsideKeys(of: id, limit: .max)
            tell(.recover(ResumedLoop(loop: id, lastSequence: last, pending: pending, outsideKeys: keys)))
        }
    }

    func begin(_ loop: TypedLoop<Program>, _ effects: [Program.Effect]) {
        loops[loop.id] = loop
        tell(.begin(loop.id, effects: plan(effects, loop)))
    }

    private func apply(_ application: Application) {
        guard let loop = loops[application.loop] else {
            world.complain(.conduct, "\(name) applies an event to loop \(application.loop), which does not exist")
            return
        }
        do throws(CodingFailure) {
            let change = try loop.apply(application.event)
            world.tell(name, "applies \(world.sketch(application.event)) from \(application.source.sketch)")
            world.chronicle.applied(application.loop, application.source, application.event, epoch: epoch)
            push(machine.handle(.applied(application, effects: plan(change.effects, loop)), at: world.now))
        } catch {
            world.trace(name, "cannot read the event from \(application.source.sketch)")
            push(machine.handle(.unreadable(application, reason: "\(error)"), at: world.now))
        }
    }

    private func plan(_ effects: [Program.Effect], _ loop: TypedLoop<Program>) -> [PlannedEffect] {
        do {
            return try loop.plan(effects)
        } catch {
            world.fail("\(error)")
            return []
        }
    }

    private func apply(_ failure: EffectFailure, of id: EffectID, _ effect: Payload, _ round: UInt32) {
        world.tell(name, "gives up effect \(id): \(failure)")
        world.chronicle.failedForGood(id, failure, round: round, in: self)
        guard let event = try? loops[id.loop]?.event(of: failure, effect: effect) else {
            world.chronicle.excused.insert(id)
            push(machine.handle(.unheard(id), at: world.now))
            return
        }
        let source = SourceKey.failure(id, round: round)
        apply(Application(loop: id.loop, source: source, event: event, ends: id, origin: .failure))
    }

    private func fire(_ id: EffectID, _ effect: Payload, _ due: WallTime, ends: Bool) {
        // What is counted from an event does not jump with the calendar.
        if due > calendar, !world.chronicle.hasJumped {
            world.complain(.noticed, "the timer \(id) fires \(due - calendar) too early")
        }
        guard let event = try? loops[id.loop]?.event(ofTimer: effect) else {
            world.complain(.conduct, "the timer \(id) has no event")
            push(machine.handle(.unheard(id), at: world.now))
            return
        }
        let source = SourceKey.timer(id, due: due)
        apply(Application(loop: id.loop, source: source, event: event, ends: ends ? id : nil, origin: .timer))
    }

    private func select(_ id: EffectID, _ effect: Payload) {
        let underWay = machine.underWay(of: id.loop)
        let selected = (try? loops[id.loop]?.cancelled(by: effect, among: underWay)) ?? []
        world.trace(name, "\(id) cancels \(selected)")
        world.chronicle.excused.insert(id)
        world.chronicle.excused.formUnion(selected.filter { $0 < id })
        push(machine.handle(.cancelSelected(id, selected), at: world.now))
    }

    /// The journal is asked on its own thread, so the answer comes a little later.
    private func lookUp(_ request: RequestID, _ loop: LoopID, _ key: String, _ event: Payload) {
        world.plan(after: world.chance.microseconds(100...3000)) { [self] world in
            let isApplied = world.chronicle.sources.contains(Chronicle.Source(loop: loop, key: .outside(key)))
            tell(.lookedUp(request, loop, key: key, event: event, isApplied: isApplied))
        }
    }

    private func append(_ ticket: Ticket, _ records: [JournalRecord]) {
        world.chronicle.checkSetbacks(in: records, by: epoch, at: decided)
        appended[ticket] = records
        pen?.append(ticket, records)
        for loop in world.loops where world.chance.percent(world.scenario.snapshots) { snapshot(loop) }
    }

    private func snapshot(_ id: LoopID) {
        guard let state = machine.snapshotState(of: id), let loop = loops[id],
            let model = try? world.models.encode(loop.model)
        else { return }
        pen?.save(
            Snapshot(
                loop: id, sequence: state.sequence, model: model, hash: FNV1a.hash(model.bytes), pending: state.pending)
        )
    }
}

// MARK: - Messages and local handlers

extension CoordinatorProcess {
    private func send(_ envelope: Envelope<CoordinatorMessage>, to peer: Peer) {
        world.chronicle.said(envelope.message, to: world.places[peer.token], epoch: epoch, at: decided)
        guard let link = world.link(peer.token, to: self) else {
            push(machine.handle(.unreachable(peer), at: world.now))
            return
        }
        if case .effects(_, let orders) = envelope.message { orders.forEach(watch) }
        if world.loses(envelope.message, name) { return }
        world.trace(name, "says to \(peer.token): \(envelope.message.sketch)")
        var bytes: [UInt8] = []
        envelope.encode(into: &bytes)
        if case .pulse = envelope.message {
            link.pulse = bytes
            world.carry(bytes, over: link, .toWorker, isNews: false)
        } else {
            world.carry(bytes, over: link, .toWorker)
        }
    }

    private func run(_ id: AttemptID, _ payload: Payload) {
        world.chronicle.started(id, payload, by: name, at: world.now)
        guard let effect = try? world.effects.decode(payload) else { return }
        if let handlers {
            world.tell(name, "begins \(effect), attempt \(id)")
            handlers.run(EffectOrder(id: id, effect: payload), effect)
            return
        }
        let steps = world.scenario.handle(effect, HandlerCall(id: id, process: name), &world.chance)
        let run = HandlerRun<Program>(id, steps)
        locals[id] = run
        goOn(run, after: world.chance.microseconds(0...3000))
    }

    private func goOn(_ run: HandlerRun<Program>, after pause: Duration) {
        world.plan(after: pause) { [self] _ in act { [self] in advance(run) } }
    }

    private func advance(_ run: HandlerRun<Program>) {
        guard locals[run.id] != nil else { return }
        switch run.next() {
        case .wait(let pause): goOn(run, after: pause)
        case .act(let deed):
            deed()
            goOn(run, after: .zero)
        case .send(let event): report(run, world.payload(event), final: false)
        case .finish(let event): report(run, event.map(world.payload), final: true)
        case .sendNonsense, .finishWithNonsense, .fail, .hang, .progress:
            preconditionFailure("A local handler's mistakes end its process; simulate handlers without mistakes.")
        }
    }

    private func report(_ run: HandlerRun<Program>, _ event: Payload?, final: Bool) {
        world.chronicle.emitted(run.id, event, final: final)
        if final { locals[run.id] = nil }
        decide(.localReport(run.id, event: event, final: final))
        if !final { goOn(run, after: world.chance.microseconds(0...2000)) }
    }
}
