import MobiusCore
import MobiusEngine
import MobiusProgram
import MobiusTestKit
import MobiusWire

/// The hosts of a simulated cluster and the database that they share.
final class Cluster<Program: LoopProgram> {
    unowned let simulation: Simulation<Program>
    let plan: ClusterPlan
    let table: LeaseTable
    private(set) var hosts: [ClusterHost<Program>] = []
    var counts = ClusterCounts()
    /// Whether the database takes no connections.
    private(set) var isDatabaseAway = false
    /// The shards that no process can run.
    private(set) var unfit: Set<UInt32> = []
    /// The times until which splits hold shards.
    private(set) var held: [UInt32: Moment] = [:]
    /// Whether a replica takes over soon after the next taking of a lease.
    var failsOver = false
    /// The database before each taking since a journal was written last: what a replica may have that lags behind.
    var received: [(content: LeaseTable.Content, writes: Int)] = []
    /// The epochs of the leases of which failovers lost a taking or renewal, when these were, and until when their owners may act.
    var lostLeases: [UInt64: (lost: Moment, end: Moment)] = [:]
    /// The times since which shards are free whose lease was released.
    var freed: [UInt32: Moment] = [:]

    init(_ simulation: Simulation<Program>, _ plan: ClusterPlan) {
        self.simulation = simulation
        self.plan = plan
        table = LeaseTable(simulation.world.slices, longest: plan.timing.longest)
    }

    var world: World<Program> { simulation.world }
    /// The slices of each shard.
    var slices: [SliceSet] { world.slices }

    /// Starts a process on each host.
    func begin() {
        for number in 0..<plan.hosts {
            let rate = plan.skewsClocks ? world.chance.pick([870, 1000, 1130, world.chance.number(870...1130)]) : 1000
            let clock = HostClock(
                rate: rate, offset: Int64(world.chance.number(0...1_000_000)) * 1_000_000_000, start: world.now)
            let host = ClusterHost(self, number: number, clock: clock)
            hosts.append(host)
            world.plan(after: world.chance.milliseconds(0...50)) { _ in host.boot() }
        }
        planUpgrades()
        if plan.commit != nil { split(UInt32(world.chance.number(0...plan.shards - 1)), longestWithoutOwner) }
    }

    // MARK: - Troubles

    func makeTrouble(_ trouble: ClusterTrouble) {
        let shard = plan.shards == 1 ? 0 : UInt32(world.chance.number(0...plan.shards - 1))
        let owner = hosts.first { $0.terms[shard]?.process != nil && $0.terms[shard]?.epoch == table.epoch(of: shard) }
        // The one that runs the loops has the most to lose.
        let host = world.chance.percent(75) ? owner ?? world.chance.pick(hosts) : world.chance.pick(hosts)
        // In the middle of what its loops do, or at any time.
        let steps = world.chance.number(0...12)
        switch trouble {
        case .killHost where world.chance.percent(50): host.terms[shard]?.process?.inject(after: steps, .killed)
        case .killHost: host.kill()
        case .loseHost: host.losePower()
        case .stopHost where world.chance.percent(50):
            host.terms[shard]?.process?.inject(after: steps, .stopped(pause()))
        case .stopHost: host.stop(for: pause())
        case .cutFromDatabase: host.cutFromDatabase(for: pause())
        case .cutFromWorkers: host.cutFromWorkers(for: pause())
        case .restartDatabase: restartDatabase()
        case .loseSession: host.loseSession()
        case .leave: host.leave()
        case .spoil where plan.shards > 1:
            world.log("trouble", "shard \(shard) is unfit")
            unfit.insert(shard)
            world.plan(after: pause()) { [self] _ in unfit.remove(shard) }
        case .split where plan.shards > 1:
            split(shard, .zero)
            if world.chance.percent(50) { owner?.kill() }
        case .spoil, .split: break
        // By a clock that is set back, an epoch that was lost might come again.
        case .setDatabaseClock where !lostLeases.isEmpty: break
        case .setDatabaseClock:
            let step = Duration.milliseconds(world.chance.number(100...4_000_000)) * (world.chance.percent(50) ? 1 : -1)
            world.log("trouble", "the database's clock is set by \(step)")
            table.setClock(by: step)
        case .failOver: failsOver = true
        case .move: table.want(plan.shards > 1 ? world.chance.pick(hosts).process : nil, for: shard)
        }
    }

    /// Begins a split, which lasts longer than `least`, also when all other troubles are over.
    private func split(_ shard: UInt32, _ least: Duration) {
        let pause = least + plan.timing.lease * world.chance.number(1...4)
        world.log("trouble", "a split holds shard \(shard) for \(pause)")
        held[shard] = max(held[shard] ?? world.now, world.now + pause)
    }

    /// In half of the cases long enough for another host to take over.
    func pause() -> Duration {
        let lease = Int(plan.timing.lease.microseconds)
        return world.chance.microseconds(world.chance.percent(50) ? lease / 20...lease : lease...lease * 5 / 2)
    }

    private func restartDatabase() {
        guard !isDatabaseAway else { return }
        let lease = Int(plan.timing.lease.microseconds)
        let pause = world.chance.microseconds(lease / 100...lease * 3 / 2)
        world.log("trouble", "the database is away for \(pause)")
        goAway(for: pause)
        for host in hosts { host.connectionsEnded() }
    }

    /// The database ends all connections, which the hosts are not told.
    func goAway(for pause: Duration) {
        isDatabaseAway = true
        table.closeAll()
        world.plan(after: pause) { [self] _ in isDatabaseAway = false }
    }

    /// Ends all troubles.
    func recover() {
        isDatabaseAway = false
        failsOver = false
        unfit = []
        for shard in slices.indices { table.want(nil, for: UInt32(shard)) }
        for host in hosts { host.recover() }
    }

    // MARK: - Calls of the database

    /// Returns the time that one way of a call takes, and whether the call is lost on it.
    func way() -> (time: Duration, isLost: Bool) {
        guard world.isFaulty else { return (world.chance.microseconds(50...2000), false) }
        let lease = Int(plan.timing.lease.microseconds)
        let isSlow = world.chance.happens(plan.slow)
        let time = world.chance.microseconds(isSlow ? lease / 10...lease : 50...2000)
        return (time, world.chance.happens(plan.lost / 2))
    }

    /// Wakes the processes that wait for a lease.
    func released(_ shard: UInt32) {
        freed[shard] = world.now
        counts.handOvers += 1
        for host in hosts { host.notify() }
    }

    // MARK: - Checks

    /// Checks that a process may tell anyone anything.
    func tells(_ what: String, epoch: UInt64) {
        let shard = UInt32(world.shard(of: epoch))
        guard !table.isValid(epoch, of: shard, at: world.now), !mayAct(byLost: epoch) else { return }
        let newest = table.epoch(of: shard)
        let end = newest == epoch ? "which has ended" : "and the newest epoch is \(newest)"
        world.violated(.lease, "\(what) leaves coordinator#\(epoch) without its lease, \(end)")
    }

    /// Plans a check, now that there are no more faults: soon one process runs each shard.
    func expectOwners() {
        // The longest time for which a process leaves a lease to others after failures, one for which the dead count after the
        // database's clock was set back, and a taking; and what is left of splits.
        let splits = max(world.now, held.values.max() ?? world.now) - world.now
        world.plan(after: plan.timing.lease * 12 + plan.timing.longest + .seconds(1) + splits) { [self] _ in
            guard !hasOwners else { return }
            let newest = slices.indices.map { table.epoch(of: UInt32($0)) }
            world.violated(
                .lease,
                "long after the last fault \(owners.map(\.name)) run the loops, and the newest epochs are \(newest)")
        }
    }

    /// Whether one process runs each shard, and has its lease, and none is of an earlier build.
    var hasOwners: Bool {
        let owners = owners
        return owners.count == slices.count && Set(owners.map(\.epoch)).count == slices.count && !hasEarlier
            && owners.allSatisfy { $0.epoch == table.epoch(of: UInt32($0.shard)) && !$0.isAtGate }
    }

    /// Whether no host runs more than its share.
    var isFair: Bool { hosts.allSatisfy { $0.terms.count <= (plan.shards + plan.hosts - 1) / plan.hosts } }

    private var owners: [CoordinatorProcess<Program>] { hosts.flatMap(\.processes).filter(\.isAlive) }
}
