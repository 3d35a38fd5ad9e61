import MobiusCore
import MobiusEngine
import MobiusProgram

/// The hosts of a simulated cluster and the database that they share.
final class Cluster<Program: LoopProgram> {
    unowned let world: World<Program>
    let plan: ClusterPlan
    let table = LeaseTable()
    private(set) var hosts: [ClusterHost<Program>] = []
    var counts = ClusterCounts()
    /// Whether the database takes no connections.
    private(set) var isDatabaseAway = false

    init(_ world: World<Program>, _ plan: ClusterPlan) {
        self.world = world
        self.plan = plan
    }

    /// Starts a process on each host.
    func begin() {
        for number in 0..<plan.hosts {
            let rate = plan.skewsClocks ? world.chance.pick([800, 1000, 1200, world.chance.number(800...1200)]) : 1000
            let clock = HostClock(
                rate: rate, offset: Int64(world.chance.number(0...1_000_000)) * 1_000_000_000, start: world.now)
            let host = ClusterHost(self, number: number, clock: clock)
            hosts.append(host)
            world.plan(after: world.chance.milliseconds(0...50)) { _ in host.boot() }
        }
    }

    // MARK: - Troubles

    func makeTrouble(_ trouble: ClusterTrouble) {
        let owner = hosts.first { $0.turn?.process != nil && $0.turn?.epoch == table.epoch }
        // The one that runs the loops has the most to lose.
        let host = world.chance.percent(75) ? owner ?? world.chance.pick(hosts) : world.chance.pick(hosts)
        // In the middle of what its loops do, or at any time.
        let steps = world.chance.number(0...12)
        switch trouble {
        case .killHost where world.chance.percent(50): host.turn?.process?.inject(after: steps, .killed)
        case .killHost: host.kill()
        case .loseHost: host.losePower()
        case .stopHost where world.chance.percent(50): host.turn?.process?.inject(after: steps, .stopped(pause()))
        case .stopHost: host.stop(for: pause())
        case .cutFromDatabase: host.cutFromDatabase(for: pause())
        case .cutFromWorkers: host.cutFromWorkers(for: pause())
        case .restartDatabase: restartDatabase()
        case .loseSession: host.loseSession()
        case .leave: host.leave()
        }
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
        isDatabaseAway = true
        table.closeAll()
        for host in hosts { host.connectionsEnded() }
        world.plan(after: pause) { [self] _ in isDatabaseAway = false }
    }

    /// Ends all troubles.
    func recover() {
        isDatabaseAway = false
        for host in hosts { host.recover() }
    }

    // MARK: - Calls of the database

    /// How one way of a call goes: how long it takes, and whether it is lost.
    func way() -> (time: Duration, isLost: Bool) {
        guard world.isFaulty else { return (world.chance.microseconds(50...2000), false) }
        let lease = Int(plan.timing.lease.microseconds)
        let isSlow = world.chance.happens(plan.slow)
        let time = world.chance.microseconds(isSlow ? lease / 10...lease : 50...2000)
        return (time, world.chance.happens(plan.lost / 2))
    }

    /// Wakes the processes that wait for a lease.
    func released() {
        counts.handOvers += 1
        for host in hosts { host.notify() }
    }

    // MARK: - Checks

    /// Checks that a process may tell anyone anything.
    func tells(_ what: String, epoch: UInt64) {
        guard !table.isValid(epoch, at: world.now) else { return }
        let newest = table.epoch == epoch ? "which has ended" : "and the newest epoch is \(table.epoch)"
        world.violated(.lease, "\(what) leaves coordinator#\(epoch) without its lease, \(newest)")
    }

    /// Plans a check, now that there are no more faults: soon one process runs the loops.
    func expectOwner() {
        // The longest time for which a process leaves the lease to others after failures, and a taking.
        world.plan(after: plan.timing.lease * 12 + .seconds(1)) { [self] _ in checkOwner() }
    }

    private func checkOwner() {
        guard !hasOwner else { return }
        world.violated(
            .lease,
            "long after the last fault \(owners.map(\.name)) run the loops, and the newest epoch is \(table.epoch)")
    }

    /// Whether one process runs the loops, and has the lease.
    var hasOwner: Bool {
        let owners = owners
        return owners.count == 1 && owners.allSatisfy { $0.epoch == table.epoch && !$0.isAtGate }
    }

    private var owners: [CoordinatorProcess<Program>] { hosts.compactMap { $0.turn?.process }.filter(\.isAlive) }
}
