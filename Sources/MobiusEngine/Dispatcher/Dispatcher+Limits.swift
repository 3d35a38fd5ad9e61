import MobiusJournal
import MobiusWire

// What runs under limits: of a route, of each of its keys, of a shard, of all shards of a cluster together.
extension Dispatcher {
    /// The number of keys of which something is remembered besides their effects.
    package var keyCount: Int {
        keyLimits.count + pools.values.reduce(0) { $0 + $1.fair.reduce(0) { $0 + $1.keyCount } }
    }

    /// Changes what is known of a limit, in place.
    mutating func withLimit(_ limit: EffectLimit, _ body: (inout LimitState) -> Void) {
        body(&limits[limit.name, default: LimitState(limit, isShared: sharesLimits)])
    }

    /// Counts an effect that a worker has, or has no more.
    package mutating func count(_ plan: EffectPlan, atWorker: Bool) {
        if let limit = plan.limit { withLimit(limit) { $0.running += atWorker ? 1 : -1 } }
        guard let (name, limit) = plan.keyedLimit else { return }
        if atWorker {
            if sharesLimits, keyLimits[name] == nil { note(unshared: limit.name) }
            keyLimits[name, default: LimitState(limit)].limit = limit
            keyLimits[name]?.running += 1
        } else {
            keyLimits[name]?.running -= 1
            unpark(name)
            forgetIfIdle(name)
        }
    }

    /// Counts an effect that waits under a limit of the cluster, or waits no more.
    mutating func count(_ plan: EffectPlan, waiting change: Int) {
        guard let limit = plan.limit, limit.scope == .cluster, case .pool(let pool) = plan.destination else { return }
        withLimit(limit) { $0.count(waiting: change, in: pool) }
    }

    /// An attempt at an effect begins: its rates count it.
    package mutating func began(_ plan: EffectPlan, at now: Moment) {
        if let limit = plan.limit { limits[limit.name]?.began(at: now) }
        if let (name, _) = plan.keyedLimit { keyLimits[name]?.began(at: now) }
    }

    /// The limits of a plan that count something, the overall one first.
    func states(of plan: EffectPlan) -> [(name: String, state: LimitState)] {
        var states: [(String, LimitState)] = []
        if let limit = plan.limit, let state = limits[limit.name] { states.append((limit.name, state)) }
        if let (name, limit) = plan.keyedLimit, let state = keyLimits[name] {
            // Without the key, which the program computes from the effect: others may see that it waits, but not its content.
            states.append(("\(limit.name) of its key", state))
        }
        return states
    }

    // MARK: Times

    /// The next time at which a limit has room again.
    @inline(__always)
    package var nextWake: Moment? { wakes.next }

    /// Looks at up to `count` limits whose time has come; the next round chooses by them.
    package mutating func wake(atMost count: Int, at now: Moment) {
        for _ in 0..<count {
            guard let (wake, moment) = wakes.popEntry(dueAt: now) else { return }
            guard awaits(wake, set: moment) else { continue }
            switch wake {
            case .limit(let name): limits[name]?.wakesAt = nil
            case .key(let name): opened(name, at: now)
            }
        }
    }

    private func awaits(_ wake: Wake, set moment: Moment) -> Bool {
        switch wake {
        case .limit(let name): limits[name]?.wakesAt == moment
        case .key(let name): keyLimits[name]?.wakesAt == moment
        }
    }

    private mutating func set(_ wake: Wake, at moment: Moment) {
        wakes.set(wake, at: moment)
        guard wakes.count > 4 * (limits.count + keyLimits.count) + 1024 else { return }
        var queue = DeadlineQueue<Wake>()
        swap(&queue, &wakes)
        queue.sweep { wake, moment in awaits(wake, set: moment) }
        swap(&queue, &wakes)
    }

    /// Wakes up when a rate allows further effects of a pool.
    mutating func wakeForLimits(of pool: PoolState, at now: Moment) {
        for lane in pool.lanes where !lane.queue.isEmpty { wakeForLimit(of: lane.key, at: now) }
        for lane in pool.fair.flatMap(\.lanes) where !lane.lines.isEmpty { wakeForLimit(of: lane.key, at: now) }
    }

    private mutating func wakeForLimit(of lane: PoolState.LaneKey, at now: Moment) {
        guard let name = lane.limit, let moment = limits[name]?.opens(after: now), moment != limits[name]?.wakesAt
        else { return }
        limits[name]?.wakesAt = moment
        set(.limit(name), at: moment)
    }

    /// Wakes up when the rate of a key allows further effects.
    mutating func wake(for name: KeyedLimit, at now: Moment) {
        guard let moment = keyLimits[name]?.opens(after: now), moment != keyLimits[name]?.wakesAt else { return }
        wake(for: name, set: moment)
    }

    private mutating func wake(for name: KeyedLimit, set moment: Moment) {
        keyLimits[name]?.wakesAt = moment
        set(.key(name), at: moment)
    }

    /// The time has come for which a key's limit was set to wake up.
    private mutating func opened(_ name: KeyedLimit, at now: Moment) {
        keyLimits[name]?.wakesAt = nil
        unpark(name)
        guard let state = keyLimits[name], state.running == 0 else { return }
        if let full = state.full, full > now { wake(for: name, set: full) } else { keyLimits[name] = nil }
    }

    /// A key's limit may have room: the next round chooses among its effects again.
    private mutating func unpark(_ name: KeyedLimit) {
        guard let places = keyLimits[name]?.parked, !places.isEmpty else { return }
        keyLimits[name]?.parked = []
        for place in places { unpark(name.key, place) }
    }

    /// Keys come and go without end: the limit of one goes when nothing runs under it and its rate's bucket is full.
    private mutating func forgetIfIdle(_ name: KeyedLimit) {
        guard let state = keyLimits[name], state.running == 0 else { return }
        guard let full = state.full else {
            keyLimits[name] = nil
            return
        }
        if state.wakesAt == nil { wake(for: name, set: full) }
    }

    // MARK: Shared with other shards

    /// The cluster has granted other units of a limit: the next round goes by them.
    mutating func receive(_ grant: LimitGrant, at now: Moment) {
        guard grant.key.resource == .perShard else {
            limits[grant.key.name]?.apply(grant, at: now)
            return
        }
        unshared[grant.key.name]?.units = grant.units
        if grant.units > 0 { unshared[grant.key.name]?.isNoted = true }
    }

    /// A limit of this shard alone is used, which is noted so that a split can refuse to let it grow.
    private mutating func note(unshared name: String) {
        if unshared[name] == nil { unshared[name] = UnsharedLimit() }
    }

    /// Returns what could be used of the cluster's limits, whenever that has changed; for the first time also without limits,
    /// because an earlier owner of the shard may have left units that are not used any more.
    mutating func takeDemands(at now: Moment) -> [LimitDemand]? {
        guard sharesLimits else { return nil }
        for state in limits.values where state.share == nil { note(unshared: state.limit.name) }
        let shared = limits.values.filter { $0.share != nil }.sorted { $0.limit.name < $1.limit.name }
        var demands = shared.flatMap { limit in
            limit.demands(at: now) { pool in !isPaused(pool) && pools[pool].map { !$0.workers.isEmpty } ?? false }
        }
        for (name, limit) in unshared.sorted(by: { $0.key < $1.key }) { demands.append(limit.demand(name)) }
        guard demands != demanded else { return nil }
        demanded = demands
        return demands
    }
}
