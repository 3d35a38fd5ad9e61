import MobiusJournal
import MobiusWire

// Limits that hold for all shards of a cluster together.
extension CoordinatorMachine {
    /// Changes what is known of a limit, in place.
    mutating func withLimit(_ limit: EffectLimit, _ body: (inout LimitState) -> Void) {
        let isShared = configuration.sharesLimits
        body(&limits[limit.name, default: LimitState(limit, isShared: isShared)])
    }

    /// The cluster has granted other units of a limit: the next flush dispatches by them.
    mutating func take(_ grant: LimitGrant, at now: Moment) {
        guard grant.key.resource == .perShard else {
            limits[grant.key.name]?.take(grant, at: now)
            return
        }
        unshared[grant.key.name]?.units = grant.units
        if grant.units > 0 { unshared[grant.key.name]?.isNoted = true }
    }

    /// A limit of this shard alone is used, which is noted so that a split can refuse to let it grow.
    mutating func note(unshared name: String) {
        if unshared[name] == nil { unshared[name] = UnsharedLimit() }
    }

    /// Counts an effect that waits under a limit of the cluster, or waits no more.
    mutating func count(_ plan: EffectPlan, waiting change: Int) {
        guard let limit = plan.limit, limit.scope == .cluster, case .pool(let pool) = plan.destination else { return }
        withLimit(limit) { $0.count(waiting: change, in: pool) }
    }

    /// Tells what could be used of the cluster's limits, whenever that changes; for the first time also without limits, because an
    /// earlier owner of the shard may have left units that are not used any more.
    mutating func tellDemands(at now: Moment, _ actions: inout [CoordinatorAction]) {
        guard configuration.sharesLimits else { return }
        for state in limits.values where state.share == nil { note(unshared: state.limit.name) }
        let shared = limits.values.filter { $0.share != nil }.sorted { $0.limit.name < $1.limit.name }
        var demands = shared.flatMap { limit in
            limit.demands(at: now) { pool in pools[pool].map { !$0.workers.isEmpty } ?? false }
        }
        for (name, limit) in unshared.sorted(by: { $0.key < $1.key }) { demands.append(limit.demand(name)) }
        guard demands != demanded else { return }
        demanded = demands
        actions.append(.demand(demands))
    }
}

/// A limit that holds in a shard by itself, and what the database knows of that: one unit of as many as there may be shards.
struct UnsharedLimit: Equatable, Sendable {
    var units = 0
    var isNoted = false

    /// Asks for the unit, until the shard has had it.
    func demand(_ name: String) -> LimitDemand {
        LimitDemand(
            LimitKey(name, .perShard), total: ClusterMap.maximumShards, units: units, held: units,
            wanted: isNoted ? 0 : 1, hasBegun: true)
    }
}
