import MobiusEngine
import MobiusJournal
import MobiusWire

// What coordinator processes do and say.
extension Chronicle {
    func resumed(_ loop: LoopID, _ pending: [PendingEffect], epoch: UInt64, at now: Moment) {
        for effect in pending { lives[epoch, default: Life()].resumed[effect.id] = now }
        let expected = self.pending.filter { $0.loop == loop }.sorted()
        if pending.map(\.id) != expected {
            complain(.nothingLost, "loop \(loop) goes on with \(pending.map(\.id)), and on disk are \(expected)")
        }
    }

    func applied(_ loop: LoopID, _ source: SourceKey, _ event: Payload, epoch: UInt64) {
        let name = Source(loop: loop, key: source)
        let isNewest = lives.keys.allSatisfy { $0 <= epoch }
        if !lives[epoch, default: Life()].sources.insert(name).inserted || isNewest && sources.contains(name) {
            complain(.appliedOnce, "the event from \(source.sketch) was applied twice")
        }
        lives[epoch]?.applied[loop, default: []].append(source)
        guard case .report(let attempt, let number) = source else { return }
        if let newest = lives[epoch]?.sent[attempt.effect], newest > attempt.attempt {
            complain(.runs, "event \(number) of \(attempt) was applied after attempt \(newest) was sent")
        }
        if hasFailed(attempt, in: epoch) {
            complain(.appliedOnce, "event \(number) of \(attempt) was applied after the failure of its effect")
        }
    }

    /// Whether that process applied the failure of the effect in the round that the attempt belongs to, or in a later one.
    private func hasFailed(_ id: AttemptID, in epoch: UInt64) -> Bool {
        guard let round = lives[epoch]?.failed[id.effect] else { return false }
        return id.attempt.round <= round
    }

    func said(_ message: CoordinatorMessage, to place: Int?, epoch: UInt64, at now: Moment) {
        switch message {
        case .effects(_, let orders): for order in orders { sent(order, to: place, epoch: epoch, at: now) }
        case .ack(let reports): for report in reports { acknowledged(report, by: epoch) }
        case .cancel(let attempts), .stale(let attempts):
            for attempt in attempts { checkDropped(attempt, epoch: epoch, at: now) }
            lives[epoch, default: Life()].dropped.formUnion(attempts)
        case .welcome, .reject, .pulse, .drain, .resync: break
        }
    }

    private func sent(_ order: EffectOrder, to place: Int?, epoch: UInt64, at now: Moment) {
        let id = order.id
        if asked[id.effect]?.effect != order.effect {
            complain(.startsAfterCommit, "\(id) was sent, and the event that asked for it is not on disk")
        }
        if let place, let receiver = receivers.updateValue(place, forKey: id), receiver != place {
            complain(.runs, "\(id) was sent to places \(receiver) and \(place) under one number")
        }
        if let newest = lives[epoch]?.sent[id.effect], newest > id.attempt {
            complain(.runs, "\(id) was sent after attempt \(newest)")
        }
        let isFirst = lives[epoch, default: Life()].sentAt[id] == nil
        if isFirst, hasFailed(id, in: epoch) { complain(.runs, "\(id) was sent after its effect failed") }
        lives[epoch]?.sent[id.effect] = id.attempt
        guard isFirst else {
            if sparesWorkers, let run = runs[id], !dead.contains(run.process) {
                complain(.economy, "\(id) was sent again, and came to \(run.process)")
            }
            return
        }
        lives[epoch]?.sentAt[id] = now
        checkReason(for: id, epoch: epoch, at: now)
        if let place { checkPolicy(of: id, place: place, epoch: epoch, at: now) }
    }

    /// What runs again does so because it must, and not before it may.
    private func checkReason(for id: AttemptID, epoch: UInt64, at now: Moment) {
        let round = id.attempt.round
        let before = attempts[id.effect]?.last { $0.attempt.round == round }
        let run = before.flatMap { runs[$0] }
        if case .failed(let retryable, _) = run?.end {
            guard retryable, let end = run?.endedAt, let before, before.attempt.epoch == epoch else { return }
            if now < end + .milliseconds(Int64(run?.delay ?? 0)), !isGivenUp(before, by: epoch) {
                complain(.runs, "\(id) was sent before the pause after \(before) was over")
            }
            return
        }
        guard sparesWorkers, round == 0 else { return }
        // A second attempt follows one that was adopted, of which nobody need be asked.
        if id.attempt.number == 1, let start = lives[epoch]?.resumed[id.effect], now < start + timing.adoptionGrace {
            complain(.economy, "\(id) was sent before workers had time to say that they hold it")
        }
        if let before, let run, !run.isCancelled, run.nonsense.isEmpty, !isOverdue(before, epoch: epoch, at: now) {
            complain(.economy, "\(id) was sent, and \(before) runs or ran in \(run.process)")
        }
    }

    /// Whether that process told the attempt's worker to give it up, or gave up the worker: then nobody heard how it ended.
    private func isGivenUp(_ id: AttemptID, by epoch: UInt64) -> Bool {
        guard let life = lives[epoch] else { return false }
        if life.dropped.contains(id) { return true }
        guard let worker = runs[id]?.worker, let lost = life.gaveUp[worker] else { return false }
        return lost >= life.sentAt[id] ?? lost
    }

    /// Whether the attempt's time was over.
    func isOverdue(_ id: AttemptID, epoch: UInt64, at now: Moment) -> Bool {
        guard let timeouts = asked[id.effect]?.plan.policy.timeouts else { return false }
        guard let sent = lives[epoch]?.sentAt[id] else { return true }  // adopted: who knows since when
        return [timeouts.startToClose, timeouts.progress].contains { $0.map { sent + $0 <= now } ?? false }
    }

    /// What is acknowledged is on disk.
    private func acknowledged(_ report: ReportID, by epoch: UInt64) {
        guard let run = runs[report.attempt] else {
            complain(.nothingLost, "\(report.sketch) was acknowledged, and never ran")
            return
        }
        // Again, for an attempt whose effect was tried anew since.
        if rounds[report.attempt.effect, default: 0] > report.attempt.attempt.round { return }
        if Int(report.number) <= run.events.count {
            if reported[report.attempt, default: 0] < Int(report.number) {
                complain(.nothingLost, "\(report.sketch) was acknowledged before its event was on disk")
            }
            return
        }
        if case .failed(true, _) = run.end {
            checkCounted(report.attempt, by: epoch)
            return
        }
        if endings[report.attempt.effect] == nil {
            complain(.nothingLost, "\(report.sketch) was acknowledged before its end was on disk")
        }
    }

    func confirmed(_ loop: LoopID, _ key: String) {
        let source = Source(loop: loop, key: .outside(key))
        confirmed.insert(source)
        if !sources.contains(source) { complain(.nothingLost, "\(key) was confirmed before its event was on disk") }
    }

    func noted(_ note: CoordinatorNote, by epoch: UInt64, at now: Moment) {
        switch note {
        case .joined(let worker, _, _, _):
            lives[epoch, default: Life()].joined.insert(worker)
            lives[epoch]?.gone.remove(worker)
            lives[epoch]?.homes = [:]
        case .lost(let worker, _), .left(let worker, _):
            if case .lost = note { lives[epoch, default: Life()].lost.insert(worker) }
            lives[epoch, default: Life()].gone.insert(worker)
            lives[epoch]?.gaveUp[worker] = now
            lives[epoch]?.homes = [:]
        case .draining: lives[epoch]?.homes = [:]  // it is given no more effects
        default: break
        }
    }
}
