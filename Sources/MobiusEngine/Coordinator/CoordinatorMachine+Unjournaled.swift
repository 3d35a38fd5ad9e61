import MobiusJournal
import MobiusWire

// Effects that no event of the journal asked for, and effects that are no longer wanted.
extension CoordinatorMachine {
    mutating func submit(
        _ id: EffectID, _ planned: PlannedEffect, at now: Moment, _ actions: inout [CoordinatorAction]
    ) {
        guard stopping == .no, loops[id.loop] != nil, effects[id] == nil else { return }
        let state = EffectState(planned, phase: .committing, asked: calendar.time(at: now))
        let slot = effects.insert(state, for: id)
        limitTime(of: slot, at: now)
        release(slot, at: now, &actions)
    }

    /// Takes the effect back from wherever it is; reports that come of it later are stale.
    mutating func cancel(_ id: EffectID) {
        guard let index = effects.slot(of: id) else { return }
        let phase = effects[index].phase
        switch phase {
        case .ending: return  // too late: its end was taken in
        case .running(let attempt, let incarnation):
            // STALE, not CANCEL: no report is wanted, and a worker that forgets it has room for the next, and may leave.
            // If its order was lost on the way, that costs one credit until the next session.
            let name = AttemptID(effect: id, attempt: attempt)
            if recall(name, index, from: incarnation) == false { batch.settlements.append(.stale(incarnation, name)) }
        case .committing, .adoptable, .queued, .starting, .failing, .delayed, .local, .waiting: break
        }
        end(id, index)
        end(id)
    }

    /// Moves an effect to its end, out of whatever it waits in.
    mutating func end(_ id: EffectID, _ index: EffectSlot, by attempt: Attempt? = nil) {
        let phase = effects[index].phase
        change(index) { $0.phase = .ending(attempt) }
        switch phase {
        case .queued: if let pool = effects[index].pool { skip(in: pool) }
        case .starting(let attempt, let incarnation):
            workers[incarnation]?.reserved.remove(AttemptID(effect: id, attempt: attempt))
        case .committing, .adoptable, .failing, .delayed, .running, .local, .waiting, .ending: break
        }
    }

    /// Ends what an effect of a `.cancels` route selected, and the effect itself.
    ///
    /// Only what was asked for before it counts: after a restart, later effects are there as well.
    mutating func cancel(_ others: [EffectID], by id: EffectID) {
        for other in others where other.loop == id.loop && other < id { cancel(other) }
        cancel(id)
    }

    mutating func endLoop(_ loop: LoopID) {
        for id in effects.keys.filter({ $0.loop == loop }).sorted() { cancel(id) }
        loops[loop] = nil
    }
}
