import MobiusJournal
package import MobiusWire

// Read-only values for metrics.
extension CoordinatorMachine {
    /// The pools as ``fill(_:at:)`` shows them, and no loops: it visits every effect, briefly.
    package func poolStatuses(at now: Moment) -> [PoolStatus] {
        var loads = [PoolLoad](repeating: PoolLoad(), count: dispatcher.names.count)
        // Pools without a queue: their effects all pause and no worker serves them, or operators have paused them.
        var others: [String: PoolLoad] = [:]
        for pool in dispatcher.paused.keys where dispatcher[pool] == nil { others[pool] = PoolLoad() }
        var last = 0
        for effect in effects.values {
            guard case .pool(let pool) = effect.plan.destination else { continue }
            // Usually it is the pool of the previous effect.
            if last >= dispatcher.names.count || dispatcher.names[last] != pool {
                guard let place = dispatcher.names.firstIndex(of: pool) else {
                    others[pool, default: PoolLoad()].add(effect)
                    continue
                }
                last = place
            }
            loads[last].add(effect)
        }
        let time = calendar.time(at: now)
        return zip(dispatcher.names, loads).map { poolStatus($0, $1, time: time) }
            + others.sorted { $0.key < $1.key }.map { poolStatus($0.key, $0.value, time: time) }
    }

    /// The number of workers, or of those at the end.
    package var workerCount: Int { roster.count }

    /// Whether a worker has a session.
    package func isHere(_ worker: Incarnation) -> Bool { roster[worker] != nil }

    /// The number of effects in a pool's queues, including obsolete entries.
    package func queued(in pool: String) -> Int { dispatcher[pool]?.count ?? 0 }

    /// The number of effects that were put into queues so far, or came back to them.
    package var enqueued: UInt64 { dispatcher.enqueued }

    /// The number of keys of which the machine remembers something besides their effects.
    package var keyCount: Int { dispatcher.keyCount }

    /// The number of a limit's effects that are at workers, or may be.
    package func running(underLimit name: String) -> Int { dispatcher.limits[name]?.running ?? 0 }

    /// The number of deadlines, including obsolete ones.
    package var deadlineCount: Int { deadlines.count + dispatcher.wakes.count }

    /// Whether it waits only for new events, deadlines, and heartbeats without news.
    package var isAtRest: Bool {
        stopping == .no && !adoption.isOpen && inFlight.isEmpty && batch.isEmpty
            && roster.all.allSatisfy { $0.health == .good }
    }

    /// The pools that the worker at this connection serves.
    package func pools(of peer: Peer) -> [String] {
        roster.worker(at: peer).flatMap { roster[$0]?.pools } ?? []
    }

    /// The pool of an effect that has not ended, or whose end is not on disk.
    package func pool(of id: EffectID) -> String? { effects[id]?.pool }

    /// The pool of such an effect, and for how long it has been asked for.
    package func age(of id: EffectID, at now: Moment) -> (pool: String, age: Duration)? {
        guard let effect = effects[id], let pool = effect.pool else { return nil }
        return (pool, max(.zero, calendar.time(at: now) - effect.asked))
    }
}
