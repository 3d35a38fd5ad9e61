import MobiusEngine
import MobiusJournal
import MobiusWire

// Checks at the end of a run.
extension History {
    /// Checks the ends of all effects, and the order of events on disk.
    ///
    /// - Parameter isOpen: Whether effects may be pending.
    package func checkTheEnd(isOpen: Bool = false) {
        for effect in askedOrder {
            if let ending = endings[effect] {
                check(effect, ending)
            } else if !isOpen {
                violated(.nothingLost, "\(effect) was requested, but has not ended")
            }
        }
        for (epoch, life) in lives.sorted(by: { $0.key < $1.key }) { checkOrder(epoch, life) }
    }

    /// Checks that an ended effect had a handler that ended, and that all events of this handler are on disk.
    private func check(_ effect: EffectID, _ ending: Ending) {
        switch ending {
        case .failure, .timer, .answer: break  // checked when it occurred
        case .report(let attempt, let number):
            guard let run = runs[attempt], case .finished = run.end else {
                violated(.runs, "\(effect) ended by event \(number) of \(attempt), whose handler has not ended")
                return
            }
            if run.events.count != Int(number) {
                violated(
                    .nothingLost,
                    "\(effect) ended by event \(number) of \(attempt), which sent \(run.events.count) events")
            }
        case .silent where mayEndSilently.contains(effect): break
        case .silent:
            let silent = (attempts[effect] ?? []).contains { attempt in
                guard let run = runs[attempt], case .finished = run.end else { return false }
                return !run.isCancelled && reported[attempt, default: 0] == run.events.count
            }
            if !silent {
                violated(.runs, "\(effect) ended without an event, but no handler ended with all its events on disk")
            }
        }
    }

    /// Checks that the events of one coordinator process are on disk in the order in which it applied them.
    private func checkOrder(_ epoch: UInt64, _ life: EpochRecord) {
        for (loop, applied) in life.applied.sorted(by: { $0.key.name < $1.key.name }) {
            let durable = (journal[loop] ?? []).filter { $0.writer == epoch && $0.source != .start }.map(\.source)
            if Array(applied.prefix(durable.count)) != durable {
                violated(.appliedOnce, "the events of loop \(loop) are not on disk in the order of epoch \(epoch)")
            }
        }
    }
}
