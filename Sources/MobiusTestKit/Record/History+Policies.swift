import MobiusEngine
import MobiusJournal
import MobiusWire

// Checks limits, priorities and affinity against what was sent where and when.
extension History {
    /// Records that a coordinator may send the effects of these records, which are on disk.
    func released(_ records: [JournalRecord], epoch: UInt64, at now: Moment) {
        for case .event(let event) in records {
            for index in event.effects.indices {
                let id = EffectID(loop: event.loop, sequence: event.sequence, index: UInt32(index))
                lives[epoch, default: EpochRecord()].released[id] = now
            }
        }
    }

    /// Checks the limit and the affinity of an attempt that is sent for the first time.
    func checkPolicy(of id: AttemptID, place: Int, epoch: UInt64, at now: Moment) {
        guard let plan = requested[id.effect]?.plan, case .pool(let pool) = plan.destination,
            plan.policy.delivery == .atLeastOnce
        else { return }
        if let limit = plan.policy.limit {
            check(limit, of: id, epoch: epoch, at: now, name: limit.name) { $0.policy.limit?.name == limit.name }
        }
        if let limit = plan.policy.limitPerKey, let key = plan.key {
            check(limit, of: id, epoch: epoch, at: now, name: "\(limit.name) of \(key)") {
                $0.policy.limitPerKey?.name == limit.name && $0.key == key
            }
        }
        if let affinity = plan.affinity {
            let home = lives[epoch]?.affinityPlaces.updateValue(place, forKey: "\(pool) \(affinity)") ?? place
            if home != place {
                violated(.runs, "\(id) has the affinity \(affinity), but was sent to place \(place) instead of \(home)")
            }
        }
    }

    private func check(
        _ limit: EffectLimit, of id: AttemptID, epoch: UInt64, at now: Moment, name: String,
        isShared: (EffectPlan) -> Bool
    ) {
        lives[epoch]?.started[name, default: []].append(now)
        let rates = lives[epoch]?.rates[name, default: []] ?? []
        if !rates.contains(limit.rate) { lives[epoch]?.rates[name] = rates + [limit.rate] }
        // Of routes that give one name different rates, the one counts that was used last.
        let isAlone = lives[epoch]?.rates[name]?.count == 1
        if isAlone, let rate = limit.rate, let starts = lives[epoch]?.started[name], starts.count > 2 * rate.count {
            let earlier = starts[starts.count - 1 - 2 * rate.count]
            // A full token bucket, and the tokens that are added meanwhile.
            if now - earlier < rate.time - .milliseconds(1) {
                let attempt = 2 * rate.count + 1
                violated(.runs, "\(id) is attempt \(attempt) under its rate limit \(name) within \(now - earlier)")
            }
        }
        guard let concurrency = limit.concurrency else { return }
        let running = runs.filter { other, run in
            other != id && requested[other.effect].map { isShared($0.plan) } ?? false
                && isRunning(other, run, epoch: epoch, at: now)
        }
        if running.count >= concurrency {
            let names = running.keys.sorted { $0.effect < $1.effect }
            violated(.runs, "\(id) was sent while \(names) ran, but the limit \(name) is \(concurrency)")
        }
    }

    /// Whether the handler runs and the coordinator must count it as running.
    private func isRunning(_ id: AttemptID, _ run: Run, epoch: UInt64, at now: Moment) -> Bool {
        guard run.end == nil, !run.isCancelled, !dead.contains(run.process), let life = lives[epoch] else {
            return false
        }
        // One that was cancelled, that an operator completed, or whose loop has ended, counts no more.
        guard !mayEndSilently.contains(id.effect), !life.hasCompleted(id.effect) else { return false }
        guard id.attempt.epoch == epoch, life.sent[id.effect] == id.attempt, life.failed[id.effect] == nil else {
            return false
        }
        guard requested[id.effect]?.plan.policy.timeouts.scheduleToClose == nil, !life.dropped.contains(id) else {
            return false
        }
        guard !isOverdue(id, epoch: epoch, at: now), !life.undecodable.contains(id) else { return false }
        return run.worker.map { !life.gone.contains($0) } ?? false
    }

    /// Checks that no effect with a higher priority waits that could have been sent instead of these.
    func checkPriorities(of orders: [EffectOrder], epoch: UInt64, at now: Moment) {
        checkFairness(of: orders, epoch: epoch, at: now)
        guard let life = lives[epoch] else { return }
        let all = Set(orders.map(\.id.effect))
        for order in orders where life.sentAt[order.id] == nil {
            guard let plan = requested[order.id.effect]?.plan, case .pool(let pool) = plan.destination,
                plan.policy.delivery == .atLeastOnce
            else { continue }
            checkPriority(of: order.id, plan, pool, life, besides: all, at: now)
        }
    }

    private func checkPriority(
        of id: AttemptID, _ plan: EffectPlan, _ pool: String, _ life: EpochRecord, besides others: Set<EffectID>,
        at now: Moment
    ) {
        for other in pending where !others.contains(other) {
            guard let moment = life.released[other], moment < now else { continue }
            guard life.sent[other] == nil, life.failed[other] == nil else { continue }
            guard life.ends[other.loop].map({ $0 < other.sequence }) ?? true else { continue }
            guard endings[other] == nil, let asked = requested[other], asked.plan.destination == .pool(pool),
                asked.plan.policy.priority > plan.policy.priority, asked.plan.policy.limit == nil,
                asked.plan.policy.limitPerKey == nil,
                asked.plan.affinity == nil, asked.plan.policy.delivery == .atLeastOnce,
                asked.effect.bytes.count <= maximumPayload
            else { continue }
            violated(.runs, "\(id) was sent, while \(other) with a higher priority has waited since \(moment.summary)")
            return
        }
    }
}
