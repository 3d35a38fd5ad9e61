import MobiusJournal
import MobiusWire

// Effects that no event of the journal asked for, and effects that are no longer wanted.
extension CoordinatorMachine {
    mutating func submit(
        _ id: EffectID, _ planned: PlannedEffect, at now: Moment, _ actions: inout [CoordinatorAction]
    ) {
        guard stopping == .no, loops[id.loop] != nil, effects[id] == nil else { return }
        effects[id] = EffectState(planned, phase: .committing, asked: calendar.time(at: now))
        limitTime(of: id, at: now)
        release(id, at: now, &actions)
    }

    /// Takes the effect back from wherever it is; reports that come of it later are stale.
    mutating func cancel(_ id: EffectID) {
        guard let index = effects.index(forKey: id) else { return }
        let phase = effects.values[index].phase
        switch phase {
        case .ending: return  // too late: its end was taken in
        case .running(let attempt, let incarnation):
            // STALE, not CANCEL: no report is wanted, and a worker that forgets it has room for the next, and may leave.
            // If its order was lost on the way, that costs one credit until the next session.
            workers[incarnation]?.holding[id] = nil
            workers[incarnation]?.outbox.orders.removeAll { $0.id.effect == id }
            workers[incarnation]?.outbox.stales.append(AttemptID(effect: id, attempt: attempt))
        case .committing, .adoptable, .queued, .starting, .failing, .delayed, .local, .waiting: break
        }
        change(index) { $0.phase = .ending(nil) }
        end(id)
        if case .queued = phase, let pool = effects.values[index].pool { skip(in: pool) }
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

    /// Notes that an effect that waits in the pool's queue will not be started.
    ///
    /// Once they are half of the queue they are swept out: it must not grow without end where no worker comes.
    private mutating func skip(in pool: String) {
        guard let index = pools.index(forKey: pool) else { return }
        pools.values[index].skipped += 1
        guard pools.values[index].skipped * 2 > pools.values[index].count else { return }
        pools.values[index].sweep { [effects] id in
            if case .queued = effects[id]?.phase { true } else { false }
        }
    }
}
