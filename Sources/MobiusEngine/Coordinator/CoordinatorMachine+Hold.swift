import MobiusJournal
import MobiusWire

// Loops that cannot continue for now.
extension CoordinatorMachine {
    /// Holds a loop: its applied events are committed, and later reports are not acknowledged.
    mutating func hold(_ loop: LoopID) {
        deliveries.block(loop)
        guard residency.hold(loop) else { return }
        for id in effects.keys where id.loop == loop {
            guard let slot = effects.slot(of: id) else { continue }
            // Its worker keeps the effect, as after a restart, unless the order was never sent.
            if case .running(let attempt, let worker) = effects[slot].phase {
                _ = roster.recall(AttemptID(effect: id, attempt: attempt), slot, from: worker, &effects)
            }
            end(id, slot)
            effects.remove(slot)
            undecodable[id] = nil
        }
        // An end that followed an event that is not applied must not be on disk before that event.
        eventlessCompletions.removeAll { $0.report.attempt.effect.loop == loop }
    }
}
