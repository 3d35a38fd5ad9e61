import MobiusWire

/// A pool during dispatch, and the credit of its workers.
struct DispatchRound {
    let slot: SlotTable<String, PoolState>.Slot
    /// The pool, moved out of its slot.
    var pool: PoolState
    /// Its workers, and the number of effects that may be sent to each.
    var free: [(worker: Incarnation, slot: WorkerSlot, credit: UInt64)]
    /// The effect that it would start next.
    var next: Next?
    /// The limits of keys that were found blocked.
    private(set) var parked: [KeyedLimit] = []

    /// The place where an effect waits.
    enum Source {
        case lane(Int)
        case fair(queue: Int, lane: Int)
    }

    /// The lane whose first effect may start, and the position of the worker for it.
    struct Next {
        let source: Source
        let worker: Int
        let priority: Int
        let order: UInt64

        func isBefore(_ other: Next) -> Bool {
            priority != other.priority ? priority > other.priority : order < other.order
        }
    }

    init(
        slot: SlotTable<String, PoolState>.Slot, pool: PoolState,
        free: [(worker: Incarnation, slot: WorkerSlot, credit: UInt64)]
    ) {
        self.slot = slot
        self.pool = pool
        self.free = free
    }

    /// Chooses the lane: of the lanes of the highest priority that can start an effect, the one with the oldest effect;
    /// among effects with keys, the one whose key has had the fewest turns.
    mutating func choose(
        _ limits: [String: LimitState], _ keyLimits: inout [KeyedLimit: LimitState], at now: Moment
    ) {
        next = nil
        guard let freest = freest() else { return }
        for position in pool.lanes.indices {
            if let next, next.priority > pool.lanes[position].key.priority { break }
            guard let order = pool.lanes[position].queue.first?.order, order < next?.order ?? .max else { continue }
            var worker = freest
            if !pool.lanes[position].isPlain {
                guard let owner = self.worker(for: pool.lanes[position].key, freest, limits, at: now) else { continue }
                worker = owner
            }
            next = Next(
                source: .lane(position), worker: worker, priority: pool.lanes[position].key.priority, order: order)
        }
        for queue in pool.fair.indices {
            if let next, next.priority > pool.fair[queue].priority { return }
            chooseFairly(queue, freest, limits, &keyLimits, at: now)
        }
    }

    /// The positions of the workers without credit on which it would start an effect if they had some.
    ///
    /// It is asked when nothing starts any more: then an effect for any worker waits for all of them, and one with an affinity
    /// for its worker, whatever credit others have.
    mutating func lackingCredit(
        _ limits: [String: LimitState], _ keyLimits: inout [KeyedLimit: LimitState], at now: Moment
    ) -> [Int] {
        var owners: Set<PoolState.Owner> = []
        for lane in pool.lanes where !lane.queue.isEmpty && !owners.contains(lane.key.owner) {
            if !isBlocked(lane.key, limits, at: now) { owners.insert(lane.key.owner) }
        }
        var blocked: [KeyedLimit] = []
        for queue in pool.fair.indices {
            for lane in pool.fair[queue].lanes.indices {
                let key = pool.fair[queue].lanes[lane].key
                guard !owners.contains(key.owner), !isBlocked(key, limits, at: now),
                    head(queue, lane, &keyLimits, &blocked, at: now) != nil
                else { continue }
                owners.insert(key.owner)
            }
        }
        parked += blocked
        return free.indices.filter { position in
            free[position].credit == 0
                && (owners.contains(.anybody) || owners.contains(.worker(free[position].worker)))
        }
    }

    private mutating func chooseFairly(
        _ queue: Int, _ freest: Int, _ limits: [String: LimitState], _ keyLimits: inout [KeyedLimit: LimitState],
        at now: Moment
    ) {
        var best: FairQueue.Head?
        var blocked: [KeyedLimit] = []
        for lane in pool.fair[queue].lanes.indices {
            let key = pool.fair[queue].lanes[lane].key
            guard let worker = worker(for: key, freest, limits, at: now) else {
                pool.fair[queue].block(lane: lane)
                continue
            }
            let head = head(queue, lane, &keyLimits, &blocked, at: now)
            guard let head, best.map({ head.isBefore($0) }) ?? true else { continue }
            best = head
            next = Next(
                source: .fair(queue: queue, lane: lane), worker: worker, priority: pool.fair[queue].priority,
                order: pool.fair[queue].turn)
        }
        parked += blocked
    }

    /// The next effect of a lane of a fair queue; keys before it whose limits are reached are parked.
    private mutating func head(
        _ queue: Int, _ lane: Int, _ keyLimits: inout [KeyedLimit: LimitState], _ blocked: inout [KeyedLimit],
        at now: Moment
    ) -> FairQueue.Head? {
        let key = pool.fair[queue].lanes[lane].key
        let place = LimitState.Place(pool: slot, lane: key)
        return pool.fair[queue].head(ofLane: lane) { text in
            guard let limit = key.limitPerKey.map({ KeyedLimit(name: $0, key: text) }),
                keyLimits[limit]?.isBlocked(at: now) == true
            else { return false }
            if keyLimits[limit]?.parked.contains(place) == false { keyLimits[limit]?.parked.append(place) }
            blocked.append(limit)
            return true
        }
    }

    @inline(__always)
    private func isBlocked(_ key: PoolState.LaneKey, _ limits: [String: LimitState], at now: Moment) -> Bool {
        guard let name = key.limit, let limit = limits[name] else { return false }
        return limit.isBlocked(at: now)
    }

    /// The position of the worker for the effects of a lane; `nil` while they are blocked.
    @inline(__always)
    private func worker(
        for key: PoolState.LaneKey, _ freest: Int, _ limits: [String: LimitState], at now: Moment
    ) -> Int? {
        if isBlocked(key, limits, at: now) { return nil }
        switch key.owner {
        case .anybody: return freest
        case .nobody: return nil
        case .worker(let owner): return free.firstIndex { $0.worker == owner && $0.credit > 0 }
        }
    }

    /// The first effect of the chosen lane.
    // Mutating, like its neighbours: it is called in place then, not on a copy.
    mutating func first(of next: Next) -> EffectSlot? {
        switch next.source {
        case .lane(let lane): pool.lanes[lane].queue.first?.effect
        case .fair(let queue, let lane): pool.fair[queue].first(ofLane: lane)?.effect
        }
    }

    /// Removes it; if it `counts`, its key has used a turn.
    mutating func popFirst(of next: Next, counts: Bool) {
        switch next.source {
        case .lane(let lane): pool.popFirst(ofLane: lane)
        case .fair(let queue, let lane): pool.popFirst(ofFair: queue, lane: lane, counts: counts)
        }
    }

    /// Counts an order to a worker; returns whether the worker serves this pool.
    mutating func spend(on worker: Incarnation) -> Bool {
        guard let place = free.firstIndex(where: { $0.worker == worker }) else { return false }
        free[place].credit -= 1
        return true
    }

    /// The position of the worker for the next effect: not `avoided`, if another eligible worker has credit.
    mutating func worker(for next: Next, avoiding avoided: Incarnation?) -> Int {
        guard let avoided, free[next.worker].worker == avoided, owner(of: next) == .anybody else { return next.worker }
        return freest(but: avoided) ?? next.worker
    }

    private func owner(of next: Next) -> PoolState.Owner {
        switch next.source {
        case .lane(let lane): pool.lanes[lane].key.owner
        case .fair(let queue, let lane): pool.fair[queue].lanes[lane].key.owner
        }
    }

    /// The position of the worker with the most credit, the first of several; `nil` when there is none.
    private func freest(but avoided: Incarnation? = nil) -> Int? {
        var best: Int?
        var most: UInt64 = 0
        for position in free.indices where free[position].credit > most && free[position].worker != avoided {
            most = free[position].credit
            best = position
        }
        return best
    }
}
