import MobiusWire

/// A pool during dispatch, and the credit of its workers.
struct DispatchRound {
    /// The pool's slot.
    let slot: SlotTable<String, PoolState>.Slot
    /// The pool, moved out of its slot.
    var pool: PoolState
    /// Its workers, and the number of effects that may be sent to each.
    var free: [(worker: Incarnation, slot: WorkerSlot, credit: UInt64)]
    /// The effect that it would start next.
    var next: Next?

    /// The lane whose first effect may start, and the position of the worker for it.
    struct Next {
        let lane: Int
        let worker: Int
        let priority: Int
        let order: UInt64

        func isBefore(_ other: Next) -> Bool {
            priority != other.priority ? priority > other.priority : order < other.order
        }
    }

    /// Chooses the lane: of the lanes of the highest priority that can start an effect, the one with the oldest effect.
    mutating func choose(_ limits: [String: LimitState], at now: Moment) {
        next = nil
        guard let freest = freest() else { return }
        for position in pool.lanes.indices {
            if let next, next.priority > pool.lanes[position].key.priority { return }
            guard let order = pool.lanes[position].queue.first?.order, order < next?.order ?? .max else { continue }
            if let name = pool.lanes[position].key.limit, let limit = limits[name],
                !limit.hasRoom || limit.opens(after: now) != nil
            {
                continue
            }
            var worker = freest
            switch pool.lanes[position].key.owner {
            case .anybody: break
            case .nobody: continue
            case .worker(let owner):
                guard let place = free.firstIndex(where: { $0.worker == owner && $0.credit > 0 }) else { continue }
                worker = place
            }
            next = Next(lane: position, worker: worker, priority: pool.lanes[position].key.priority, order: order)
        }
    }

    /// Counts an order to a worker; returns whether the worker serves this pool.
    mutating func spend(on worker: Incarnation) -> Bool {
        guard let place = free.firstIndex(where: { $0.worker == worker }) else { return false }
        free[place].credit -= 1
        return true
    }

    /// The position of the worker for the next effect: not `avoided`, if another eligible worker has credit.
    func worker(for next: Next, avoiding avoided: Incarnation?) -> Int {
        guard let avoided, free[next.worker].worker == avoided, pool.lanes[next.lane].key.owner == .anybody
        else { return next.worker }
        return freest(but: avoided) ?? next.worker
    }

    /// The position of the worker with the most credit, the first of several; `nil` when there is none.
    private func freest(but avoided: Incarnation? = nil) -> Int? {
        var best: Int?
        var most: UInt64 = 0
        for position in free.indices where free[position].credit > most && free[position].worker != avoided {
            most = free[position].credit
            best = position
        }
        return best
    }
}
