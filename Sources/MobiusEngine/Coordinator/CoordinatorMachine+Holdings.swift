import MobiusWire

// The attempts that workers hold: adoption after a restart, lost orders, effects taken back.
extension CoordinatorMachine {
    /// Effects of the journal that the worker holds continue there; all others that it lists are stale.
    mutating func adopt(_ held: [HeldAttempt], by incarnation: Incarnation, at now: Moment) -> Int {
        guard let worker = roster.slot(of: incarnation) else { return 0 }
        var adopted = 0
        for id in held.lazy.map(\.id) {
            guard let index = effects.slot(of: id.effect),
                effects[index].isAdoptable(id.attempt, in: configuration.epoch)
            else {
                if roster[worker].outbox.takesStale, !isWanted(id, of: incarnation) {
                    roster[worker].outbox.answerStale(id)
                }
                continue
            }
            if case .queued = effects[index].phase, let pool = effects[index].pool {
                dispatcher.skip(in: pool, effects)
            }
            change(index) { $0.phase = .running(id.attempt, incarnation) }
            effects[index].place = roster[worker].hold(WorkerState.Receipt(effect: index, isConfirmed: true))
            limitTime(ofAttemptAt: index, id.attempt, at: now)
            adopted += 1
        }
        return adopted
    }

    /// Whether the worker should hold the attempt.
    private mutating func isWanted(_ id: AttemptID, of incarnation: Incarnation) -> Bool {
        guard let effect = effects.slot(of: id.effect) else { return residency.held.contains(id.effect.loop) }
        switch effects[effect].phase {
        case .running(id.attempt, incarnation): return true
        case .failing(id.attempt), .ending(id.attempt): return true  // its ACK follows the commit
        case .adoptable: return isAboutToBeAdopted(id, by: incarnation)
        default: return false
        }
    }

    /// Whether the worker holds an attempt of a loop that was released, and its HELLO is pending.
    func isAboutToBeAdopted(_ id: AttemptID, by incarnation: Incarnation) -> Bool {
        guard roster[incarnation]?.isResyncing == true, let effect = effects[id.effect] else { return false }
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
        guard let worker = roster.slot(of: incarnation) else { return }
        let list = running(held, on: incarnation)
        roster[worker].listed = now
        roster[worker].lost = max(roster[worker].lost, orders.lost)
        progressed(held, on: incarnation, at: now)
        redeliver(to: incarnation, missingFrom: list, sent: orders.sent, at: now, &actions)
        for attempt in held where roster[worker].outbox.takesStale {
            if !isWanted(attempt.id, of: incarnation) { roster[worker].outbox.answerStale(attempt.id) }
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
        guard let worker = roster.slot(of: incarnation) else { return }
        var redelivered = 0
        var forgotten: [EffectID] = []
        var paused: [EffectID] = []
        for id in roster.holdings(of: worker, effects) {
            guard let effect = effects.slot(of: id), case .running(let attempt, incarnation) = effects[effect].phase
            else { continue }
            let name = AttemptID(effect: id, attempt: attempt)
            let place = effects[effect].place
            guard roster[worker].holds(effect, at: place) else { continue }
            switch WorkerState.find(name, roster[worker].holding[place], in: list, sent: sent) {
            case .unknown: break
            case .held: roster[worker].holding[place].isConfirmed = true
            case .forgotten: forgotten.append(id)
            case .lost where effects[effect].pool.map(dispatcher.isPaused) ?? false: paused.append(id)
            case .lost:
                let number = roster[worker].start(effects[effect].order(name, at: now))
                roster[worker].holding[place] = WorkerState.Receipt(effect: effect, number: number)
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
        // To send its order would start it: it waits for the end of the pause.
        takeBack(paused, from: incarnation, .unbegun, at: now, &actions)
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
        let held = roster.slot(of: incarnation).map { roster.holdings(of: $0, effects) } ?? []
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
            let hasLeft =
                roster.recall(AttemptID(effect: id, attempt: attempt), slot, from: incarnation, &effects) == false
            if hasLeft, fate == .lost {
                let name = AttemptID(effect: id, attempt: attempt)
                remark(failureOf: name, on: roster[incarnation]?.label, "the worker was lost", at: now)
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
