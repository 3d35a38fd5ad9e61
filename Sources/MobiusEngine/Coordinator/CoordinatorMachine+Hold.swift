import MobiusJournal
import MobiusWire

// Loops that cannot go on for now.
extension CoordinatorMachine {
    /// Sets a loop aside: what it applied before goes to the disk, and of what it takes in later nobody is told that it came.
    mutating func hold(_ loop: LoopID) {
        held.insert(loop)
        guard loops.removeValue(forKey: loop) != nil else { return }
        for id in effects.keys where id.loop == loop {
            guard let slot = effects.slot(of: id) else { continue }
            // Its worker keeps it, as after a restart, unless it was never sent.
            if case .running(let attempt, let worker) = effects[slot].phase {
                _ = recall(AttemptID(effect: id, attempt: attempt), slot, from: worker)
            }
            end(id, slot)
            effects.remove(slot)
            spoiled[id] = nil
        }
        // An end that came behind an event that is not applied must not get to the disk before it.
        silentEnds.removeAll { $0.report.attempt.effect.loop == loop }
    }
}
