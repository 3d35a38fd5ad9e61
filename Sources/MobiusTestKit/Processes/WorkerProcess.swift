import MobiusCodec
package import MobiusCore
import MobiusDriver
import MobiusEngine
import MobiusProgram
import MobiusRuntime
package import MobiusWire

/// A worker process: the production drivers between simulated links and handlers that are scripted or real.
package final class WorkerProcess<Program: LoopProgram>: DrivenProcess {
    package unowned let world: World<Program>
    let place: Int
    package let capacity: Int
    private let configuration: WorkerConfiguration
    /// The number of messages that may wait to be read.
    private let inboxLimit: Int
    /// A socket for each shard, by its number.
    package private(set) var ports: [SimulatedWorkerIO<Program>] = []
    private var willFlush = false
    /// The time at which the worker cancels its remaining handlers; `nil` before `leave(within:)`.
    private var givesUpAt: Moment?
    package private(set) lazy var handlers = makeHandlers()
    private lazy var driver = makeDriver()

    init(_ world: World<Program>, place: Int, life: Int) {
        self.world = world
        self.place = place
        let settings = world.fleet.places[place]
        capacity = settings.capacity
        inboxLimit = world.chance.pick([4, 40, 400])
        configuration = WorkerConfiguration(
            incarnation: Incarnation(high: UInt64(place + 1), low: UInt64(life)), pools: settings.pools,
            build: "simulated", contentTypes: world.effectContentTypes, capacity: settings.capacity,
            timing: world.fleet.timing, maximumPause: world.fleet.timing.silence,
            drainLimit: world.fleet.timing.deadAfter * 2, stopGrace: world.chance.pick([.zero, .seconds(1)]),
            seed: world.chance.next())
        super.init(name: settings.name.map { "\($0)#\(life)" } ?? "worker \(place)#\(life)")
    }

    private func makeHandlers() -> any SimulatedWorkerHandlers {
        if let stage = world.stage, let handlers = world.fleet.places[place].handlers {
            return StagedWorkerHandlers(self, ProcessHandlers(handlers, of: name, on: stage))
        }
        guard let director = world.director else { preconditionFailure("Handlers are real, or a simulation's.") }
        return director.handlers(of: self)
    }

    private func makeDriver() -> ShardDrivers {
        ShardDrivers(configuration, handlers: handlers, isStepwise: true) { [unowned self] shard in
            let port = SimulatedWorkerIO(self, shard: Int(shard))
            ports.append(port)
            return ShardDrivers.Ports(transport: port, observer: port)
        }
    }

    var incarnation: Incarnation { configuration.incarnation }

    var isAtRest: Bool { driver.isAtRest }

    /// Whether it is connected to the coordinators of all shards.
    package var isConnected: Bool { ports.count == world.newest.count && ports.allSatisfy { $0.link != nil } }

    override var driverDeadline: Moment? { driver.nextDeadline }

    // MARK: Inputs

    /// Connects; call it first.
    func begin() { act { [self] in driver.all[0].begin() } }

    func connected(_ port: SimulatedWorkerIO<Program>) {
        input { drivers, now in
            let driver = drivers.all[port.shard]
            if driver.exit == nil { driver.connected(at: now) }
        }
    }

    func tick() {
        act { [self] in
            decide([.drain, .tick])
            planFlush()
        }
    }

    /// Drains the worker, and cancels what has not ended after `limit`.
    func leave(within limit: Duration) {
        givesUpAt = givesUpAt ?? world.now + limit
        drain(by: world.now + limit)
    }

    func drain(by deadline: Moment) { input { $0.drain(by: deadline, at: $1) } }

    func arrive(_ delivery: Delivery, at port: SimulatedWorkerIO<Program>) {
        input(isMessage: true) { drivers, now in
            let driver = drivers.all[port.shard]
            guard driver.exit == nil else { return }
            port.isReadingCut = delivery.isCut
            driver.receive(delivery.bytes.span.bytes, at: now)
        }
    }

    /// Handles the outcome of a real handler; a stopped process handles it later.
    func handle(_ outcome: HandlerOutcome) {
        act { [self] in
            switch outcome {
            case .report(let id, let event, let final):
                world.log(name, outcome.summary(event.map { world.summary($0, for: id.effect.loop) }))
                world.history.said(id, event, final: final, at: world.now)
            case .failed(let id, let failure):
                world.log(name, outcome.summary(nil))
                world.history.failed(id, failure, at: world.now)
            }
            handOver(outcome)
        }
    }

    /// Passes the outcome of a handler to the driver; call it only from an action of this process.
    package func handOver(_ outcome: HandlerOutcome) {
        driver.handle(outcome, at: world.now)
        planFlush()
    }

    private func input(isMessage: Bool = false, _ input: @escaping (ShardDrivers, Moment) -> Void) {
        act(isMessage: isMessage, roomFor: inboxLimit) { [self] in
            input(driver, world.now)
            planFlush()
        }
    }

    private func planFlush() {
        guard !willFlush else { return }
        willFlush = true
        let flush = { [self] in
            willFlush = false
            decide(ShardDrivers.Part.allCases[...])
        }
        // The flush always follows all actions of this input.
        guard let pause = world.pauseBeforeFlush() else {
            act(flush)
            return
        }
        world.plan(after: pause) { [self] _ in _ = act(flush) }
    }

    /// Does some parts of a decision, each after all actions of the one before.
    private func decide(_ parts: ArraySlice<ShardDrivers.Part>) {
        guard let first = parts.first else { return }
        driver.decide(first, at: world.now)
        if parts.count > 1 { actFirst { [self] in decide(parts.dropFirst()) } }
    }

    // MARK: Actions

    override var hasAction: Bool { !driver.isIdle }

    override func step() {
        driver.step(at: world.now)
        guard let exit = driver.exit else { return }
        world.trace(name, "exits: \(exit)")
        if exit == .drained { world.history.checkLeaving(name, handlers.unfinished) }
        world.left(self)
    }

    /// Decodes the effect of an order; `nil` if the program cannot decode it.
    package func read(_ order: EffectOrder) -> Program.Effect? {
        do throws(CodingFailure) {
            return try world.effect(order)
        } catch {
            world.violated(.conduct, "\(name) received an effect that it cannot decode: \(error)")
            return nil
        }
    }

    /// Records that a handler is given up, if it is cancelled because the drain limit is over.
    package func cancels(_ id: AttemptID) {
        if let givesUpAt, givesUpAt <= world.now { world.history.givenUp(id) }
    }

    // MARK: Life cycle

    package override func stop() {
        super.stop()
        handlers.freeze(true)
    }

    package override func wake() {
        handlers.freeze(false)
        super.wake()
    }

    package override func die() {
        super.die()
        handlers.endWithProcess()
    }
}
