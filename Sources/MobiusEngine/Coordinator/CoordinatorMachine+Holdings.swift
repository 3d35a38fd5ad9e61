import MobiusWire

// What workers hold: adoption after a restart, orders lost on their way, effects taken back.
extension CoordinatorMachine {
    /// Changes a worker where it is, if it is there: `workers[incarnation]?` would copy all of it.
    mutating func withWorker(_ incarnation: Incarnation, _ body: (inout WorkerState) -> Void) {
        guard let index = workers.index(forKey: incarnation) else { return }
        body(&workers.values[index])
    }

    /// Effects of the journal that the worker holds go on there; what it holds in vain is stale.
    mutating func adopt(_ held: [AttemptID], by incarnation: Incarnation, at now: Moment) -> Int {
        var adopted = 0
        for id in held {
            guard let index = effects.index(forKey: id.effect),
                effects.values[index].isAdoptable(id.attempt, in: configuration.epoch)
            else {
                if !isWanted(id, of: incarnation) { workers[incarnation]?.outbox.stales.append(id) }
                continue
            }
            if case .queued = effects.values[index].phase, let pool = effects.values[index].pool { skip(in: pool) }
            change(index) { $0.phase = .running(id.attempt, incarnation) }
            workers[incarnation]?.holding[id.effect] = WorkerState.Receipt(isConfirmed: true)
            limitTime(of: id, index, at: now)
            adopted += 1
        }
        return adopted
    }

    /// Whether the worker is right to hold the attempt.
    private func isWanted(_ id: AttemptID, of incarnation: Incarnation) -> Bool {
        guard let effect = effects[id.effect] else { return held.contains(id.effect.loop) }
        switch effect.phase {
        case .running(id.attempt, incarnation): return true
        case .failing(id.attempt), .ending(id.attempt): return true  // its ACK follows the commit
        default: return isAboutToBeAdopted(id, by: incarnation)
        }
    }

    /// Whether the worker holds an attempt of a loop that goes on again, and its HELLO is on its way.
    func isAboutToBeAdopted(_ id: AttemptID, by incarnation: Incarnation) -> Bool {
        guard workers[incarnation]?.isResyncing == true, let effect = effects[id.effect] else { return false }
        return effect.phase == .adoptable && effect.isAdoptable(id.attempt, in: configuration.epoch)
    }

    /// Holds the worker's list against ours: an order that it knows was sent and does not hold was lost on its way, and is
    /// sent again in the same attempt; what it holds in vain is stale.
    mutating func compare(
        _ held: [HeldAttempt], _ orders: OrderCount, of incarnation: Incarnation, at now: Moment,
        _ actions: inout [CoordinatorAction]
    ) {
        let list = Set(held.map(\.id))
        workers[incarnation]?.listed = now
        if let lost = workers[incarnation]?.lost { workers[incarnation]?.lost = max(lost, orders.lost) }
        progressed(held, on: incarnation, at: now)
        redeliver(to: incarnation, missingFrom: list, sent: orders.sent, at: now, &actions)
        for attempt in held where !isWanted(attempt.id, of: incarnation) {
            workers[incarnation]?.outbox.stales.append(attempt.id)
        }
    }

    /// Sends again, in the same attempt, each order that was lost on its way.
    ///
    /// All that the worker knew to be `sent` arrived before its list was made, or never will.
    mutating func redeliver(
        to incarnation: Incarnation, missingFrom list: Set<AttemptID>, sent: UInt64, at now: Moment,
        _ actions: inout [CoordinatorAction]
    ) {
        guard var worker = workers.removeValue(forKey: incarnation) else { return }
        var redelivered = 0
        var forgotten: [EffectID] = []
        for id in worker.holding.keys.sorted() {
            guard let effect = effects[id], case .running(let attempt, incarnation) = effect.phase else {
                worker.holding[id] = nil
                continue
            }
            let name = AttemptID(effect: id, attempt: attempt)
            switch worker.find(name, in: list, sent: sent) {
            case .unknown: break
            case .held: worker.holding[id]?.isConfirmed = true
            case .forgotten: forgotten.append(id)
            case .lost:
                worker.start(effect.order(name, at: now))
                // Its handler has had no chance to begin.
                if effect.box != nil, effect.extra.progressed != nil { effects[id]?.extra.progressed = now }
                redelivered += 1
            }
        }
        workers[incarnation] = worker
        if redelivered > 0 { actions.append(.note(.redelivered(incarnation, effects: redelivered))) }
        // What the worker once held was not lost on its way. The numbers of its reports must not be used again.
        takeBack(forgotten, from: incarnation, .lost, at: now, &actions)
    }

    /// What became of the handlers of effects that are taken back.
    enum Fate {
        /// They never began.
        case unbegun
        /// They were given up in good order.
        case givenUp
        /// They may have done anything; that counts as a failure.
        case lost
    }

    /// Takes back what the worker holds, but for some attempts; returns how many effects that were.
    @discardableResult
    mutating func takeBack(
        from incarnation: Incarnation, allBut kept: Set<AttemptID>, _ fate: Fate, at now: Moment,
        _ actions: inout [CoordinatorAction]
    ) -> Int {
        let ids = (workers[incarnation]?.holding ?? [:]).keys.sorted().filter { id in
            guard case .running(let attempt, incarnation) = effects[id]?.phase else { return false }
            return !kept.contains(AttemptID(effect: id, attempt: attempt))
        }
        takeBack(ids, from: incarnation, fate, at: now, &actions)
        return ids.count
    }

    /// Takes running effects from a worker that will not end them: back to the front of the queue, or failed.
    private mutating func takeBack(
        _ ids: [EffectID], from incarnation: Incarnation, _ fate: Fate, at now: Moment,
        _ actions: inout [CoordinatorAction]
    ) {
        var returned: [EffectID] = []
        for id in ids {
            guard let effect = effects[id], case .running(let attempt, _) = effect.phase else { continue }
            let hasLeft = workers[incarnation]?.recall(AttemptID(effect: id, attempt: attempt)) == false
            if hasLeft, fate != .unbegun, effect.plan.policy.delivery == .atMostOnce {
                fail(id, .outcomeUnknown, hasFailed: true, at: now, &actions)
            } else if !hasLeft {
                returned.append(id)
            } else if fate != .lost || mayRetry(id, after: attempt) {
                returned.append(id)
            } else {
                fail(id, .workerLost(attempts: effect.failures + 1), hasFailed: true, at: now, &actions)
            }
        }
        putBack(returned)
    }
}
