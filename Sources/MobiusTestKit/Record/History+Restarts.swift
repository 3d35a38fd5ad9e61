import MobiusEngine
import MobiusJournal
import MobiusWire

// Checks what must survive a coordinator's restart: running attempts and the counts of failures.
extension History {
    /// Whether a worker still runs the attempt.
    private func goesOn(_ id: AttemptID) -> Bool {
        runs[id].map { $0.end == nil && !$0.isCancelled && !dead.contains($0.process) } ?? false
    }

    /// Checks that a coordinator does not cancel a working handler without a reason.
    func checkDropped(_ id: AttemptID, epoch: UInt64, at now: Moment) {
        guard sparesWorkers, let run = runs[id], run.end == nil, !run.isCancelled, run.nonsense.isEmpty,
            !dead.contains(run.process), let asked = requested[id.effect], let life = lives[epoch]
        else { return }
        guard endings[id.effect] == nil, !mayEndSilently.contains(id.effect), life.failed[id.effect] == nil,
            !life.hasCompleted(id.effect), (wantedActs[id.effect] ?? []).isEmpty,
            id.attempt.round == rounds[id.effect, default: 0],
            !lives.values.contains(where: { $0.sent[id.effect] ?? id.attempt > id.attempt })
        else { return }
        // Another attempt goes on: one that had run out of time may, when a crash lost the record of that.
        guard !(attempts[id.effect] ?? []).contains(where: { $0 != id && goesOn($0) }) else { return }
        // Time-outs of the effect, unlike those of the attempt, are measured by the calendar.
        let timeouts = asked.plan.policy.timeouts
        guard timeouts.scheduleToClose == nil, timeouts.scheduleToStart == nil else { return }
        // The time of an adopted attempt restarts, at the coordinator's start at the earliest.
        let begin = life.sentAt[id] ?? life.resumed[id.effect]
        guard let begin,
            ![timeouts.startToClose, timeouts.progress].contains(where: { $0.map { begin + $0 <= now } ?? false })
        else { return }
        violated(.economy, "\(id) was cancelled without a reason while \(run.process) ran it")
    }

    /// Checks that an attempt is not recorded as failed only because its draining worker gave it up.
    func checkRetries(in records: [JournalRecord], by epoch: UInt64, at now: Moment) {
        for case .note(let effect, .retried) in records {
            guard let life = lives[epoch], let attempt = life.sent[effect],
                let run = runs[AttemptID(effect: effect, attempt: attempt)], run.isGivenUp, let worker = run.worker,
                !life.lost.contains(worker), run.nonsense.isEmpty,
                !isOverdue(AttemptID(effect: effect, attempt: attempt), epoch: epoch, at: now)
            else { continue }
            violated(.runs, "a failure of \(effect) was counted, although \(run.process) drained in an orderly way")
        }
    }

    /// Checks that no effect times out whose last report waits to be read.
    func checkTimeouts(in actions: [CoordinatorAction], by epoch: UInt64) {
        guard let life = lives[epoch], !life.unread.isEmpty else { return }
        for case .applyFailure(let effect, _, let failure, _) in actions {
            switch failure {
            case .timedOut(.startToClose, _), .timedOut(.progress, _), .outcomeUnknown: break
            case .timedOut, .workerLost, .failed: continue
            }
            for attempt in life.unread where attempt.effect == effect && attempt.attempt == life.sent[effect] {
                violated(.noticed, "\(effect) failed while the last report of \(attempt) waited to be read")
            }
        }
    }

    /// Checks that a retryable failure was counted on disk before it was acknowledged.
    ///
    /// Otherwise more attempts than the route allows could follow. Attempts of other epochs are exempt: the failure of
    /// an adopted attempt may have been counted before the restart.
    func checkCounted(_ id: AttemptID, by epoch: UInt64) {
        guard id.attempt.epoch == epoch else { return }
        failures[id.effect, default: []].insert(id)
        let (count, counted) = (failures[id.effect]?.count ?? 0, Int(retries[id.effect, default: 0]))
        if endings[id.effect] == nil, counted < count {
            violated(.runs, "\(id) failed, which is failure \(count) of its effect, but only \(counted) are on disk")
        }
    }
}

extension WorkerMessage {
    /// The attempts whose last reports the message contains.
    var endings: [AttemptID] {
        switch self {
        case .events(_, let reports): reports.filter(\.final).map(\.id.attempt)
        case .failures(_, let reports): reports.map(\.id.attempt)
        case .hello, .credit, .heartbeat, .draining, .bye, .reclaim: []
        }
    }
}
