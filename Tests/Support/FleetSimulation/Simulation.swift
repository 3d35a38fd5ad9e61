package import MobiusCore
package import MobiusDriver
package import MobiusEngine
import MobiusJournal
package import MobiusTestKit
package import MobiusWire

/// A world with all that only our own tests need: scripted handlers, clients that read and operators, coordinators of a cluster
/// that take leases from each other, and builds of the program that trap.
///
/// As in its world, the scenario and the seed determine the whole run.
package final class Simulation<Program: LoopProgram> {
    package let scenario: Scenario<Program>
    package let world: World<Program>
    /// The hosts of coordinators that stand by for each other; `nil` for a single coordinator.
    private(set) var cluster: Cluster<Program>?

    /// The unanswered requests of operators.
    var operations: [RequestID: Operation] = [:]
    /// Those to act on pending effects.
    var acts: [RequestID: (effect: EffectID, act: History.Act)] = [:]
    /// Those to end loops.
    var ends: [RequestID: LoopID] = [:]
    /// The pools that operators have paused, or want to, and have not resumed.
    var pauses: Set<SimulatedPause> = []
    /// The unanswered requests for that, and to resume them, with the coordinators' epochs.
    var pausing: [RequestID: SimulatedPause] = [:]
    var resuming: [RequestID: (pause: SimulatedPause, epoch: UInt64)] = [:]
    /// The ids of all requests of operators, because a replaced coordinator may answer late.
    var operatorRequests: Set<RequestID> = []
    /// The unanswered requests of readers.
    var reads: [RequestID: OpenRead] = [:]
    /// The unanswered requests that take events to other shards.
    var deliveries: [RequestID: Delivering<Program>] = [:]
    var watchers: [Watcher] = []
    /// What the models of loops were.
    let past: PastModels<Program>
    /// The number of models of the past that readers got, and of events that were too old for that.
    package internal(set) var pastModels = (read: 0, refused: 0)
    /// What the program calls where a build has its mistake.
    package let traps: ProgramTraps
    var trapRecord = TrapRecord()
    /// The number of the program's build with which processes start.
    var build = 1
    /// The most pools that one worker serves.
    private let mostPools: Int
    /// Whether clients and operators make no new requests.
    var isClosing = false
    /// Whether all handlers hang.
    var isFlooding = false

    package init(_ scenario: Scenario<Program>, seed: UInt64) {
        self.scenario = scenario
        mostPools = scenario.places.map(\.pools.count).max() ?? 0
        var fleet = scenario.fleet
        fleet.shards = scenario.cluster?.shards ?? 1
        world = World(fleet, seed: seed)
        traps = ProgramTraps(world.callers)
        past = PastModels(world.modelChecker)
        world.director = self
        if let plan = scenario.cluster {
            cluster = Cluster(self, plan)
            cluster?.begin()
            world.beginWorkers()
        } else {
            world.begin()
        }
        for request in scenario.requests { world.send(request) }
        simulateOperators()
        simulateActs()
        if scenario.pausesPools { simulatePauses() }
        for (loop, after) in scenario.ends { plan(after: after) { $0.end(loop) } }
        if scenario.readers > 0 { simulateReaders() }
        if let traps = scenario.traps { simulateQuarantine(traps) }
    }

    /// Plans an action of the simulation.
    func plan(after pause: Duration, _ act: @escaping (Simulation) -> Void) {
        world.plan(after: pause) { [unowned self] _ in act(self) }
    }

    /// Returns the number of a new request of a client.
    func newRequest() -> RequestID {
        world.lastRequest += 1
        return RequestID(RequestID.firstOfClients + world.lastRequest)
    }

    // MARK: What it uses of its world

    var chance: Chance {
        get { world.chance }
        _modify { yield &world.chance }
    }

    var history: History { world.history }

    func coordinator(of loop: LoopID) -> CoordinatorProcess<Program>? { world.coordinator(of: loop) }

    func trace(_ who: String, _ what: @autoclosure () -> String) { world.trace(who, what()) }

    func violated(_ promise: Promise, _ sentence: String) { world.violated(promise, sentence) }
}

extension Simulation: WorldDirector {
    package func localHandlers(of process: String) -> any SimulatedHandlers { ScriptedHandlers(self, of: process) }

    package func handlers(of worker: MobiusTestKit.WorkerProcess<Program>) -> any SimulatedWorkerHandlers {
        ScriptedWorkerHandlers(worker, in: self)
    }

    package func takes(
        _ step: CoordinatorDriver.Step, _ process: CoordinatorProcess<Program>
    ) -> (_ actions: [CoordinatorAction]) -> Void {
        let cost = StepCost(of: step, in: process.driver.machine, pools: mostPools)
        return { [world] actions in
            guard let excess = cost.excess(actions, round: process.round, in: process.driver.machine) else { return }
            world.violated(.cost, "\(process.name): \(excess)")
        }
    }

    /// The coordinator process that a client of a loop calls: in a cluster sometimes one that was replaced, or that has
    /// another shard.
    package func contact(of loop: LoopID) -> CoordinatorProcess<Program>? {
        let shard = world.shard(of: loop)
        if world.newest.count > 1, chance.percent(5) { return chance.pick(world.newest) }
        guard cluster != nil, let old = world.replacedCoordinators.first(where: { $0.shard == shard }),
            chance.percent(20)
        else { return world.newest[shard] }
        return old
    }

    package func handle(_ answer: ClientAnswer, to request: RequestID) -> Bool {
        handleRelease(request, answer) || handleDelivery(request, answer) || handleRead(request, answer)
            || handleOperatorAnswer(request, answer)
    }

    package func makeTrouble() -> Bool {
        guard let cluster, !cluster.plan.troubles.isEmpty, chance.percent(50) else { return false }
        cluster.makeTrouble(chance.pick(cluster.plan.troubles))
        return true
    }

    package func recover() {
        if let cluster {
            cluster.recover()
            cluster.expectOwners()
        }
        mend()
        expectRoom()
    }
}
