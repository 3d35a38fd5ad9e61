import MobiusCodec
import MobiusCore
import MobiusEngine
import MobiusProgram
import MobiusRuntime
import MobiusWire

/// A worker process: the production machine, and what its edge does with the machine's actions.
final class WorkerProcess<Program: LoopProgram>: ActingProcess<WorkerAction> {
    unowned let world: World<Program>
    let place: Int
    let incarnation: Incarnation
    let capacity: Int
    private(set) var machine: WorkerMachine
    var link: Link?
    private var willFlush = false
    private(set) var runs: [AttemptID: HandlerRun<Program>] = [:]
    private var progress: [AttemptID: Moment] = [:]
    /// When it gives up what it still runs, once it was told to leave.
    private var givesUpAt: Moment?
    /// How many handlers ran at once, at most.
    var mostRuns = 0
    /// The newest list of attempts that it sent.
    private(set) var held: [HeldAttempt] = []
    private let room: Int
    /// `nil` where handlers are scripted.
    private var handlers: ProcessHandlers<Program>?

    init(_ world: World<Program>, place: Int, life: Int) {
        self.world = world
        self.place = place
        incarnation = Incarnation(high: UInt64(place + 1), low: UInt64(life))
        let settings = world.scenario.places[place]
        capacity = settings.capacity
        room = world.chance.pick([4, 40, 400])
        machine = WorkerMachine(
            WorkerConfiguration(
                incarnation: incarnation, pools: settings.pools, build: "simulated",
                contentTypes: world.effects.contentTypes, capacity: settings.capacity,
                timing: world.scenario.timing, maximumPause: world.scenario.timing.silence,
                drainLimit: world.scenario.timing.deadAfter * 2,
                stopGrace: world.chance.pick([.zero, .seconds(1)]), seed: world.chance.next()))
        super.init(name: settings.name.map { "\($0)#\(life)" } ?? "worker \(place)#\(life)")
        if let stage = world.stage, let router = settings.handlers?() {
            handlers = ProcessHandlers(router, of: name, on: stage)
        }
    }

    override var machineDeadline: Moment? { machine.nextDeadline }

    /// Whether handlers run that were not cancelled.
    var isWorking: Bool { !runs.isEmpty }

    func tell(_ input: WorkerInput, isMessage: Bool = false) {
        act(isMessage: isMessage, roomFor: room) { [self] in decide(input) }
    }

    /// It is told to leave, and to give up what it has not done by then.
    func leave(within limit: Duration) {
        let deadline = world.now + limit
        givesUpAt = givesUpAt ?? deadline
        tell(.drain(deadline: deadline))
    }

    private func decide(_ input: WorkerInput) {
        let progress = handlers?.progress ?? progress
        if input == .tick || input == .connected, !progress.isEmpty {
            push(machine.handle(.progress(progress), at: world.now))
        }
        push(machine.handle(input, at: world.now))
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

    func arrive(_ delivery: Delivery) {
        do throws(WireError) {
            let envelope = try Envelope<CoordinatorMessage>(decoding: delivery.bytes.span.bytes)
            if delivery.isCut {
                world.complain(.conduct, "\(name) read a message that was cut off: \(envelope.message.sketch)")
            }
            world.trace(name, "hears \(envelope.message.sketch)")
            tell(.received(envelope), isMessage: true)
        } catch {
            if !delivery.isCut { world.complain(.conduct, "\(name) cannot read its coordinator: \(error)") }
            tell(.malformed(error), isMessage: true)
        }
    }

    override func stop() {
        super.stop()
        handlers?.freeze(true)
    }

    override func wake() {
        handlers?.freeze(false)
        super.wake()
    }

    override func die() {
        super.die()
        handlers?.vanish()
    }

    override func perform(_ action: WorkerAction) {
        switch action {
        case .send(let envelope): send(envelope)
        case .reconnect(let pause):
            world.trace(name, "connects again after \(pause)")
            world.cut(link)
            link = nil
            world.plan(after: pause) { [self] world in world.connect(self) }
        case .run(let order): run(order)
        case .cancel(let id):
            if let givesUpAt, givesUpAt <= world.now { world.chronicle.givenUp(id) }
            cancel(id)
        case .acknowledged: break  // its handlers never wait
        case .note(let note): world.trace(name, "notes \(note)")
        case .exit(let exit):
            world.trace(name, "exits: \(exit)")
            if exit == .drained { world.chronicle.checkLeaving(name, runs.values.filter { !$0.isOver }.map(\.id)) }
            world.left(self)
        }
    }

    private func send(_ envelope: Envelope<WorkerMessage>) {
        switch envelope.message {
        case .heartbeat(_, _, let held), .draining(let held): self.held = held
        case .hello(let hello): held = hello.held
        case .credit, .events, .failures, .bye: break
        }
        guard let link, link.isOpen else { return }
        if world.loses(envelope.message, name) { return }
        world.trace(name, "says \(envelope.message.sketch)")
        var bytes: [UInt8] = []
        envelope.encode(into: &bytes)
        if case .heartbeat = envelope.message {
            link.heartbeat = bytes
            world.carry(bytes, over: link, .toCoordinator, isNews: false)
        } else {
            world.carry(bytes, over: link, .toCoordinator)
        }
    }
}

// MARK: - Handlers

extension WorkerProcess {
    private func run(_ order: EffectOrder) {
        world.chronicle.started(order.id, order.effect, by: name, incarnation, at: world.now)
        let effect: Program.Effect
        do throws(CodingFailure) {
            effect = try world.effects.decode(order.effect)
        } catch {
            world.complain(.conduct, "\(name) was sent an effect that it cannot read: \(error)")
            return
        }
        if let handlers {
            world.tell(name, "begins \(effect), attempt \(order.id)")
            handlers.run(order, effect)
            return
        }
        let call = HandlerCall(id: order.id, process: name)
        let steps =
            world.isFlooding ? [.hang] : world.scenario.handle(effect, call, &world.chance)
        let run = HandlerRun<Program>(order.id, steps)
        runs[order.id] = run
        mostRuns = max(mostRuns, runs.count)
        if runs.count > capacity {
            world.complain(.credit, "\(name) runs \(runs.count) handlers of \(capacity)")
        }
        goOn(run, after: world.chance.microseconds(0...200))
    }

    private func goOn(_ run: HandlerRun<Program>, after pause: Duration) {
        world.plan(after: pause) { [self] _ in act { [self] in advance(run) } }
    }

    private func advance(_ run: HandlerRun<Program>) {
        guard !run.isOver else { return }
        switch run.next() {
        case .wait(let pause): goOn(run, after: pause)
        case .progress:
            progress[run.id] = world.now
            world.chronicle.progressed(run.id, at: world.now)
            goOn(run, after: .zero)
        case .act(let deed):
            world.trace(name, "does \(run.id)")
            deed()
            goOn(run, after: .zero)
        case .send(let event): report(run, world.payload(event), final: false)
        case .sendNonsense(let bytes): report(run, world.nonsense(bytes), final: false, isNonsense: true)
        case .finish(let event): report(run, event.map(world.payload), final: true)
        case .finishWithNonsense(let bytes): report(run, world.nonsense(bytes), final: true, isNonsense: true)
        case .fail(let retryable, let delay, let reason):
            end(run)
            world.chronicle.failed(run.id, retryable: retryable, delay: delay, reason: reason, at: world.now)
            world.trace(name, "\(run.id) fails\(retryable ? " for now" : ""): \(reason)")
            decide(.failed(run.id, retryable: retryable, delay: delay, reason: reason))
        case .hang where run.isCancelled: report(run, nil, final: true)
        case .hang:
            run.hangs = true
            world.chronicle.hangs(run.id)
        }
    }

    private func report(_ run: HandlerRun<Program>, _ event: Payload?, final: Bool, isNonsense: Bool = false) {
        if final { end(run) }
        world.chronicle.emitted(run.id, event, final: final, isNonsense: isNonsense)
        world.trace(name, "\(run.id) reports \(event.map(world.sketch) ?? "nothing")\(final ? " and ends" : "")")
        decide(.report(run.id, event: event, final: final))
        if !final { goOn(run, after: world.chance.microseconds(0...2000)) }
    }

    private func end(_ run: HandlerRun<Program>) {
        run.isOver = true
        runs[run.id] = nil
        progress[run.id] = nil
    }

    /// Most handlers listen and end soon, without an event; some go on as if nothing had been said.
    private func cancel(_ id: AttemptID) {
        if let handlers {
            world.tell(name, "is told to give up \(id)")
            world.chronicle.cancelled(id)
            handlers.cancel(id)
            return
        }
        guard let run = runs[id], !run.isOver else { return }
        world.trace(name, "cancels \(id)")
        run.isCancelled = true
        world.chronicle.cancelled(id)
        if world.chance.percent(world.scenario.deafness), !run.hangs { return }
        run.isOver = true
        let pause = world.chance.microseconds(world.chance.percent(20) ? 5000...400_000 : 0...5000)
        world.plan(after: pause) { [self] _ in
            act { [self] in
                end(run)
                world.trace(name, "\(id) has stopped")
                world.chronicle.failed(id, retryable: true, delay: 0, reason: "it was cancelled", at: world.now)
                decide(.report(id, event: nil, final: true))
            }
        }
    }
}

// MARK: - Real handlers

extension WorkerProcess {
    /// A handler said something, which is heard once the process does anything.
    func take(_ outcome: HandlerOutcome) {
        act { [self] in
            switch outcome {
            case .report(let id, let event, let final):
                if final { handlers?.ended(id) }
                world.tell(name, outcome.sketch(event.map(world.sketch)))
                world.chronicle.said(id, event, final: final, at: world.now)
                decide(.report(id, event: event, final: final))
            case .failed(let id, let failure):
                handlers?.ended(id)
                world.tell(name, outcome.sketch(nil))
                world.chronicle.failed(id, failure, at: world.now)
                decide(.failed(id, retryable: failure.retryable, delay: failure.delay, reason: failure.reason))
            }
        }
    }
}
