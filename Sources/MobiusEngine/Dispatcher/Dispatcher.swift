import MobiusJournal
package import MobiusWire

/// Decides which waiting effect goes to which worker next: pools, their queues, and the limits of what runs.
///
/// Pools compete if they share workers or limits: priority and age count across all of them. The machine asks round by round:
/// ``beginRound(_:at:)``, then ``Round/next(_:)`` and ``dispatched(_:isStarted:in:at:)`` until nothing can start, then
/// ``endRound(_:at:)``. Effects and workers are other structs' and handed in; what it has of them are slots.
package struct Dispatcher: Sendable {
    package typealias Effects = SlotTable<EffectID, EffectState>

    /// Whether limits may hold for all shards of a cluster together.
    let sharesLimits: Bool
    /// Whether workers may serve other shards, too, and so are told who waits for their slots.
    let hasShards: Bool
    /// The pools in which nothing new starts.
    var paused: [String: PoolPause] = [:]
    /// The pools that workers serve or effects wait for.
    private(set) var pools = SlotTable<String, PoolState>()
    /// Their names, in the order they were first named, so that iteration does not depend on hashing.
    package private(set) var names: [String] = []
    /// What is known of the limits that routes name; see ``Dispatcher/count(_:atWorker:)``.
    var limits: [String: LimitState] = [:]
    /// The limits of single keys, of which effects run, or began not long ago.
    var keyLimits: [KeyedLimit: LimitState] = [:]
    /// The limits that hold in this shard by itself and were used, where limits may be shared.
    var unshared: [String: UnsharedLimit] = [:]
    /// The demands for the cluster's limits that were reported last; `nil` before the first time.
    var demanded: [LimitDemand]?
    /// The times at which limits have room again.
    var wakes = DeadlineQueue<Wake>()
    /// The number of effects that wait for each worker's slots, as of the last round; of a journal with several shards only.
    package private(set) var wanted: [Incarnation: Int] = [:]
    /// The memory of rounds, empty in between.
    private var memory: [DispatchRound] = []
    /// Numbers what waits.
    private var lastOrder: UInt64 = 0
    /// The number of effects that came back to queues.
    private var reinserted: UInt64 = 0
    private let visits: VisitCount

    /// A limit that is looked at again.
    enum Wake: Equatable, Sendable {
        case limit(String)
        case key(KeyedLimit)
    }

    package init(_ configuration: CoordinatorConfiguration, _ visits: VisitCount) {
        sharesLimits = configuration.sharesLimits
        hasShards = configuration.shards > 1
        self.visits = visits
        pools.visits = visits
    }

    /// The number of effects that were put into queues so far, or came back to them.
    var enqueued: UInt64 { lastOrder + reinserted }

    /// A pool, if workers serve it or effects wait for it.
    subscript(pool: String) -> PoolState? { pools[pool] }

    /// The next number for something that waits.
    package mutating func takeOrder() -> UInt64 {
        lastOrder += 1
        return lastOrder
    }

    // MARK: Queues

    private mutating func withPool(_ name: String, _ body: (inout PoolState) -> Void) {
        if let slot = pools.slot(of: name) {
            body(&pools[slot])
        } else {
            var pool = PoolState()
            body(&pool)
            pools.insert(pool, for: name)
            names.append(name)
        }
    }

    /// Puts a queued effect at the end of its lane.
    @inline(__always)
    package mutating func append(_ slot: EffectSlot, _ effects: inout Effects, _ roster: Roster) {
        guard case .pool(let pool) = effects[slot].plan.destination else { return }
        let entry = PoolState.Entry(effect: slot, order: effects[slot].order)
        if effects[slot].plan.isPlain {
            let priority = effects[slot].plan.priority
            withPool(pool) { $0.append(entry, priority: priority) }
        } else {
            let key = laneKey(effects[slot].plan, in: pool, roster)
            let fairKey = effects[slot].plan.exactKey
            withPool(pool) { $0.append(entry, to: key, of: fairKey) }
        }
    }

    /// Puts queued effects back to their places.
    package mutating func reinsert(_ slots: [EffectSlot], _ effects: Effects, _ roster: Roster) {
        var returned: [(pool: String, lane: PoolState.LaneKey, entries: [PoolState.Entry])] = []
        for slot in slots {
            guard let pool = effects[slot].pool else { continue }
            let entry = PoolState.Entry(effect: slot, order: effects[slot].order)
            let lane = laneKey(effects[slot].plan, in: pool, roster)
            if let place = returned.firstIndex(where: { $0.pool == pool && $0.lane == lane }) {
                returned[place].entries.append(entry)
            } else {
                returned.append((pool, lane, [entry]))
            }
        }
        reinserted += UInt64(slots.count)
        for (pool, lane, entries) in returned {
            withPool(pool) { $0.reinsert(entries, to: lane, named: effects.key(of:)) { effects[$0].plan.exactKey } }
        }
    }

    /// Counts an effect in the pool's queue that will not be started.
    ///
    /// Once they are half of the queue they are removed, so that a queue without workers does not grow without bound.
    package mutating func skip(in pool: String, _ effects: Effects) {
        guard let slot = pools.slot(of: pool) else { return }
        pools[slot].skipped += 1
        guard pools[slot].skipped * 2 > pools[slot].count else { return }
        pools[slot].sweep { effect in
            if effects.contains(effect), case .queued = effects[effect].phase { true } else { false }
        }
    }

    /// The lane of an effect; also stores its route's limit.
    ///
    /// - Parameter workers: Those that may own effects, for a caller that asks for many effects.
    private mutating func laneKey(
        _ plan: EffectPlan, in pool: String, among workers: [Incarnation]? = nil, _ roster: Roster
    ) -> PoolState.LaneKey {
        var key = PoolState.LaneKey(priority: plan.priority)
        if let limit = plan.limit {
            key.limit = limit.name
            withLimit(limit) { $0.limit = limit }
        }
        key.limitPerKey = plan.keyedLimit?.limit.name
        if let affinity = plan.affinity {
            key.owner = Self.owner(of: affinity, among: workers ?? owners(in: pool, roster))
        }
        return key
    }

    /// The worker of an affinity key; draining workers do not count.
    func owner(of affinity: String, in pool: String, _ roster: Roster) -> PoolState.Owner {
        Self.owner(of: affinity, among: owners(in: pool, roster))
    }

    /// The worker of an affinity key, such that only a worker's own keys move when it joins or leaves.
    ///
    /// Source: D. Thaler and C. Ravishankar, "Using Name-Based Mappings to Increase Hit Rates", 1998 (rendezvous hashing).
    private static func owner(of affinity: String, among workers: [Incarnation]) -> PoolState.Owner {
        let key = FNV1a.hash(Array(affinity.utf8))
        var best: (worker: Incarnation, weight: UInt64)?
        for worker in workers {
            var high = SplitMix64(seed: key ^ worker.high)
            var both = SplitMix64(seed: high.next() ^ worker.low)
            let weight = both.next()
            if weight >= best?.weight ?? 0 { best = (worker, weight) }
        }
        return best.map { .worker($0.worker) } ?? .nobody
    }

    /// The workers of a pool that may own effects.
    private func owners(in pool: String, _ roster: Roster) -> [Incarnation] {
        let known = pools[pool]?.workers ?? []
        visits.add(known.count)
        return known.filter { roster[$0]?.draining == false }
    }

    /// The limit of a key that was parked in a lane has room.
    mutating func unpark(_ key: ExactText, _ place: LimitState.Place) {
        guard pools.contains(place.pool) else { return }
        for queue in pools[place.pool].fair.indices where pools[place.pool].fair[queue].priority == place.lane.priority
        {
            pools[place.pool].fair[queue].unpark(key, in: place.lane)
        }
    }

    // MARK: Workers of pools

    /// A worker serves these pools from now on.
    package mutating func join(
        _ worker: Incarnation, _ served: [String], _ effects: inout Effects, _ roster: Roster
    ) {
        for pool in served {
            withPool(pool) {
                if !$0.workers.contains(worker) { $0.workers.append(worker) }
                $0.noted = false
            }
            reassignSticky(pool, &effects, roster)
        }
    }

    /// A worker does not serve these pools any more.
    package mutating func leave(
        _ worker: Incarnation, _ served: [String], _ effects: inout Effects, _ roster: Roster
    ) {
        var gone: Set<String> = []
        for pool in served {
            withPool(pool) { $0.workers.removeAll { $0 == worker } }
            // A pool exists while it has workers or effects: pool names from peers must not accumulate.
            guard let state = pools[pool], state.workers.isEmpty, state.isEmpty else {
                reassignSticky(pool, &effects, roster)
                continue
            }
            pools[pool] = nil
            gone.insert(pool)
        }
        if !gone.isEmpty { names.removeAll { gone.contains($0) } }
    }

    /// The workers of a pool have changed: effects with an affinity may belong to another worker.
    package mutating func reassignSticky(_ pool: String, _ effects: inout Effects, _ roster: Roster) {
        guard let slot = pools.slot(of: pool), !pools[slot].isEmpty else { return }
        let owners = owners(in: pool, roster)
        for entry in pools[slot].takeSticky() {
            guard effects.contains(entry.effect) else { continue }
            let key = laneKey(effects[entry.effect].plan, in: pool, among: owners, roster)
            let fairKey = effects[entry.effect].plan.exactKey
            withPool(pool) { $0.append(entry, to: key, of: fairKey) }
        }
    }

    /// Takes the pools without workers in which effects wait, and of which nobody was told, with the number of effects.
    package mutating func takeUnserved() -> [(pool: String, effects: Int)] {
        var unserved: [(String, Int)] = []
        for name in names {
            guard let slot = pools.slot(of: name), pools[slot].workers.isEmpty, !pools[slot].isEmpty,
                !pools[slot].noted, !isPaused(name)
            else { continue }
            pools[slot].noted = true
            unserved.append((name, pools[slot].count))
        }
        return unserved
    }

    /// Whether nothing new starts in a pool.
    @inline(__always)
    func isPaused(_ pool: String) -> Bool { !paused.isEmpty && paused[pool] != nil }

    // MARK: Rounds

    /// An effect that may start.
    package struct Turn {
        package let effect: EffectSlot
        package let worker: Incarnation
        package let slot: WorkerSlot
        fileprivate let pool: Int
    }

    /// The pools in which effects wait, moved out of their slots for a round.
    ///
    /// It is a value of its own, so that the machine can change everything else meanwhile.
    package struct Round {
        fileprivate var pools: [DispatchRound]

        /// The effect that starts next, and the worker with the most free credit for it; `nil` when none may start.
        @inline(__always)
        package mutating func next(_ effects: inout Effects) -> Turn? {
            guard let pool = first, let place = pools[pool].next, let effect = pools[pool].first(of: place) else {
                return nil
            }
            // Not the worker on which an attempt at this effect ran out of time, if there is another.
            let avoided = effects.contains(effect) && effects[effect].box != nil ? effects[effect].extra.overran : nil
            let (worker, slot, _) = pools[pool].free[pools[pool].worker(for: place, avoiding: avoided)]
            return Turn(effect: effect, worker: worker, slot: slot, pool: pool)
        }

        /// The position of the pool that dispatches next.
        private var first: Int? {
            var best: Int?
            for position in pools.indices {
                guard let next = pools[position].next else { continue }
                if let place = best, let other = pools[place].next, !next.isBefore(other) { continue }
                best = position
            }
            return best
        }
    }

    /// Begins a round: counts what each worker may get.
    package mutating func beginRound(_ roster: inout Roster, at now: Moment) -> Round {
        var pools: [DispatchRound] = []
        swap(&pools, &memory)
        for name in names {
            guard let slot = self.pools.slot(of: name), !self.pools[slot].isEmpty, !isPaused(name) else { continue }
            var pool = PoolState()
            swap(&pool, &self.pools[slot])
            let free = pool.workers.compactMap { roster.credit(of: $0) }
            pools.append(DispatchRound(slot: slot, pool: pool, free: free))
            pools[pools.count - 1].choose(limits, &keyLimits, at: now)
        }
        return Round(pools: pools)
    }

    /// The effect was started, unless it did not wait any more.
    @inline(__always)
    package mutating func dispatched(_ turn: Turn, isStarted: Bool, in round: inout Round, at now: Moment) {
        if let place = round.pools[turn.pool].next { round.pools[turn.pool].popFirst(of: place, counts: isStarted) }
        let hasLimits = !limits.isEmpty || !keyLimits.isEmpty
        for other in round.pools.indices {
            let isHit = isStarted && round.pools[other].spend(on: turn.worker)
            if isHit || other == turn.pool || isStarted && hasLimits {
                round.pools[other].choose(limits, &keyLimits, at: now)
            }
        }
    }

    /// Ends a round: notes who waits for whose slots, and when limits have room again.
    package mutating func endRound(_ round: consuming Round, at now: Moment) {
        if hasShards { countWanted(&round, at: now) }
        for position in round.pools.indices {
            let slot = round.pools[position].slot
            swap(&pools[slot], &round.pools[position].pool)
            if !limits.isEmpty { wakeForLimits(of: pools[slot], at: now) }
            for limit in round.pools[position].parked { wake(for: limit, at: now) }
        }
        while !round.pools.isEmpty { round.pools.removeLast() }  // one or a few: `removeAll` costs more
        swap(&memory, &round.pools)
    }

    /// Counts for each worker without credit how many wait in the pools that would start an effect there if it had some.
    private mutating func countWanted(_ round: inout Round, at now: Moment) {
        wanted = [:]
        for position in round.pools.indices {
            for worker in round.pools[position].lackingCredit(limits, &keyLimits, at: now) {
                wanted[round.pools[position].free[worker].worker, default: 0] += round.pools[position].pool.count
            }
        }
    }
}
