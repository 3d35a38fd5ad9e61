import MobiusCodec
import MobiusCore
import MobiusDriver
import MobiusEngine
import MobiusProgram
import MobiusRuntime
import MobiusWire

/// A worker process: the driver of production, between a simulated link and handlers that are scripted or real.
final class WorkerProcess<Program: LoopProgram>: DrivenProcess {
    unowned let world: World<Program>
    let place: Int
    let capacity: Int
    private let configuration: WorkerConfiguration
    /// How many messages wait to be read at most.
    private let room: Int
    /// Whether it has a socket, which connects by itself.
    var hasSocket = false
    var link: Link?
    /// The newest list of attempts that it sent.
    var held: [HeldAttempt] = []
    /// How many scripted handlers ran at once, at most.
    var mostRuns = 0
    private var willFlush = false
    /// When it gives up what it still runs, once it was told to leave.
    private var givesUpAt: Moment?
    /// `nil` where handlers are scripted.
    private var realHandlers: ProcessHandlers<Program>?
    private lazy var scriptedHandlers = realHandlers == nil ? ScriptedWorkerHandlers(self) : nil
    private lazy var ports = WorkerPorts(self)
    private lazy var driver = makeDriver()

    init(_ world: World<Program>, place: Int, life: Int) {
        self.world = world
        self.place = place
        let settings = world.scenario.places[place]
        capacity = settings.capacity
        room = world.chance.pick([4, 40, 400])
        configuration = WorkerConfiguration(
            incarnation: Incarnation(high: UInt64(place + 1), low: UInt64(life)), pools: settings.pools,
            build: "simulated", contentTypes: world.effects.contentTypes, capacity: settings.capacity,
            timing: world.scenario.timing, maximumPause: world.scenario.timing.silence,
            drainLimit: world.scenario.timing.deadAfter * 2, stopGrace: world.chance.pick([.zero, .seconds(1)]),
            seed: world.chance.next())
        super.init(name: settings.name.map { "\($0)#\(life)" } ?? "worker \(place)#\(life)")
        if let stage = world.stage, let router = settings.handlers?() {
            realHandlers = ProcessHandlers(router, of: name, on: stage)
        }
    }

    private func makeDriver() -> WorkerDriver {
        let handlers: (any WorkerHandlers)? = realHandlers.map { StagedWorkerHandlers(self, $0) } ?? scriptedHandlers
        guard let handlers else { preconditionFailure("Handlers are real or scripted.") }
        return WorkerDriver(configuration, transport: ports, handlers: handlers, observer: ports)
    }

    var incarnation: Incarnation { configuration.incarnation }

    /// Whether scripted handlers run.
    var isWorking: Bool { scriptedHandlers?.runs.isEmpty == false }

    /// Handlers that wait until events of theirs are acknowledged.
    var waitingRuns: [HandlerRun<Program>] {
        (scriptedHandlers?.runs.values.filter(\.waitsForRoom) ?? []).sorted { $0.id.effect < $1.id.effect }
    }

    var isAtRest: Bool { driver.isAtRest }

    override var driverDeadline: Moment? { driver.nextDeadline }

    // MARK: Inputs

    /// Connects; before anything else.
    func begin() { act { [self] in driver.begin() } }

    func connected() { input { $0.connected(at: $1) } }

    func tick() { input { $0.tick(at: $1) } }

    /// It is told to leave, and to give up what it has not done by then.
    func leave(within limit: Duration) {
        givesUpAt = givesUpAt ?? world.now + limit
        drain(by: world.now + limit)
    }

    func drain(by deadline: Moment) { input { $0.drain(by: deadline, at: $1) } }

    func arrive(_ delivery: Delivery) {
        input(isMessage: true) { [self] driver, now in
            ports.isReadingCut = delivery.isCut
            driver.receive(delivery.bytes.span.bytes, at: now)
        }
    }

    /// A real handler reports something, which is taken once the process does anything.
    func take(_ outcome: HandlerOutcome) {
        act { [self] in
            switch outcome {
            case .report(let id, let event, let final):
                world.tell(name, outcome.sketch(event.map(world.sketch)))
                world.chronicle.said(id, event, final: final, at: world.now)
            case .failed(let id, let failure):
                world.tell(name, outcome.sketch(nil))
                world.chronicle.failed(id, failure, at: world.now)
            }
            handOver(outcome)
        }
    }

    /// Hands the outcome of a handler to the driver, while the process acts.
    func handOver(_ outcome: HandlerOutcome) {
        driver.take(outcome, at: world.now)
        planFlush()
    }

    private func input(isMessage: Bool = false, _ input: @escaping (WorkerDriver, Moment) -> Void) {
        act(isMessage: isMessage, roomFor: room) { [self] in
            input(driver, world.now)
            planFlush()
        }
    }

    private func planFlush() {
        guard !willFlush else { return }
        willFlush = true
        let flush = { [self] in
            willFlush = false
            driver.flush(at: world.now)
        }
        // After all actions of this input in any case.
        guard let pause = world.pauseBeforeFlush() else {
            act(flush)
            return
        }
        world.plan(after: pause) { [self] _ in _ = act(flush) }
    }

    // MARK: Actions

    override var hasAction: Bool { !driver.isIdle }

    override func step() {
        driver.performNext(at: world.now)
        guard let exit = driver.exit else { return }
        world.trace(name, "exits: \(exit)")
        let running = scriptedHandlers?.runs.values.filter { !$0.isOver }.map(\.id) ?? []
        if exit == .drained { world.chronicle.checkLeaving(name, running) }
        world.left(self)
    }

    /// The effect of an order, unless that is nothing the program knows.
    func read(_ order: EffectOrder) -> Program.Effect? {
        do throws(CodingFailure) {
            return try world.effects.decode(order.effect)
        } catch {
            world.complain(.conduct, "\(name) was sent an effect that it cannot read: \(error)")
            return nil
        }
    }

    /// A handler is told to stop, perhaps because the time to leave is over.
    func cancels(_ id: AttemptID) {
        if let givesUpAt, givesUpAt <= world.now { world.chronicle.givenUp(id) }
    }

    // MARK: Fates

    override func stop() {
        super.stop()
        realHandlers?.freeze(true)
    }

    override func wake() {
        realHandlers?.freeze(false)
        super.wake()
    }

    override func die() {
        super.die()
        realHandlers?.vanish()
    }
}
