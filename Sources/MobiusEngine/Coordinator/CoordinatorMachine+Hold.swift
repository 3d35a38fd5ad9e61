import MobiusJournal
import MobiusWire

// Loops that cannot continue for now.
extension CoordinatorMachine {
    /// Holds a loop: its applied events are committed, and later reports are not acknowledged.
    mutating func hold(_ loop: LoopID) {
        held.insert(loop)
        deliveries.block(loop)
        directory.insert(loop)
        guard loops.removeValue(forKey: loop) != nil else { return }
        for id in effects.keys where id.loop == loop {
            guard let slot = effects.slot(of: id) else { continue }
            // Its worker keeps the effect, as after a restart, unless the order was never sent.
            if case .running(let attempt, let worker) = effects[slot].phase {
                _ = recall(AttemptID(effect: id, attempt: attempt), slot, from: worker)
            }
            end(id, slot)
            effects.remove(slot)
            undecodable[id] = nil
        }
        // An end that followed an event that is not applied must not be on disk before that event.
        eventlessCompletions.removeAll { $0.report.attempt.effect.loop == loop }
    }
}
