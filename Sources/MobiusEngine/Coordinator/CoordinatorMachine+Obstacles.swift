import MobiusJournal
package import MobiusWire

// Why pending effects do not run now, for operators.
extension CoordinatorMachine {
    /// A pending effect with its payload; `nil` when there is none with this id.
    package func effect(_ id: EffectID, at now: Moment) -> (summary: EffectSummary, payload: Payload)? {
        guard let effect = effects[id] else { return nil }
        return (summary(of: id, effect, at: now), effect.effect)
    }

    /// Describes an effect with what only the machine knows: its worker's name, and why it waits.
    func summary(of id: EffectID, _ effect: EffectState, at now: Moment) -> EffectSummary {
        var summary = effect.status(id, time: calendar.time(at: now))
        summary.workerName = summary.worker.flatMap { roster[$0]?.name } ?? ""
        summary.obstacle = obstacle(of: effect, at: now)
        if let resumes = resumes(effect, at: now) { summary.due = calendar.time(at: resumes) }
        return summary
    }

    /// Returns the time at which a pause ends, or a limit's rate allows the next effect; `nil` for other obstacles.
    private func resumes(_ effect: EffectState, at now: Moment) -> Moment? {
        switch effect.phase {
        case .delayed: effect.ends
        case .queued: dispatcher.states(of: effect.plan).compactMap { $0.state.opens(after: now) }.max()
        default: nil
        }
    }

    /// Whether a worker serves this pool, an effect goes to it, or it is paused.
    package func knows(pool: String) -> Bool { dispatcher[pool] != nil || dispatcher.isPaused(pool) }

    /// The pools that workers serve or effects wait for.
    package var knownPools: [String] { dispatcher.names }

    /// Whether another shard's coordinator refuses the effect's event, which an operator may drop.
    package func isHeldBack(_ id: EffectID) -> Bool {
        guard let effect = effects[id], effect.phase == .addressed else { return false }
        return effect.extra.refusal != nil
    }

    /// Returns the reason why an effect does not run now, in a clause; empty if it runs, or if its phase says
    /// everything.
    private func obstacle(of effect: EffectState, at now: Moment) -> String {
        switch effect.phase {
        case .committing: return "its event is not on disk yet"
        case .starting: return "the record of its start is not on disk yet"
        case .failing: return "its failure is not on disk yet"
        case .adoptable:
            return "the coordinator has just started, and a worker may still run it"
        case .delayed:
            return "backoff after \(effect.failures == 1 ? "a failed attempt" : "\(effect.failures) failed attempts")"
        case .queued: return obstacle(ofQueued: effect, at: now)
        case .running(_, let worker):
            guard let worker = roster[worker], worker.health != .good else { return "" }
            return "its worker is silent"
        case .dormant:
            guard let loop = effect.plan.recipient else { return "" }
            return "it \(effect.plan.errand == .end ? "ends" : "is for") the loop \(loop) once this loop ends"
        case .addressed: return obstacle(ofAddressed: effect)
        case .local, .waiting, .ending: return ""
        }
    }

    private func obstacle(ofQueued effect: EffectState, at now: Moment) -> String {
        guard let name = effect.pool else { return "" }
        if stopping != .no { return "the coordinator is stopping" }
        if let pause = dispatcher.paused[name] { return pause.sentence(of: name) }
        let serving = (dispatcher.pools[name]?.workers ?? []).compactMap { roster[$0] }
        if serving.isEmpty { return EffectSummary.unserved(name) }
        for (limit, state) in dispatcher.states(of: effect.plan) {
            if state.lacksShare { return "limit \(limit): this shard has no share of it now" }
            if !state.hasRoom { return "limit \(limit): \(state.running) run, and no more may" }
            if state.opens(after: now) != nil { return "limit \(limit): its rate" }
        }
        if let affinity = effect.plan.affinity,
            case .worker(let owner) = dispatcher.owner(of: affinity, in: name, roster),
            let worker = roster[owner], worker.free == 0
        {
            return "no free slot on worker \(worker.label), which its affinity chose"
        }
        if serving.contains(where: { $0.free > 0 }) { return "" }
        if serving.allSatisfy(\.draining) { return "all workers of \(name) are draining" }
        if serving.allSatisfy({ $0.health != .good }) { return "all workers of \(name) are silent" }
        return
            "no free slot on \(serving.count == 1 ? "the only worker" : "any of the \(serving.count) workers") of \(name)"
    }
}
