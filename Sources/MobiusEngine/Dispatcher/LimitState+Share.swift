import MobiusJournal
import MobiusWire

extension LimitState {
    /// A shard's share of a limit of its cluster, and its demand for it.
    struct Share: Equatable, Sendable {
        struct Units: Equatable, Sendable {
            var count = 0
            /// Whether something began under the limit since they last became more.
            var hasBegun = false
        }

        private var (concurrency, rate) = (Units(), Units())
        /// The number of effects that wait in each pool.
        private(set) var waiting: [String: Int] = [:]
        /// The numbers of attempts that began in the rate's current period, and in that before.
        private var (begun, begunBefore) = (0, 0)
        private var periodEnds: Moment?

        private(set) subscript(resource: LimitResource) -> Units {
            get { resource == .rate ? rate : concurrency }
            set { if resource == .rate { rate = newValue } else { concurrency = newValue } }
        }

        mutating func apply(_ grant: LimitGrant) {
            let (before, count) = (self[grant.key.resource], LimitShare.clamp(grant.units))
            self[grant.key.resource] = Units(count: count, hasBegun: before.hasBegun && count <= before.count)
        }

        mutating func count(waiting change: Int, in pool: String) {
            waiting[pool, default: 0] += change
        }

        mutating func began(_ limit: EffectLimit.Rate?, at now: Moment) {
            (concurrency.hasBegun, rate.hasBegun) = (true, true)
            guard let limit else { return }
            (begunBefore, begun) = recent(limit, at: now)
            if periodEnds.map({ $0 <= now }) ?? true { periodEnds = now + limit.time }
            begun += 1
        }

        /// Returns the numbers of attempts that began in the period before the current one, and in the current one.
        private func recent(_ limit: EffectLimit.Rate, at now: Moment) -> (Int, Int) {
            guard let end = periodEnds, end <= now else { return (begunBefore, begun) }
            return end + limit.time <= now ? (0, 0) : (begun, 0)
        }
    }
}

extension LimitState {
    /// Counts effects that begin to wait in a pool, or wait no more.
    package mutating func count(waiting change: Int, in pool: String) { share?.count(waiting: change, in: pool) }

    /// Returns the shard's demands for the cluster's limit, if it is one.
    ///
    /// Effects that wait in a pool that is paused or has no workers do not count.
    package func demands(at now: Moment, isServed: (String) -> Bool) -> [LimitDemand] {
        guard let share else { return [] }
        let waiting = share.waiting.reduce(0) { isServed($1.key) ? $0 + $1.value : $0 }
        return LimitResource.allCases.compactMap { share.demand($0, of: limit, running, waiting, at: now) }
    }
}

extension LimitState.Share {
    fileprivate func demand(
        _ resource: LimitResource, of limit: EffectLimit, _ running: Int, _ waiting: Int, at now: Moment
    ) -> LimitDemand? {
        let (key, units) = (LimitKey(limit.name, resource), self[resource])
        switch resource {
        case .concurrency:
            return limit.concurrency.map { total in
                LimitDemand(
                    key, total: total, units: units.count, held: max(units.count, running),
                    wanted: min(total, running + waiting), hasBegun: units.hasBegun)
            }
        case .perShard: return nil
        case .rate:
            return limit.rate.map { rate in
                let (before, now) = recent(rate, at: now)
                return LimitDemand(
                    key, total: rate.count, period: rate.time, units: units.count, held: units.count,
                    wanted: min(rate.count, max(before, now) + waiting), hasBegun: units.hasBegun)
            }
        }
    }
}
