import MobiusEngine
import MobiusJournal
import MobiusWire

// What can only be said when everything is over.
extension Chronicle {
    ///
    /// - Parameter isOpen: Whether effects may go on.
    func checkTheEnd(isOpen: Bool = false) {
        for effect in askedOrder {
            if let ending = endings[effect] {
                check(effect, ending)
            } else if !isOpen {
                complain(.nothingLost, "\(effect) was asked for, and has not ended")
            }
        }
        for (epoch, life) in lives.sorted(by: { $0.key < $1.key }) { checkOrder(epoch, life) }
    }

    /// An effect that ended did so because a handler ended, and all that this handler said is on disk.
    private func check(_ effect: EffectID, _ ending: Ending) {
        switch ending {
        case .failure, .timer: break  // the reason was looked at when it happened
        case .report(let attempt, let number):
            guard let run = runs[attempt], case .finished = run.end else {
                complain(.runs, "\(effect) ended by event \(number) of \(attempt), whose handler has not ended")
                return
            }
            if run.events.count != Int(number) {
                complain(
                    .nothingLost, "\(effect) ended by event \(number) of \(attempt), which sent \(run.events.count)")
            }
        case .silent where excused.contains(effect): break
        case .silent:
            let silent = (attempts[effect] ?? []).contains { attempt in
                guard let run = runs[attempt], case .finished = run.end else { return false }
                return !run.isCancelled && reported[attempt, default: 0] == run.events.count
            }
            if !silent {
                complain(.runs, "\(effect) ended silently, and no handler did, or not all that it said is on disk")
            }
        }
    }

    /// What one coordinator process applied and got to the disk stands there in the order in which it was applied.
    private func checkOrder(_ epoch: UInt64, _ life: Life) {
        for (loop, applied) in life.applied.sorted(by: { $0.key.name < $1.key.name }) {
            let durable = (journal[loop] ?? []).filter { $0.writer == epoch }.map(\.source)
            if Array(applied.prefix(durable.count)) != durable {
                complain(.appliedOnce, "loop \(loop) is on disk in another order than epoch \(epoch) applied it in")
            }
        }
    }
}
