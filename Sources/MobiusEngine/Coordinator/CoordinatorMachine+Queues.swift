import MobiusJournal
import MobiusWire

// Queues of effects that wait for workers.
extension CoordinatorMachine {
    mutating func withPool(_ name: String, _ body: (inout PoolState) -> Void) {
        if let slot = pools.slot(of: name) {
            body(&pools[slot])
        } else {
            var pool = PoolState()
            body(&pool)
            pools.insert(pool, for: name)
            poolOrder.append(name)
        }
    }

    /// The number of effects that were put into queues so far, or came back to them.
    package var enqueued: UInt64 { lastOrder + reinserted }

    /// Puts an effect at the end of its lane.
    mutating func enqueue(_ slot: EffectSlot) {
        lastOrder += 1
        let order = lastOrder
        change(slot) { effect in
            effect.phase = .queued
            effect.order = order
        }
        guard case .pool(let pool) = effects[slot].plan.destination else { return }
        let entry = PoolState.Entry(effect: slot, order: order)
        if effects[slot].plan.isPlain {
            let priority = effects[slot].plan.priority
            withPool(pool) { $0.append(entry, priority: priority) }
        } else {
            let key = laneKey(effects[slot].plan, in: pool)
            let fairKey = effects[slot].plan.exactKey
            withPool(pool) { $0.append(entry, to: key, of: fairKey) }
        }
    }

    /// Puts effects back to their places in the queues.
    mutating func reinsert(_ ids: [EffectID]) {
        reinserted += UInt64(ids.count)
        var returned: [(pool: String, lane: PoolState.LaneKey, entries: [PoolState.Entry])] = []
        for id in ids {
            guard let index = effects.slot(of: id), let pool = effects[index].pool else { continue }
            change(index) { $0.phase = .queued }
            let entry = PoolState.Entry(effect: index, order: effects[index].order)
            let lane = laneKey(effects[index].plan, in: pool)
            if let place = returned.firstIndex(where: { $0.pool == pool && $0.lane == lane }) {
                returned[place].entries.append(entry)
            } else {
                returned.append((pool, lane, [entry]))
            }
        }
        for (pool, lane, entries) in returned {
            withPool(pool) { [effects] in
                $0.reinsert(entries, to: lane, named: effects.key(of:)) { effects[$0].plan.exactKey }
            }
        }
    }

    /// The lane of an effect; also stores its route's limit.
    ///
    /// - Parameter workers: Those that may own effects, for a caller that asks for many effects.
    private mutating func laneKey(
        _ plan: EffectPlan, in pool: String, among workers: [Incarnation]? = nil
    ) -> PoolState.LaneKey {
        var key = PoolState.LaneKey(priority: plan.priority)
        if let limit = plan.limit {
            key.limit = limit.name
            withLimit(limit) { $0.limit = limit }
        }
        key.limitPerKey = plan.keyedLimit?.limit.name
        if let affinity = plan.affinity { key.owner = owner(of: affinity, in: pool, among: workers) }
        return key
    }

    /// The worker of an affinity key; draining workers do not count.
    ///
    /// Source: D. Thaler and C. Ravishankar, "Using Name-Based Mappings to Increase Hit Rates", 1998 (rendezvous
    /// hashing): when a worker joins or leaves, only its own keys move.
    func owner(of affinity: String, in pool: String, among known: [Incarnation]? = nil) -> PoolState.Owner {
        let key = FNV1a.hash(Array(affinity.utf8))
        var best: (worker: Incarnation, weight: UInt64)?
        for worker in known ?? owners(in: pool) {
            var high = SplitMix64(seed: key ^ worker.high)
            var both = SplitMix64(seed: high.next() ^ worker.low)
            let weight = both.next()
            if weight >= best?.weight ?? 0 { best = (worker, weight) }
        }
        return best.map { .worker($0.worker) } ?? .nobody
    }

    /// The workers of a pool that may own effects.
    private func owners(in pool: String) -> [Incarnation] {
        let known = pools[pool]?.workers ?? []
        visits.add(known.count)
        return known.filter { workers[$0]?.draining == false }
    }

    /// The workers of a pool have changed: effects with an affinity may belong to another worker.
    mutating func reassignSticky(_ pool: String) {
        guard let slot = pools.slot(of: pool), !pools[slot].isEmpty else { return }
        let owners = owners(in: pool)
        for entry in pools[slot].takeSticky() {
            guard effects.contains(entry.effect) else { continue }
            let key = laneKey(effects[entry.effect].plan, in: pool, among: owners)
            let fairKey = effects[entry.effect].plan.exactKey
            withPool(pool) { $0.append(entry, to: key, of: fairKey) }
        }
    }

    /// Counts an effect in the pool's queue that will not be started.
    ///
    /// Once they are half of the queue they are removed, so that a queue without workers does not grow without bound.
    mutating func skip(in pool: String) {
        guard let slot = pools.slot(of: pool) else { return }
        pools[slot].skipped += 1
        guard pools[slot].skipped * 2 > pools[slot].count else { return }
        pools[slot].sweep { [effects] effect in
            if effects.contains(effect), case .queued = effects[effect].phase { true } else { false }
        }
    }
}
