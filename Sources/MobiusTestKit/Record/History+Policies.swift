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
        if let limit = plan.policy.limit { check(limit, of: id, epoch: epoch, at: now) }
        if let affinity = plan.affinity {
            let home = lives[epoch]?.affinityPlaces.updateValue(place, forKey: "\(pool) \(affinity)") ?? place
            if home != place {
                violated(.runs, "\(id) has the affinity \(affinity), but was sent to place \(place) instead of \(home)")
            }
        }
    }

    private func check(_ limit: EffectLimit, of id: AttemptID, epoch: UInt64, at now: Moment) {
        lives[epoch]?.started[limit.name, default: []].append(now)
        if let rate = limit.rate, let starts = lives[epoch]?.started[limit.name], starts.count > 2 * rate.count {
            let earlier = starts[starts.count - 1 - 2 * rate.count]
            // A full token bucket, and the tokens that are added meanwhile.
            if now - earlier < rate.time - .milliseconds(1) {
                violated(.runs, "\(id) is attempt \(2 * rate.count + 1) under its rate limit within \(now - earlier)")
            }
        }
        guard let concurrency = limit.concurrency else { return }
        let running = runs.filter { other, run in
            other != id && requested[other.effect]?.plan.policy.limit?.name == limit.name
                && isRunning(other, run, epoch: epoch, at: now)
        }
        if running.count >= concurrency {
            let names = running.keys.sorted { $0.effect < $1.effect }
            violated(.runs, "\(id) was sent while \(names) ran, but the concurrency limit is \(concurrency)")
        }
    }

    /// Whether the handler runs and the coordinator must count it as running.
    private func isRunning(_ id: AttemptID, _ run: Run, epoch: UInt64, at now: Moment) -> Bool {
        guard run.end == nil, !run.isCancelled, !dead.contains(run.process), let life = lives[epoch] else {
            return false
        }
        guard id.attempt.epoch == epoch, life.sent[id.effect] == id.attempt, life.failed[id.effect] == nil else {
            return false
        }
        guard requested[id.effect]?.plan.policy.timeouts.scheduleToClose == nil, !life.dropped.contains(id) else {
            return false
        }
        return !isOverdue(id, epoch: epoch, at: now) && run.worker.map { !life.gone.contains($0) } ?? false
    }

    /// Checks that no effect with a higher priority waits that could have been sent instead of these.
    func checkPriorities(of orders: [EffectOrder], epoch: UInt64, at now: Moment) {
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
            guard endings[other] == nil, let asked = requested[other], asked.plan.destination == .pool(pool),
                asked.plan.policy.priority > plan.policy.priority, asked.plan.policy.limit == nil,
                asked.plan.affinity == nil, asked.plan.policy.delivery == .atLeastOnce,
                asked.effect.bytes.count <= maximumPayload
            else { continue }
            violated(.runs, "\(id) was sent, while \(other) with a higher priority has waited since \(moment.summary)")
            return
        }
    }
}
