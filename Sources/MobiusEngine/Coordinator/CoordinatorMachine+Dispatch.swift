import MobiusJournal
import MobiusWire

// From the queues to the workers.
extension CoordinatorMachine {
    /// Sends queued effects to the workers with the most free credit.
    ///
    /// Pools compete if they share workers or limits: priority and age count across all of them.
    mutating func dispatch(at now: Moment) {
        var rounds: [DispatchRound] = []
        swap(&rounds, &self.rounds)
        for name in poolOrder {
            guard let slot = pools.slot(of: name), !pools[slot].isEmpty else { continue }
            var pool = PoolState()
            swap(&pool, &pools[slot])
            let free = pool.workers.compactMap { credit(of: $0) }
            rounds.append(DispatchRound(slot: slot, pool: pool, free: free))
            rounds[rounds.count - 1].choose(limits, &keyLimits, at: now)
        }
        while let turn = Self.first(of: rounds), let next = rounds[turn].next,
            let effect = rounds[turn].first(of: next)
        {
            let position = rounds[turn].worker(for: next, avoiding: avoided(by: effect))
            let (worker, slot, _) = rounds[turn].free[position]
            let isStarted = start(effect, on: worker, slot, at: now)
            rounds[turn].popFirst(of: next, counts: isStarted)
            let hasLimits = !limits.isEmpty || !keyLimits.isEmpty
            for other in rounds.indices {
                let isHit = isStarted && rounds[other].spend(on: worker)
                if isHit || other == turn || isStarted && hasLimits {
                    rounds[other].choose(limits, &keyLimits, at: now)
                }
            }
        }
        if configuration.shards > 1 { wanted = wantedWorkers(&rounds, at: now) }
        for turn in rounds.indices {
            let slot = rounds[turn].slot
            swap(&pools[slot], &rounds[turn].pool)
            if !limits.isEmpty { wakeForLimits(of: pools[slot], at: now) }
            for limit in rounds[turn].parked { wake(for: limit, at: now) }
        }
        while !rounds.isEmpty { rounds.removeLast() }  // one or a few: `removeAll` costs more
        swap(&rounds, &self.rounds)
    }

    /// The workers without credit that would start an effect if they had some, and how many wait in their pools.
    private mutating func wantedWorkers(_ rounds: inout [DispatchRound], at now: Moment) -> [Incarnation: Int] {
        var wanted: [Incarnation: Int] = [:]
        for turn in rounds.indices {
            for position in rounds[turn].lackingCredit(limits, &keyLimits, at: now) {
                wanted[rounds[turn].free[position].worker, default: 0] += rounds[turn].pool.count
            }
        }
        return wanted
    }

    /// Tells workers that serve other shards, too, when effects begin to wait for their slots, when twice as many do, and when
    /// none does any more; and again after each of their heartbeats, because a message may be lost.
    mutating func tellWanted(_ actions: inout [CoordinatorAction]) {
        guard configuration.shards > 1 else { return }
        for incarnation in workerOrder {
            guard let worker = workers.slot(of: incarnation), workers[worker].health == .good else { continue }
            let count = workers[worker].draining ? 0 : wanted[incarnation] ?? 0
            let told = workers[worker].wanted ?? 0
            let isNews = told == 0 ? count > 0 : count == 0 || count / 2 >= told
            guard isNews || workers[worker].hearsAgain else { continue }
            workers[worker].wanted = count
            workers[worker].hearsAgain = false
            send(
                .wanted(UInt32(clamping: count)), to: workers[worker].peer, session: workers[worker].session, &actions)
        }
    }

    /// The worker on which an attempt at this effect ran out of time.
    private mutating func avoided(by effect: EffectSlot) -> Incarnation? {
        guard effects.contains(effect), effects[effect].box != nil else { return nil }
        return effects[effect].extra.overran
    }

    private mutating func credit(
        of worker: Incarnation
    ) -> (worker: Incarnation, slot: WorkerSlot, credit: UInt64)? {
        workers.slot(of: worker).map { (worker, $0, workers[$0].free) }
    }

    /// The position of the pool that dispatches next.
    private static func first(of rounds: [DispatchRound]) -> Int? {
        var best: Int?
        for position in rounds.indices {
            guard let next = rounds[position].next else { continue }
            if let place = best, let other = rounds[place].next, !next.isBefore(other) { continue }
            best = position
        }
        return best
    }

    /// Wakes up when a rate allows further effects.
    private mutating func wakeForLimits(of pool: PoolState, at now: Moment) {
        for lane in pool.lanes where !lane.queue.isEmpty { wakeForLimit(of: lane.key, at: now) }
        for lane in pool.fair.flatMap(\.lanes) where !lane.lines.isEmpty { wakeForLimit(of: lane.key, at: now) }
    }

    private mutating func wakeForLimit(of lane: PoolState.LaneKey, at now: Moment) {
        guard let name = lane.limit, let moment = limits[name]?.opens(after: now), moment != limits[name]?.wakesAt
        else { return }
        limits[name]?.wakesAt = moment
        setDeadline(.limit(name), at: moment)
    }

    /// Returns whether the effect was still waiting.
    private mutating func start(
        _ effect: EffectSlot, on incarnation: Incarnation, _ worker: WorkerSlot, at now: Moment
    ) -> Bool {
        guard effects.contains(effect) else { return false }
        let epoch = configuration.epoch
        guard let begun = change(effect, { $0.start(on: incarnation, epoch: epoch) }) else { return false }
        if effects[effect].plan.hasLimit { began(effects[effect].plan, at: now) }
        if begun.isOnly {
            let name = effects.name(of: effect, begun.attempt)
            workers[worker].reserved.insert(name)
            batch.records.append(.note(name.effect, .started(begun.attempt)))
            batch.postCommitActions.append(.start(name, incarnation))
        } else {
            send(begun.attempt, of: effect, to: worker, at: now)
        }
        return true
    }

    /// The start of the attempt is on disk; if its worker was lost meanwhile, the attempt never started.
    mutating func started(_ id: AttemptID, on incarnation: Incarnation, at now: Moment) {
        let worker = workers.slot(of: incarnation)
        if let worker { workers[worker].reserved.remove(id) }
        guard let index = effects.slot(of: id.effect),
            case .starting(id.attempt, incarnation) = effects[index].phase
        else { return }
        if let worker, !workers[worker].draining, workers[worker].health == .good {
            change(index) { $0.phase = .running(id.attempt, incarnation) }
            send(id.attempt, of: index, to: worker, at: now)
        } else {
            reinsert([id.effect])
        }
    }

    private mutating func send(_ attempt: Attempt, of effect: EffectSlot, to worker: WorkerSlot, at now: Moment) {
        limitTime(ofAttemptAt: effect, attempt, at: now)
        hand(effect, effects[effect].order(effects.name(of: effect, attempt), at: now), to: worker)
    }
}

extension EffectState {
    /// An attempt that begins.
    struct Begun {
        let attempt: Attempt
        /// Whether it must be the only attempt, and so waits for its commit.
        let isOnly: Bool
    }

    /// Begins the next attempt, if the effect still waits.
    mutating func start(on incarnation: Incarnation, epoch: UInt64) -> Begun? {
        guard case .queued = phase else { return nil }
        let attempt = begin(epoch: epoch)
        let isOnly = plan.delivery == .atMostOnce
        phase = isOnly ? .starting(attempt, incarnation) : .running(attempt, incarnation)
        if isOnly { extra.started = attempt }
        return Begun(attempt: attempt, isOnly: isOnly)
    }
}
