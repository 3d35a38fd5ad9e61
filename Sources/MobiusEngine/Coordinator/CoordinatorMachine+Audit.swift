import DequeModule
import MobiusJournal
import MobiusWire

// Invariants between any two inputs, checked by tests and the simulation.
extension CoordinatorMachine {
    /// The violated invariants, as messages; empty unless the machine has a bug.
    ///
    /// Costs O(n).
    package func audit() -> [String] {
        guard stopping != .stopped else { return [] }
        let postCommitActions = inFlight.postCommitActions + batch.postCommitActions
        return auditLimits() + auditKeyLimits() + auditWorkers() + auditWays(postCommitActions)
            + auditIntake(postCommitActions) + auditDeferred()
    }

    private func auditDeferred() -> [String] {
        let waiting = effects.values.count { $0.phase.isDeferred }
        return deferred == waiting ? [] : ["\(deferred) effects are said to wait for time or a loop, and \(waiting) do"]
    }

    private func auditLimits() -> [String] {
        var (running, waiting): ([String: Int], [String: Int]) = ([:], [:])
        for effect in effects.values {
            guard let limit = effect.plan.policy.limit else { continue }
            if effect.isAtWorker { running[limit.name, default: 0] += 1 }
            if effect.isQueued { waiting[limit.name, default: 0] += 1 }
        }
        return dispatcher.limits.compactMap { name, limit in
            limit.running == running[name] ?? 0
                ? nil : "limit \(name) counts \(limit.running), and \(running[name] ?? 0) are at workers"
        }
            + dispatcher.limits.compactMap { name, limit in
                guard let counted = limit.share?.waiting.values.reduce(0, +), counted != waiting[name] ?? 0 else {
                    return nil
                }
                return "limit \(name) counts \(counted) that wait, and \(waiting[name] ?? 0) do"
            }
    }

    /// Checks that each key's limit counts what runs, wakes the lanes where its key is parked, and is forgotten.
    private func auditKeyLimits() -> [String] {
        var running: [KeyedLimit: Int] = [:]
        for effect in effects.values where effect.isAtWorker {
            if let name = effect.plan.keyedLimit?.name { running[name, default: 0] += 1 }
        }
        var faults: [String] = []
        for (name, limit) in dispatcher.keyLimits {
            if limit.running != running[name] ?? 0 {
                faults.append("\(name) counts \(limit.running), and \(running[name] ?? 0) are at workers")
            }
            if limit.running == 0, limit.wakesAt == nil { faults.append("\(name) is never forgotten") }
        }
        for name in running.keys where dispatcher.keyLimits[name] == nil { faults.append("\(name) is not counted") }
        var pools = dispatcher.pools
        for pool in pools.keys.compactMap({ pools.slot(of: $0) }) {
            for lane in pools[pool].fair.flatMap(\.lanes) {
                let place = LimitState.Place(pool: pool, lane: lane.key)
                for (key, line) in lane.lines where line.isParked {
                    let name = key.flatMap { key in lane.key.limitPerKey.map { KeyedLimit(name: $0, key: key) } }
                    let wakes = name.flatMap { dispatcher.keyLimits[$0]?.parked.contains(place) } ?? false
                    if !wakes { faults.append("\(key?.text ?? "") is parked, and nothing wakes it") }
                }
            }
        }
        return faults
    }

    private func auditWorkers() -> [String] {
        var faults: [String] = []
        for (incarnation, worker) in roster.workers {
            for (place, receipt) in worker.holding.enumerated() {
                if effects.contains(receipt.effect), effects[receipt.effect].place == place,
                    case .running(_, incarnation) = effects[receipt.effect].phase
                {
                    continue
                }
                faults.append("what \(incarnation) is said to hold at \(place) does not run on it")
            }
            for attempt in worker.reserved
            where effects[attempt.effect]?.phase != .starting(attempt.attempt, incarnation) {
                faults.append("\(attempt) does not start on \(incarnation), which keeps a place for it")
            }
        }
        for (id, effect) in effects {
            switch effect.phase {
            case .running(_, let worker) where !isHeld(id, by: worker):
                faults.append("\(id) runs on \(worker), which is not said to hold it")
            case .starting(let attempt, let worker)
            where roster[worker]?.reserved.contains(AttemptID(effect: id, attempt: attempt)) != true:
                faults.append("\(id) starts on \(worker), which keeps no place for it")
            default: break
            }
        }
        return faults
    }

    private func isHeld(_ id: EffectID, by worker: Incarnation) -> Bool {
        guard let effect = effects[id], let holding = roster[worker]?.holding else { return false }
        return effect.place < holding.count && effects.contains(holding[effect.place].effect)
            && effects.key(of: holding[effect.place].effect) == id
    }

    /// Checks that every effect can make progress.
    private func auditWays(_ postCommitActions: [JournalBatch.PostCommitAction]) -> [String] {
        var waiting: Set<EffectID> = []
        for pool in dispatcher.pools.values {
            for entry in pool.entries where effects.contains(entry.effect) {
                waiting.insert(effects.key(of: entry.effect))
            }
        }
        var settled = Set(postCommitActions.compactMap { self.effect(of: $0) })
        settled.formUnion(eventlessCompletions.map(\.report.attempt.effect))
        var clocked: Set<EffectID> = []
        var closing: Set<EffectID> = []
        for (deadline, moment) in deadlines.all {
            guard awaits(deadline, set: moment) else { continue }
            let id = effects.key(of: deadline.effect)
            switch deadline {
            case .retry, .timer: clocked.insert(id)
            case .scheduleToClose: closing.insert(id)
            case .attempt, .progress, .scheduleToStart: break
            }
        }
        let addressed = waitingDeliveries
        var faults: [String] = []
        for (id, effect) in effects {
            let goesOn =
                switch effect.phase {
                case .committing, .starting, .failing, .ending: settled.contains(id)
                case .adoptable: adoption.isOpen
                case .queued: waiting.contains(id)
                case .delayed, .waiting: clocked.contains(id)
                case .dormant: !residency.hasOutlived(id) || settled.contains(id)
                case .addressed: isQueued(id, in: addressed, effect)
                case .running, .local: true
                }
            if !goesOn { faults.append("\(id) is stuck: \(effect.phase)") }
            if effect.extra.closesBy != nil, !closing.contains(id), effect.phase.isOpen {
                faults.append("\(id) has no end of its time")
            }
        }
        return faults
    }

    private func auditIntake(_ postCommitActions: [JournalBatch.PostCommitAction]) -> [String] {
        let waiting = postCommitActions.count { if case .confirmEvent = $0 { true } else { false } }
        return intake == waiting ? [] : ["\(intake) events from outside are counted, and \(waiting) wait"]
    }
}

extension EffectState.Phase {
    /// Whether it waits for its time or for another loop.
    fileprivate var isDeferred: Bool { self == .waiting || self == .dormant || self == .addressed }

    fileprivate var isOpen: Bool {
        if case .ending = self { false } else { true }
    }
}

extension CoordinatorMachine {
    private func effect(of postCommitAction: JournalBatch.PostCommitAction) -> EffectID? {
        switch postCommitAction {
        case .release(let effect): effects.contains(effect) ? effects.key(of: effect) : nil
        case .forget(let id): id
        case .start(let attempt, _), .cancel(_, let attempt), .stale(_, let attempt): attempt.effect
        case .ack(_, let report, _, _), .retry(_, let report, _): report.attempt.effect
        case .confirm, .confirmEvent, .confirmAgain, .done, .conclude, .nothing, .acknowledge, .refuse, .ended,
            .cancelLocal:
            nil
        }
    }
}
