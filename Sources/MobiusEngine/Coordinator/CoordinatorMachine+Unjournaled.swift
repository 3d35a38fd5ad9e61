import MobiusJournal
import MobiusWire

// Effects without an event in the journal, and cancelled effects.
extension CoordinatorMachine {
    mutating func submit(
        _ id: EffectID, _ planned: PlannedEffect, at now: Moment, _ actions: inout [CoordinatorAction]
    ) {
        guard stopping == .no, residency[id.loop] != nil, effects[id] == nil else { return }
        let state = EffectState(planned, phase: .committing, asked: calendar.time(at: now))
        let slot = effects.insert(state, for: id)
        if let loop = residency.slot(of: id.loop) { residency[loop].pending += 1 }
        limitTime(of: slot, at: now)
        release(slot, at: now, &actions)
    }

    /// Cancels the effect in any phase; its later reports are stale.
    ///
    /// - Parameter other: The effect that cancels it, if it is another.
    mutating func cancel(_ id: EffectID, by other: EffectID? = nil) {
        guard let index = effects.slot(of: id) else { return }
        let phase = effects[index].phase
        switch phase {
        case .ending: return  // too late: its end was accepted
        case .running(let attempt, let incarnation):
            // STALE, not CANCEL: no report is needed, and a worker that forgets the attempt can take the next one, and
            // can shut down. If its order was lost, that costs one credit until the next session.
            let name = AttemptID(effect: id, attempt: attempt)
            if roster.recall(name, index, from: incarnation, &effects) == false {
                batch.postCommitActions.append(.stale(incarnation, name))
            }
        case .committing, .adoptable, .queued, .starting, .failing, .delayed, .local, .waiting, .dormant,
            .addressed:
            break
        }
        end(id, index)
        if let other { batch.records.append(.note(id, .remarked(.cancelled(by: other)))) }
        end(id)
    }

    /// Ends an effect, in any phase.
    mutating func end(_ id: EffectID, _ index: EffectSlot, by attempt: Attempt? = nil) {
        let phase = effects[index].phase
        change(index) { $0.phase = .ending(attempt) }
        switch phase {
        case .queued: if let pool = effects[index].pool { dispatcher.skip(in: pool, effects) }
        case .starting(let attempt, let incarnation):
            let name = AttemptID(effect: id, attempt: attempt)
            roster.with(incarnation) { $0.reserved.remove(name) }
        case .waiting, .dormant, .addressed: deferred -= 1
        case .committing, .adoptable, .failing, .delayed, .running, .local, .ending: break
        }
    }

    /// Ends the effects that a `.cancels` route selected, and the cancelling effect itself.
    ///
    /// Only effects that were asked for earlier count: after a restart, later ones exist as well.
    mutating func cancel(_ others: [EffectID], by id: EffectID) {
        for other in others where other.loop == id.loop && other < id { cancel(other, by: id) }
        cancel(id)
    }

    mutating func endLoop(_ loop: LoopID) {
        for id in effects.keys.filter({ $0.loop == loop }).sorted() { cancel(id) }
        residency.forget(loop)
    }
}
