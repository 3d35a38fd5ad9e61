import MobiusEngine
import MobiusJournal
import MobiusWire

// What the world hears, and what must hold.
extension PolicyWorld {
    /// What leaves reaches its worker; a handler that is cancelled takes its time to report that.
    mutating func hear(_ actions: [CoordinatorAction]) {
        for case .send(let peer, let envelope) in actions {
            guard let place = workers.firstIndex(where: { $0.peer == peer }) else { continue }
            switch envelope.message {
            case .effects(_, let orders):
                workers[place].received += UInt64(orders.count)
                for order in orders {
                    note(order)
                    if !workers[place].isDraining { workers[place].held[order.id] = 0 }
                }
                if workers[place].received > workers[place].credit, !workers[place].isDraining {
                    faults.append("\(peer) got \(workers[place].received) orders of \(workers[place].credit)")
                }
            case .stale(let attempts):
                for attempt in attempts where workers[place].held.removeValue(forKey: attempt) != nil {
                    if !workers[place].isDraining { workers[place].credit += 1 }
                }
            default: break
            }
        }
    }

    private mutating func note(_ order: EffectOrder) {
        guard order.effect.words.contains("once"), !requeued.contains(order.id.effect) else { return }
        if let before = only[order.id.effect], before != order.id {
            faults.append("\(order.effect.words) ran as \(before) and as \(order.id)")
        }
        only[order.id.effect] = order.id
    }

    mutating func check() {
        faults += stage.machine.audit()
        if !restarts, stage.machine.running(underLimit: "few") > 2 { faults.append("more than two of a limit of two") }
        let pending = stage.machine.snapshotState(of: .main)?.pending ?? []
        do {
            let folded = try stage.fold(all: true).pending
            if folded != pending {
                let ours = pending.filter { !folded.contains($0) }.prefix(2)
                let theirs = folded.filter { !pending.contains($0) }.prefix(2)
                faults.append("a snapshot says \(ours), the records say \(theirs)")
            }
        } catch {
            faults.append("\(error)")
        }
    }
}
