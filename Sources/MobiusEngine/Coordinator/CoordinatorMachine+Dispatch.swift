import MobiusJournal
import MobiusWire

// From the queues to the workers.
extension CoordinatorMachine {
    mutating func withPool(_ name: String, _ body: (inout PoolState) -> Void) {
        if let index = pools.index(forKey: name) {
            body(&pools.values[index])
        } else {
            var pool = PoolState()
            body(&pool)
            pools[name] = pool
            poolOrder.append(name)
        }
    }

    /// Puts an effect at the end of its lane.
    mutating func enqueue(_ id: EffectID) {
        guard let index = effects.index(forKey: id), let pool = effects.values[index].pool else { return }
        change(index) { $0.phase = .queued }
        if effects.values[index].order == 0 {
            lastOrder += 1
            effects.values[index].order = lastOrder
        }
        let entry = PoolState.Entry(id: id, order: effects.values[index].order)
        let key = laneKey(effects.values[index].plan, in: pool)
        withPool(pool) { $0.append(entry, to: key) }
    }

    /// Puts effects, oldest first, back to the front of their lanes.
    mutating func putBack(_ ids: [EffectID]) {
        var returned: [(pool: String, lane: PoolState.LaneKey, entries: [PoolState.Entry])] = []
        for id in ids {
            guard let index = effects.index(forKey: id), let pool = effects.values[index].pool else { continue }
            change(index) { $0.phase = .queued }
            let entry = PoolState.Entry(id: id, order: effects.values[index].order)
            let lane = laneKey(effects.values[index].plan, in: pool)
            if let place = returned.firstIndex(where: { $0.pool == pool && $0.lane == lane }) {
                returned[place].entries.append(entry)
            } else {
                returned.append((pool, lane, [entry]))
            }
        }
        for (pool, lane, entries) in returned { withPool(pool) { $0.prepend(entries, to: lane) } }
    }

    /// Which lane an effect waits in; also notes what its route says of its limit.
    private mutating func laneKey(_ plan: EffectPlan, in pool: String) -> PoolState.LaneKey {
        let policy = plan.policy
        var key = PoolState.LaneKey(priority: policy.priority)
        if let limit = policy.limit {
            key.limit = limit.name
            limits[limit.name, default: LimitState(limit)].limit = limit
        }
        if let affinity = plan.affinity {
            key.owner = Self.owner(of: affinity, among: pools[pool]?.workers ?? [])
        }
        return key
    }

    /// The worker that effects of a key stick to.
    ///
    /// Source: D. Thaler and C. Ravishankar, "Using Name-Based Mappings to Increase Hit Rates", 1998 (rendezvous hashing):
    /// when a worker comes or goes, only the keys that it wins or held move.
    private static func owner(of affinity: String, among workers: [Incarnation]) -> PoolState.Owner {
        let bytes = Array(affinity.utf8)
        let ranked = workers.map { worker in
            (worker, FNV1a.hash(bytes + Array("\(worker)".utf8)))
        }
        return ranked.max { $0.1 < $1.1 }.map { .worker($0.0) } ?? .nobody
    }

    /// The workers of a pool are others now: what sticks to one may have to wait for another one.
    mutating func rehome(_ pool: String) {
        guard let index = pools.index(forKey: pool), !pools.values[index].isEmpty else { return }
        for entry in pools.values[index].takeSticky() {
            guard let plan = effects[entry.id]?.plan else { continue }
            let key = laneKey(plan, in: pool)
            withPool(pool) { $0.append(entry, to: key) }
        }
    }

    /// Hands queued effects to the workers with the most free credit.
    mutating func dispatch(at now: Moment) {
        for name in poolOrder {
            guard let index = pools.index(forKey: name), !pools.values[index].isEmpty else { continue }
            var free = pools.values[index].workers.map { FreeCredit(worker: $0, credit: workers[$0]?.free ?? 0) }
            while let (lane, worker) = nextLane(of: pools.values[index], free, at: now),
                let entry = pools.values[index].popFirst(ofLane: lane)
            {
                if start(entry.id, on: free[worker].worker, at: now) { free[worker].credit -= 1 }
            }
            wakeForLimits(of: pools.values[index], at: now)
        }
    }

    private struct FreeCredit {
        let worker: Incarnation
        var credit: UInt64
    }

    /// The lane whose turn it is, and the position of the worker that may have its first effect.
    ///
    /// Of the highest priority that can go on, it is the lane with the oldest effect.
    private func nextLane(of pool: PoolState, _ free: [FreeCredit], at now: Moment) -> (lane: Int, worker: Int)? {
        guard let freest = Self.freest(free) else { return nil }
        var best: (lane: Int, worker: Int, order: UInt64)?
        for (position, lane) in pool.lanes.enumerated() {
            if let best, pool.lanes[best.lane].key.priority > lane.key.priority { break }
            guard let first = lane.queue.first, first.order < best?.order ?? .max else { continue }
            if let limit = lane.key.limit.flatMap({ limits[$0] }), !limit.hasRoom || limit.opens(after: now) != nil {
                continue
            }
            switch lane.key.owner {
            case .anybody: best = (position, freest, first.order)
            case .worker(let owner):
                guard let worker = free.firstIndex(where: { $0.worker == owner && $0.credit > 0 }) else { continue }
                best = (position, worker, first.order)
            case .nobody: continue
            }
        }
        return best.map { ($0.lane, $0.worker) }
    }

    /// The position of the most credit, the first of several; `nil` when there is none.
    private static func freest(_ free: [FreeCredit]) -> Int? {
        var best: Int?
        var most: UInt64 = 0
        for position in free.indices where free[position].credit > most {
            most = free[position].credit
            best = position
        }
        return best
    }

    /// Looks again when a rate lets more effects go.
    private mutating func wakeForLimits(of pool: PoolState, at now: Moment) {
        for lane in pool.lanes {
            guard let name = lane.key.limit, !lane.queue.isEmpty, let moment = limits[name]?.opens(after: now),
                moment != limits[name]?.wakesAt
            else { continue }
            limits[name]?.wakesAt = moment
            deadlines.set(.limit(name), at: moment)
        }
    }

    /// Whether the effect still waited.
    private mutating func start(_ id: EffectID, on incarnation: Incarnation, at now: Moment) -> Bool {
        guard let index = effects.index(forKey: id), case .queued = effects.values[index].phase else { return false }
        let attempt = effects.values[index].begin(epoch: configuration.epoch)
        let name = AttemptID(effect: id, attempt: attempt)
        if let limit = effects.values[index].plan.policy.limit { limits[limit.name]?.began(at: now) }
        if effects.values[index].plan.policy.delivery == .atMostOnce {
            change(index) { $0.phase = .starting(attempt, incarnation) }
            workers[incarnation]?.reserved += 1
            batch.records.append(.note(id, .started(attempt)))
            batch.settlements.append(.start(name, incarnation))
        } else {
            send(name, to: incarnation, at: now)
        }
        return true
    }

    /// That the attempt begins is on disk; if its worker is lost meanwhile, it never did.
    mutating func started(_ id: AttemptID, on incarnation: Incarnation, at now: Moment) {
        if let reserved = workers[incarnation]?.reserved, reserved > 0 { workers[incarnation]?.reserved = reserved - 1 }
        guard case .starting(id.attempt, incarnation) = effects[id.effect]?.phase else { return }
        if let worker = workers[incarnation], !worker.draining {
            effects[id.effect]?.started = id.attempt
            send(id, to: incarnation, at: now)
        } else {
            putBack([id.effect])
        }
    }

    private mutating func send(_ id: AttemptID, to incarnation: Incarnation, at now: Moment) {
        guard let index = effects.index(forKey: id.effect) else { return }
        change(index) { $0.phase = .running(id.attempt, incarnation) }
        limitTime(of: id, index, at: now)
        let order = effects.values[index].order(id, at: now)
        workers[incarnation]?.start(order)
    }
}
