import MobiusEngine
import MobiusWire

// Checks that the effects of a pool are shared out fairly between keys.
extension History {
    /// Effects that take turns as one: those of one pool and priority with the same key, or without one.
    struct Flow: Hashable {
        let pool: String
        let priority: Int
        let key: String?

        init?(_ plan: EffectPlan) {
            guard case .pool(let pool) = plan.destination else { return nil }
            (self.pool, priority, key) = (pool, plan.policy.priority, plan.key)
        }
    }

    /// Checks that while a key waits that could run, no other key has more than two turns.
    ///
    /// One turn, if it began to wait when the other had none in advance; another one, if both are level and the other
    /// one's effect is older.
    func checkFairness(of orders: [EffectOrder], epoch: UInt64, at now: Moment) {
        guard var life = lives[epoch] else { return }
        let sent = orders.filter { life.sentAt[$0.id] == nil }
        let all = Set(orders.map(\.id.effect))
        var waiting: [Flow: EffectID] = [:]
        for id in pending where !all.contains(id) {
            guard let asked = requested[id], let flow = Flow(asked.plan) else { continue }
            if asked.plan.policy.delivery == .atMostOnce { life.unseen.insert(flow) }
            if waiting[flow] == nil, mayRun(id, asked, life, at: now) { waiting[flow] = id }
        }
        for order in sent {
            guard let plan = requested[order.id.effect]?.plan, let turn = Flow(plan) else { continue }
            if plan.policy.delivery == .atMostOnce { life.unseen.insert(turn) }
            waiting[turn] = nil
        }
        let names = Set(waiting.values)
        life.overtaken = life.overtaken.filter { names.contains($0.key) }
        for order in sent {
            guard let plan = requested[order.id.effect]?.plan, let turn = Flow(plan),
                plan.policy.delivery == .atLeastOnce
            else { continue }
            for (flow, id) in waiting where flow.pool == turn.pool && flow.priority == turn.priority {
                guard !life.unseen.contains(flow) else { continue }
                life.overtaken[id, default: [:]][turn, default: 0] += 1
                guard life.overtaken[id]?[turn] ?? 0 > 2 else { continue }
                let keys = "\(turn.key ?? "no key"), while \(id) of \(flow.key ?? "no key") waits"
                violated(.runs, "\(order.id) is the third effect of \(keys)")
            }
        }
        lives[epoch] = life
    }

    /// Whether an effect has waited since an earlier moment, and nothing but its turn was missing.
    private func mayRun(_ id: EffectID, _ asked: Asked, _ life: EpochRecord, at now: Moment) -> Bool {
        guard let moment = life.released[id], moment < now, life.sent[id] == nil, life.failed[id] == nil,
            !life.hasCompleted(id)
        else {
            return false
        }
        // Its loop's end may not be on disk yet.
        guard life.ends[id.loop].map({ $0 < id.sequence }) ?? true else { return false }
        let policy = asked.plan.policy
        return policy.limit == nil && policy.limitPerKey == nil && asked.plan.affinity == nil
            && policy.delivery == .atLeastOnce && asked.effect.bytes.count <= maximumPayload
    }
}
