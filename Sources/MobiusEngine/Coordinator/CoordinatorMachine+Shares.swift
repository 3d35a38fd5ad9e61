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
    mutating func take(_ grant: LimitGrant, at now: Moment) { limits[grant.key.name]?.take(grant, at: now) }

    /// Counts an effect that waits under a limit of the cluster, or waits no more.
    mutating func count(_ plan: EffectPlan, waiting change: Int) {
        guard let limit = plan.limit, limit.scope == .cluster, case .pool(let pool) = plan.destination else { return }
        withLimit(limit) { $0.count(waiting: change, in: pool) }
    }

    /// Tells what could be used of the cluster's limits, whenever that changes; for the first time also without limits, because an
    /// earlier owner of the shard may have left units that are not used any more.
    mutating func tellDemands(at now: Moment, _ actions: inout [CoordinatorAction]) {
        guard configuration.sharesLimits else { return }
        let shared = limits.values.filter { $0.share != nil }.sorted { $0.limit.name < $1.limit.name }
        let demands = shared.flatMap { limit in
            limit.demands(at: now) { pool in pools[pool].map { !$0.workers.isEmpty } ?? false }
        }
        guard demands != demanded else { return }
        demanded = demands
        actions.append(.demand(demands))
    }
}
