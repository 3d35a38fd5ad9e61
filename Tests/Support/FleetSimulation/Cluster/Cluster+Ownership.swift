import MobiusDriver
import MobiusEngine
import MobiusTestKit
import MobiusWire

// Checks that leases are renewed and taken in time by processes that nothing keeps from it.
extension Cluster {
    /// The time for which a shard may have no owner while a process could take it.
    ///
    /// By a slow clock and a late poll, its lease ends up to a quarter of its time later, and the shard is left to others for one and
    /// a quarter of it. A lease that is first seen after the database's clock was set back ends as late as any of the cluster may.
    /// Shards are taken one after the other, with four calls for each.
    var longestWithoutOwner: Duration {
        let last = plan.troubles.contains(.setDatabaseClock) ? plan.timing.longest : plan.timing.lease
        return last + plan.timing.lease + ((plan.commit ?? .zero) + .milliseconds(5)) * (plan.shards * 4)
    }

    /// Whether a split holds a shard.
    func isHeld(_ shard: UInt32) -> Bool { held[shard].map { world.now < $0 } ?? false }

    /// Checks, before a shard is taken, that no process could have taken it long before.
    func willTake(_ shard: UInt32) {
        checkRenewal(of: shard)
        let end = freed.removeValue(forKey: shard) ?? table.end(of: shard)
        let free = max(end, held[shard] ?? end)
        guard plan.commit != nil else { return }
        for host in hosts where host.isSteady {
            let wait = world.now - max(free, host.steady)
            guard wait > longestWithoutOwner else { continue }
            world.violated(.lease, "shard \(shard) had no owner for \(wait), in which \(host.name) could have taken it")
        }
    }

    /// Checks, before a lease is renewed or taken, that its holder has not left it to end.
    func checkRenewal(of shard: UInt32) {
        let (epoch, end) = (table.epoch(of: shard), table.end(of: shard))
        guard plan.commit != nil, end <= world.now,
            let holder = hosts.first(where: { $0.driver?.epoch(of: shard) == epoch }),
            holder.isSteady, holder.steady + plan.timing.lease <= end
        else { return }
        world.violated(.lease, "\(holder.name) has not renewed the lease of shard \(shard) in time")
    }
}

extension ClusterHost {
    /// Whether nothing keeps its driver from its work.
    var isSteady: Bool { driver != nil && !isStopped && !isLeaving && reachesDatabase }

    /// Something has kept its driver from its work, or does for so long.
    func disturbed(for pause: Duration = .zero) { steady = max(steady, world.now + pause) }
}
