import MobiusEngine
import MobiusJournal
import MobiusTestKit
import MobiusWire

// A replica takes the database over.
//
// What it has is the beginning of what the primary wrote. A replica that has everything that a journal has confirmed, as a synchronous
// one does, can therefore lack only what was written after the last write of any journal: takings, renewals and releases of leases.
extension Cluster {
    private var writes: Int { world.disks.reduce(0) { $0 + $1.writes } }

    /// Notes the database before a taking.
    func willBegin() {
        let writes = writes
        received.removeAll { $0.writes != writes }
        received.append((table.content, writes))
        guard failsOver, world.isFaulty else { return }
        failsOver = false
        // In the time in which workers join the new owner.
        world.plan(after: world.chance.milliseconds(10...600)) { [self] _ in failOver() }
    }

    /// Lets a replica take over, unless the database is away.
    private func failOver() {
        guard world.isFaulty, !isDatabaseAway else { return }
        let writes = writes
        let known = received.filter { $0.writes == writes }
        received = []
        counts.failovers += 1
        world.log("trouble", "a replica takes the database over")
        let lease = Int(plan.timing.lease.microseconds)
        goAway(for: world.chance.microseconds(lease / 100...lease / 4))
        // A primary whose host is lost closes no connection: its clients find out one by one.
        let isSilent = world.chance.percent(50)
        for host in hosts {
            let pause = isSilent ? world.chance.microseconds(0...lease / 2) : .zero
            world.plan(after: pause) { _ in host.connectionsEnded() }
        }
        // By a clock that was set back, an epoch may come twice, which only the next owner's sight of the last one rules out.
        guard !known.isEmpty, table.content.epochs.allSatisfy({ $0 < table.clock(at: world.now) }) else { return }
        // How far the replica's clock may be behind, so that the next epochs are above those that it knows.
        var behind = Int.max
        for lost in table.restore(world.chance.pick(known).content) {
            lostLeases[lost.epoch] = (world.now, lost.end)
            freed[lost.shard] = nil
            let epoch = table.epoch(of: lost.shard)
            guard lost.epoch > epoch else { continue }
            counts.lostTakings += 1
            world.log("trouble", "the database lost epoch \(lost.epoch) of shard \(lost.shard), after \(epoch)")
            world.disks[Int(lost.shard)].loseOpenings(after: epoch)
            behind = min(behind, Int(table.clock(at: world.now) - epoch) - 1)
        }
        guard behind != .max, behind >= 0, world.chance.percent(75) else { return }
        // Mostly far enough that the next epochs are below those that were lost.
        let step = Duration.milliseconds(world.chance.number(behind * 3 / 4...behind))
        world.log("trouble", "its clock is \(step) behind that of the primary")
        table.setClock(by: .zero - step)
    }

    /// Whether the owner of a lease that a failover lost may still act by it: it cannot know that yet.
    func mayAct(byLost epoch: UInt64) -> Bool { lostLeases[epoch].map { world.now < $0.end } ?? false }

    /// Checks, when a lease is taken, that nobody acts by a later one that a failover lost.
    func checkLost(_ seen: ShardState, by taker: ClusterHost<Program>) {
        guard let lease = seen.lease, lease.holder.process != taker.process else { return }
        for host in hosts where host !== taker {
            guard let term = host.terms[seen.shard], term.isOpen, term.process?.isAlive == true,
                // A process that has begun since cannot know that there was another database.
                let taking = lostLeases[term.epoch], taker.started < taking.lost, term.epoch > seen.epoch
            else { continue }
            world.violated(
                .lease,
                "\(taker.name) takes shard \(seen.shard) while \(host.name) acts under epoch \(term.epoch), which was lost"
            )
        }
    }
}

extension ClusterHost {
    /// A worker has seen a later epoch than that of a term.
    func outranked(_ term: LeaseTerm<Program>, by epoch: UInt64) {
        guard terms[term.shard] === term else { return }
        cluster.counts.outranked += 1
        world.log(name, "learns of epoch \(epoch) of shard \(term.shard), above \(term.epoch)")
        post(.outranked(term.shard, epoch: term.epoch, by: epoch))
    }
}
