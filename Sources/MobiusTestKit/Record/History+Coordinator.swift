import MobiusEngine
import MobiusJournal
import MobiusWire

// Records what coordinator processes do and send, and checks it.
extension History {
    func resumed(_ loop: LoopID, _ pending: [PendingEffect], epoch: UInt64, at now: Moment) {
        for effect in pending { lives[epoch, default: EpochRecord()].resumed[effect.id] = now }
        let expected = self.pending.filter { $0.loop == loop }.sorted()
        if pending.map(\.id) != expected {
            violated(.nothingLost, "loop \(loop) recovers \(pending.map(\.id)), and pending on disk are \(expected)")
        }
    }

    func applied(_ loop: LoopID, _ source: SourceKey, _ event: Payload, epoch: UInt64) {
        let name = Source(loop: loop, key: source)
        let isNewest = isNewest(epoch)
        let isKnown = sources.contains(name) && !forgotten.contains(name)
        if !lives[epoch, default: EpochRecord()].sources.insert(name).inserted || isNewest && isKnown {
            violated(.appliedOnce, "the event from \(source.summary) was applied twice")
        }
        lives[epoch]?.applied[loop, default: []].append(source)
        guard case .report(let attempt, let number) = source else { return }
        if let newest = lives[epoch]?.sent[attempt.effect], newest > attempt.attempt {
            violated(.runs, "event \(number) of \(attempt) was applied after attempt \(newest) was sent")
        }
        if hasFailed(attempt, in: epoch) {
            violated(.appliedOnce, "event \(number) of \(attempt) was applied after the failure of its effect")
        }
    }

    /// Whether the process has applied the effect's failure in the attempt's round or in a later one.
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
            lives[epoch, default: EpochRecord()].dropped.formUnion(attempts)
        case .welcome, .reject, .pulse, .drain, .resync, .moved, .wanted, .reclaimed: break
        }
    }

    private func sent(_ order: EffectOrder, to place: Int?, epoch: UInt64, at now: Moment) {
        let id = order.id
        if requested[id.effect]?.effect != order.effect {
            violated(.startsAfterCommit, "\(id) was sent before the event that requested it was on disk")
        }
        if let place, let receiver = receivers.updateValue(place, forKey: id), receiver != place {
            violated(.runs, "\(id) was sent to places \(receiver) and \(place) under the same number")
        }
        if let newest = lives[epoch]?.sent[id.effect], newest > id.attempt {
            violated(.runs, "\(id) was sent after attempt \(newest)")
        }
        let isFirst = lives[epoch, default: EpochRecord()].sentAt[id] == nil
        // A coordinator that was replaced does not know.
        if isNewest(epoch) {
            if isFirst { checkLives(id.effect) }
            checkPause(id, shard: (epoch - 1) % shards)
        }
        if isFirst, hasFailed(id, in: epoch) { violated(.runs, "\(id) was sent after its effect failed") }
        lives[epoch]?.sent[id.effect] = id.attempt
        guard isFirst else {
            if sparesWorkers, let run = runs[id], !dead.contains(run.process) {
                violated(.economy, "\(id) was sent again, although \(run.process) has received it")
            }
            return
        }
        lives[epoch]?.sentAt[id] = now
        checkReason(for: id, epoch: epoch, at: now)
        if let place { checkPolicy(of: id, place: place, epoch: epoch, at: now) }
    }

    /// Checks that a new attempt has a reason, and that it was not sent before its pause was over.
    private func checkReason(for id: AttemptID, epoch: UInt64, at now: Moment) {
        let round = id.attempt.round
        let before = attempts[id.effect]?.last { $0.attempt.round == round }
        let run = before.flatMap { runs[$0] }
        if case .failed(let retryable, _) = run?.end {
            guard retryable, let end = run?.endedAt, let before, before.attempt.epoch == epoch else { return }
            if now < end + .milliseconds(Int64(run?.delay ?? 0)), !isGivenUp(before, by: epoch) {
                violated(.runs, "\(id) was sent before the pause after \(before) was over")
            }
            return
        }
        guard sparesWorkers, round == 0 else { return }
        // An attempt with a higher number follows an adopted one, so it need not wait for reports of other workers. Nor need one
        // that follows a report which could not be read: a later report of the adopted one may have been acknowledged as the last.
        if id.attempt.number == 1, run?.nonsense.isEmpty != false, let start = lives[epoch]?.resumed[id.effect],
            now < start + timing.adoptionGrace
        {
            violated(.economy, "\(id) was sent before workers had time to report that they hold it")
        }
        if let before, let run, !run.isCancelled, run.nonsense.isEmpty, !isOverdue(before, epoch: epoch, at: now) {
            violated(.economy, "\(id) was sent without a reason: \(before) runs or ran in \(run.process)")
        }
    }

    /// Whether the process cancelled the attempt, could not read an event of it, or gave up its worker, and so did not
    /// receive the attempt's outcome.
    private func isGivenUp(_ id: AttemptID, by epoch: UInt64) -> Bool {
        guard let life = lives[epoch] else { return false }
        if life.dropped.contains(id) || life.undecodable.contains(id) { return true }
        guard let worker = runs[id]?.worker, let lost = life.gaveUp[worker] else { return false }
        return lost >= life.sentAt[id] ?? lost
    }

    /// Whether an attempt-level time-out of the attempt has passed.
    func isOverdue(_ id: AttemptID, epoch: UInt64, at now: Moment) -> Bool {
        guard let timeouts = requested[id.effect]?.plan.policy.timeouts else { return false }
        guard let sent = lives[epoch]?.sentAt[id] else { return true }  // adopted: its start is unknown
        return [timeouts.startToClose, timeouts.progress].contains { $0.map { sent + $0 <= now } ?? false }
    }

    /// Checks that an acknowledged report is on disk.
    private func acknowledged(_ report: ReportID, by epoch: UInt64) {
        guard let run = runs[report.attempt] else {
            violated(.nothingLost, "\(report.summary) was acknowledged, but its handler never ran")
            return
        }
        // A repeated acknowledgement, for an attempt of a former round.
        if rounds[report.attempt.effect, default: 0] > report.attempt.attempt.round { return }
        if Int(report.number) <= run.events.count {
            if reported[report.attempt, default: 0] < Int(report.number) {
                violated(.nothingLost, "\(report.summary) was acknowledged before its event was on disk")
            }
            return
        }
        if case .failed(true, _) = run.end {
            checkCounted(report.attempt, by: epoch)
            return
        }
        if endings[report.attempt.effect] == nil {
            violated(.nothingLost, "\(report.summary) was acknowledged before its end was on disk")
        }
    }

    func confirmed(_ loop: LoopID, _ key: String) {
        let source = Source(loop: loop, key: .outside(key))
        lastConfirmed[loop] = max(lastConfirmed[loop] ?? 0, numbers[source] ?? 0)
        if !sources.contains(source) { violated(.nothingLost, "\(key) was confirmed before its event was on disk") }
    }

    func noted(_ note: CoordinatorNote, by epoch: UInt64, at now: Moment) {
        switch note {
        case .joined(let worker, _, _, _):
            lives[epoch, default: EpochRecord()].joined.insert(worker)
            lives[epoch]?.gone.remove(worker)
            lives[epoch]?.affinityPlaces = [:]
        case .lost(let worker, _), .left(let worker, _):
            if case .lost = note { lives[epoch, default: EpochRecord()].lost.insert(worker) }
            lives[epoch, default: EpochRecord()].gone.insert(worker)
            lives[epoch]?.gaveUp[worker] = now
            lives[epoch]?.affinityPlaces = [:]
        case .draining: lives[epoch]?.affinityPlaces = [:]  // it gets no more effects
        case .timedOut(let attempt, _, _): lives[epoch]?.timedOut.insert(attempt)
        default: break
        }
    }
}
