import Bank
import FleetSimulation
import MobiusEngine
import MobiusTestKit

extension Scenario<FallibleBank> {
    /// Puts the journal into a database, and coordinators on several hosts beside it.
    mutating func drawCluster(_ seed: UInt64, _ routes: BankRoutes) {
        // Drawn apart, so that the rest of the run is what it would be without.
        var draw = Chance(seed: seed &+ 0xC1A5)
        var plan = ClusterPlan(
            hosts: draw.pick([2, 2, 3, 4]),
            timing: LeaseTiming(lease: .milliseconds(draw.pick([400, 1000, 1000, 4000]))))
        plan.skewsClocks = draw.percent(60)
        // Drawn apart for the same reason.
        var shards = Chance(seed: seed &+ 0x54A2D)
        if shards.percent(60) {
            plan.shards = shards.pick([2, 3, 4, 6, 6, 8, 12])
            if fleet.loops.count < 3 { BankRun.openBranches(&self, &shards) }
        }
        if fleet.faults.rate > 0 {
            plan.troubles = ClusterTrouble.allCases.filter { ![.split, .failOver].contains($0) && draw.percent(50) }
            plan.lost = draw.pick([0, 0, 50, 500])
            plan.slow = draw.pick([0, 100, 1000])
            plan.stops = draw.pick([0, 20, 100])
        }
        // Drawn apart for the same reason.
        var failover = Chance(seed: seed &+ 0xFA11)
        if !plan.troubles.isEmpty, failover.percent(50) { plan.troubles += [.failOver, .failOver, .failOver] }
        if plan.shards > 1 { drawUpgrade(seed, routes) }
        if plan.shards >= 8 { plan.drawSlowCommits(seed, isFaulty: fleet.faults.rate > 0) }
        // Most steps are calls of the database.
        fleet.faults.steps *= 3
        // A worker may wait for a new coordinator for longer than it keeps what it does.
        fleet.faults.hasInjectedFaults = true
        cluster = plan
    }

    /// In most clusters with several shards a later build of the bank replaces an earlier one, host by host.
    private mutating func drawUpgrade(_ seed: UInt64, _ routes: BankRoutes) {
        // Drawn apart for the same reason.
        var draw = Chance(seed: seed &+ 0x0B1D)
        guard draw.percent(80) else { return }
        fleet.functions = SingleProgram<FallibleBank>(routes.later)
        earlier = EarlierBuild(routes: routes.router) { event in
            if case .remittanceDelivered = event { true } else { false }
        }
        for wave in 1...3 {
            requests += Customers.remittances(fleet.loops, &draw, named: "u\(wave).", percent: 100).map { remittance in
                var late = remittance
                // When accounts are open.
                late.after += .milliseconds(500 * wave)
                return late
            }
        }
        // What a reader gets of a loop that an earlier build cannot read is old.
        readers = 0
    }
}

extension ClusterPlan {
    /// In some clusters of eight shards or more the database is slow, and splits hold shards.
    fileprivate mutating func drawSlowCommits(_ seed: UInt64, isFaulty: Bool) {
        // Drawn apart for the same reason.
        var draw = Chance(seed: seed &+ 0x510)
        guard draw.percent(40) else { return }
        // Short ones, for splits last for several.
        timing.lease = min(timing.lease, .seconds(1))
        timing.longest = timing.lease * 2
        commit = timing.lease / draw.pick([32, 16, 8])
        (lost, slow) = (0, 0)
        guard isFaulty else { return }
        let others: [ClusterTrouble] = [
            .killHost, .loseHost, .stopHost, .cutFromDatabase, .cutFromWorkers, .leave, .setDatabaseClock,
        ]
        troubles = [.split] + others.filter { _ in draw.percent(50) }
    }
}
