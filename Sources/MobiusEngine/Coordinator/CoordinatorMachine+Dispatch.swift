import MobiusJournal
import MobiusWire

// From the queues to the workers.
extension CoordinatorMachine {
    /// Hands queued effects to the workers with the most free credit.
    ///
    /// Pools compete where they share workers or limits: priority and age count over all of them.
    mutating func dispatch(at now: Moment) {
        var turns: [Turn] = []
        for name in poolOrder {
            guard let index = pools.index(forKey: name), !pools.values[index].isEmpty else { continue }
            let free = pools.values[index].workers.map { (worker: $0, credit: credit(of: $0)) }
            var pool = PoolState()
            swap(&pool, &pools.values[index])
            turns.append(Turn(index: index, pool: pool, free: free, next: nil))
            turns[turns.count - 1].choose(limits, at: now)
        }
        while let turn = Self.first(of: turns), let next = turns[turn].next,
            let entry = turns[turn].pool.popFirst(ofLane: next.lane)
        {
            let worker = turns[turn].free[next.worker].worker
            let isStarted = start(entry.id, on: worker, at: now)
            for other in turns.indices {
                let isHit = isStarted && turns[other].spend(on: worker)
                if isHit || other == turn || isStarted && !limits.isEmpty { turns[other].choose(limits, at: now) }
            }
        }
        for turn in turns {
            pools.values[turn.index] = turn.pool
            if !limits.isEmpty { wakeForLimits(of: turn.pool, at: now) }
        }
    }

    private mutating func credit(of worker: Incarnation) -> UInt64 {
        guard let index = workers.index(forKey: worker) else { return 0 }
        return workers.values[index].countFree()
    }

    /// The position of the pool whose turn it is.
    private static func first(of turns: [Turn]) -> Int? {
        var best: Int?
        for position in turns.indices {
            guard let next = turns[position].next else { continue }
            if let place = best, let other = turns[place].next, !next.isBefore(other) { continue }
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
            setDeadline(.limit(name), at: moment)
        }
    }

    /// Whether the effect still waited.
    private mutating func start(_ id: EffectID, on incarnation: Incarnation, at now: Moment) -> Bool {
        guard let index = effects.index(forKey: id) else { return false }
        let epoch = configuration.epoch
        guard let begun = change(index, { $0.start(on: incarnation, epoch: epoch) }) else { return false }
        let name = AttemptID(effect: id, attempt: begun.attempt)
        if let limit = begun.limit { limits[limit]?.began(at: now) }
        if begun.isOnly {
            withWorker(incarnation) { $0.reserved.insert(name) }
            batch.records.append(.note(id, .started(begun.attempt)))
            batch.settlements.append(.start(name, incarnation))
        } else {
            send(name, index, to: incarnation, at: now)
        }
        return true
    }

    /// That the attempt begins is on disk; if its worker is lost meanwhile, it never did.
    mutating func started(_ id: AttemptID, on incarnation: Incarnation, at now: Moment) {
        workers[incarnation]?.reserved.remove(id)
        guard let index = effects.index(forKey: id.effect),
            case .starting(id.attempt, incarnation) = effects.values[index].phase
        else { return }
        if let worker = workers[incarnation], !worker.draining, worker.health == .good {
            change(index) { $0.phase = .running(id.attempt, incarnation) }
            send(id, index, to: incarnation, at: now)
        } else {
            putBack([id.effect])
        }
    }

    private mutating func send(
        _ id: AttemptID, _ index: Dictionary<EffectID, EffectState>.Index, to incarnation: Incarnation, at now: Moment
    ) {
        limitTime(of: id, index, at: now)
        let order = with(index) { $0.order(id, at: now) }
        withWorker(incarnation) { $0.start(order) }
    }
}

extension EffectState {
    /// An attempt that begins.
    struct Begun {
        let attempt: Attempt
        /// The name of the limit that it keeps.
        let limit: String?
        /// Whether it must be the only one, and so waits for its commit.
        let isOnly: Bool
    }

    /// Begins the next attempt, if the effect still waits.
    mutating func start(on incarnation: Incarnation, epoch: UInt64) -> Begun? {
        guard case .queued = phase else { return nil }
        let attempt = begin(epoch: epoch)
        let isOnly = plan.policy.delivery == .atMostOnce
        phase = isOnly ? .starting(attempt, incarnation) : .running(attempt, incarnation)
        if isOnly { extra.started = attempt }
        return Begun(attempt: attempt, limit: plan.policy.limit?.name, isOnly: isOnly)
    }
}
