import MobiusJournal
package import MobiusWire

// Read-only values for metrics.
extension CoordinatorMachine {
    /// The pools as ``fill(_:at:)`` shows them, and no loops: it visits every effect, briefly.
    package func poolStatuses(at now: Moment) -> [PoolStatus] {
        var loads = [PoolLoad](repeating: PoolLoad(), count: poolOrder.count)
        // Pools without a queue, as their effects all pause and no worker serves them.
        var others: [String: PoolLoad] = [:]
        var last = 0
        for effect in effects.values {
            guard case .pool(let pool) = effect.plan.destination else { continue }
            // Usually it is the pool of the previous effect.
            if last >= poolOrder.count || poolOrder[last] != pool {
                guard let place = poolOrder.firstIndex(of: pool) else {
                    others[pool, default: PoolLoad()].add(effect)
                    continue
                }
                last = place
            }
            loads[last].add(effect)
        }
        let time = calendar.time(at: now)
        return zip(poolOrder, loads).map { poolStatus($0, $1, time: time) }
            + others.sorted { $0.key < $1.key }.map { poolStatus($0.key, $0.value, time: time) }
    }

    /// The number of loops, and of held ones among them.
    package var loopCounts: (all: Int, held: Int) {
        (loops.count + held.count + Int(clamping: idleLoops.loops), held.count)
    }

    /// The pools that the worker at this connection serves.
    package func pools(of peer: Peer) -> [String] {
        peers[peer].flatMap { workers[$0]?.pools } ?? []
    }

    /// The pool of an effect that has not ended, or whose end is not on disk.
    package func pool(of id: EffectID) -> String? { effects[id]?.pool }

    /// The pool of such an effect, and for how long it has been asked for.
    package func age(of id: EffectID, at now: Moment) -> (pool: String, age: Duration)? {
        guard let effect = effects[id], let pool = effect.pool else { return nil }
        return (pool, max(.zero, calendar.time(at: now) - effect.asked))
    }
}
