import MobiusWire

// The attempts that workers hold: adoption after a restart, lost orders, effects taken back.
extension CoordinatorMachine {
    /// Changes a worker in place, if it exists: `workers[incarnation]?` would copy it.
    mutating func withWorker(_ incarnation: Incarnation, _ body: (inout WorkerState) -> Void) {
        guard let worker = workers.slot(of: incarnation) else { return }
        body(&workers[worker])
    }

    /// Sends an order to a worker, which then holds its effect.
    mutating func hand(_ effect: EffectSlot, _ order: consuming EffectOrder, to worker: WorkerSlot) {
        effects[effect].place = workers[worker].hold(effect, order)
    }

    /// Removes a running effect from its worker's list; the last entry takes its place.
    mutating func removeFromWorker(_ effect: EffectSlot, from worker: WorkerSlot) {
        let place = effects[effect].place
        if let moved = workers[worker].release(effect, at: place) { effects[moved].place = place }
    }

    /// Marks the order of a running effect as received.
    mutating func confirm(_ effect: EffectSlot, of worker: WorkerSlot) {
        let place = effects[effect].place
        if workers[worker].holds(effect, at: place) { workers[worker].holding[place].isConfirmed = true }
    }

    /// Removes an attempt from its worker; returns whether its order was never sent, or `nil` without that worker.
    mutating func recall(_ attempt: AttemptID, _ effect: EffectSlot, from incarnation: Incarnation) -> Bool? {
        guard let worker = workers.slot(of: incarnation) else { return nil }
        removeFromWorker(effect, from: worker)
        guard let position = workers[worker].outbox.orders.firstIndex(where: { $0.id == attempt }) else { return false }
        // Otherwise its handler would begin after its end.
        workers[worker].outbox.orders.remove(at: position)
        for order in workers[worker].outbox.orders[position...] {
            guard let later = effects.slot(of: order.id.effect) else { continue }
            let place = effects[later].place
            if workers[worker].holds(later, at: place) { workers[worker].holding[place].number -= 1 }
        }
        return true
    }

    /// Effects of the journal that the worker holds continue there; all others that it lists are stale.
    mutating func adopt(_ held: [HeldAttempt], by incarnation: Incarnation, at now: Moment) -> Int {
        guard let worker = workers.slot(of: incarnation) else { return 0 }
        var adopted = 0
        for id in held.lazy.map(\.id) {
            guard let index = effects.slot(of: id.effect),
                effects[index].isAdoptable(id.attempt, in: configuration.epoch)
            else {
                if workers[worker].outbox.takesStale, !isWanted(id, of: incarnation) {
                    workers[worker].outbox.answerStale(id)
                }
                continue
            }
            if case .queued = effects[index].phase, let pool = effects[index].pool { skip(in: pool) }
            change(index) { $0.phase = .running(id.attempt, incarnation) }
            effects[index].place = workers[worker].hold(WorkerState.Receipt(effect: index, isConfirmed: true))
            limitTime(ofAttemptAt: index, id.attempt, at: now)
            adopted += 1
        }
        return adopted
    }

    /// Whether the worker should hold the attempt.
    private mutating func isWanted(_ id: AttemptID, of incarnation: Incarnation) -> Bool {
        guard let effect = effects.slot(of: id.effect) else { return held.contains(id.effect.loop) }
        switch effects[effect].phase {
        case .running(id.attempt, incarnation): return true
        case .failing(id.attempt), .ending(id.attempt): return true  // its ACK follows the commit
        case .adoptable: return isAboutToBeAdopted(id, by: incarnation)
        default: return false
        }
    }

    /// Whether the worker holds an attempt of a loop that was released, and its HELLO is pending.
    func isAboutToBeAdopted(_ id: AttemptID, by incarnation: Incarnation) -> Bool {
        guard workers[incarnation]?.isResyncing == true, let effect = effects[id.effect] else { return false }
        return effect.phase == .adoptable && effect.isAdoptable(id.attempt, in: configuration.epoch)
    }

    /// Compares the worker's list with ours.
    ///
    /// An order that was sent before the list and is missing in it was lost, and is sent again as the same attempt.
    /// Listed attempts that the worker should not hold are stale.
    mutating func compare(
        _ held: [HeldAttempt], _ orders: OrderCount, of incarnation: Incarnation, at now: Moment,
        _ actions: inout [CoordinatorAction]
    ) {
        guard let worker = workers.slot(of: incarnation) else { return }
        let list = running(held, on: incarnation)
        workers[worker].listed = now
        workers[worker].lost = max(workers[worker].lost, orders.lost)
        progressed(held, on: incarnation, at: now)
        redeliver(to: incarnation, missingFrom: list, sent: orders.sent, at: now, &actions)
        for attempt in held where workers[worker].outbox.takesStale {
            if !isWanted(attempt.id, of: incarnation) { workers[worker].outbox.answerStale(attempt.id) }
        }
    }

    /// The attempts of a worker's list that run there: no more than were sent to it, however many it lists.
    mutating func running(_ held: [HeldAttempt], on incarnation: Incarnation) -> Set<AttemptID> {
        var running: Set<AttemptID> = []
        for id in held.lazy.map(\.id) {
            guard let effect = effects.slot(of: id.effect), effects[effect].phase == .running(id.attempt, incarnation)
            else { continue }
            running.insert(id)
        }
        return running
    }

    /// Sends each lost order again, as the same attempt.
    ///
    /// Every order up to the worker's `sent` arrived before its list was made, or never will.
    mutating func redeliver(
        to incarnation: Incarnation, missingFrom list: Set<AttemptID>, sent: UInt64, at now: Moment,
        _ actions: inout [CoordinatorAction]
    ) {
        guard let worker = workers.slot(of: incarnation) else { return }
        var redelivered = 0
        var forgotten: [EffectID] = []
        for id in holdings(of: worker) {
            guard let effect = effects.slot(of: id), case .running(let attempt, incarnation) = effects[effect].phase
            else { continue }
            let name = AttemptID(effect: id, attempt: attempt)
            let place = effects[effect].place
            guard workers[worker].holds(effect, at: place) else { continue }
            switch WorkerState.find(name, workers[worker].holding[place], in: list, sent: sent) {
            case .unknown: break
            case .held: workers[worker].holding[place].isConfirmed = true
            case .forgotten: forgotten.append(id)
            case .lost:
                let number = workers[worker].start(effects[effect].order(name, at: now))
                workers[worker].holding[place] = WorkerState.Receipt(effect: effect, number: number)
                // Its handler cannot have begun.
                if effects[effect].box != nil, effects[effect].extra.progressed != nil {
                    effects[effect].extra.progressed = now
                }
                redelivered += 1
            }
        }
        if redelivered > 0 { actions.append(.note(.redelivered(incarnation, effects: redelivered))) }
        // An attempt that the worker once held was not lost. The numbers of its reports must not be used again.
        takeBack(forgotten, from: incarnation, .lost, at: now, &actions)
    }

    /// The effects that a worker should hold, oldest first.
    private func holdings(of worker: WorkerSlot) -> [EffectID] {
        workers[worker].holding.map { effects.key(of: $0.effect) }.sorted()
    }

    /// The state of the handlers of effects that are taken back.
    enum Fate {
        /// They never began.
        case unbegun
        /// They were given up in a graceful shutdown.
        case givenUp
        /// Unknown; this counts as a failure.
        case lost
    }

    /// Takes back the worker's effects, except for some attempts; returns their number.
    @discardableResult
    mutating func takeBack(
        from incarnation: Incarnation, allBut kept: Set<AttemptID>, _ fate: Fate, at now: Moment,
        _ actions: inout [CoordinatorAction]
    ) -> Int {
        let held = workers.slot(of: incarnation).map { holdings(of: $0) } ?? []
        let ids = held.filter { id in
            guard case .running(let attempt, incarnation) = effects[id]?.phase else { return false }
            return !kept.contains(AttemptID(effect: id, attempt: attempt))
        }
        takeBack(ids, from: incarnation, fate, at: now, &actions)
        return ids.count
    }

    /// Takes running effects from a worker that will not end them: they return to the front of the queue, or fail.
    private mutating func takeBack(
        _ ids: [EffectID], from incarnation: Incarnation, _ fate: Fate, at now: Moment,
        _ actions: inout [CoordinatorAction]
    ) {
        var returned: [EffectID] = []
        for id in ids {
            guard let slot = effects.slot(of: id), case .running(let attempt, _) = effects[slot].phase else { continue }
            let effect = effects[slot]
            let hasLeft = recall(AttemptID(effect: id, attempt: attempt), slot, from: incarnation) == false
            if hasLeft, fate == .lost {
                let name = AttemptID(effect: id, attempt: attempt)
                remark(failureOf: name, on: workers[incarnation]?.label, "the worker was lost", at: now)
            }
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
        reinsert(returned)
    }
}
