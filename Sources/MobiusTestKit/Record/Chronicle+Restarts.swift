import MobiusEngine
import MobiusJournal
import MobiusWire

// What must outlive coordinators: attempts that go on, and the count of those that failed.
extension Chronicle {
    /// A coordinator tells a worker to give up an attempt: a handler that does its work must not be stopped in vain.
    func checkDropped(_ id: AttemptID, epoch: UInt64, at now: Moment) {
        guard sparesWorkers, let run = runs[id], run.end == nil, !run.isCancelled, run.nonsense.isEmpty,
            !dead.contains(run.process), let asked = asked[id.effect], let life = lives[epoch]
        else { return }
        guard endings[id.effect] == nil, !excused.contains(id.effect), life.failed[id.effect] == nil,
            id.attempt.round == rounds[id.effect, default: 0],
            !lives.values.contains(where: { $0.sent[id.effect] ?? id.attempt > id.attempt })
        else { return }
        // Time-outs of the effect itself run by the calendar.
        let timeouts = asked.plan.policy.timeouts
        guard timeouts.scheduleToClose == nil, timeouts.scheduleToStart == nil else { return }
        // The time of an attempt that is adopted begins anew, at the coordinator's start at the earliest.
        let begin = life.sentAt[id] ?? life.resumed[id.effect]
        guard let begin,
            ![timeouts.startToClose, timeouts.progress].contains(where: { $0.map { begin + $0 <= now } ?? false })
        else { return }
        complain(.economy, "\(id) was to be given up, and \(run.process) was at work on it")
    }

    /// What a worker gives up that leaves in good order did not fail; before the record of that is written.
    func checkSetbacks(in records: [JournalRecord], by epoch: UInt64, at now: Moment) {
        for case .note(let effect, .setback) in records {
            guard let life = lives[epoch], let attempt = life.sent[effect],
                let run = runs[AttemptID(effect: effect, attempt: attempt)], run.isGivenUp, let worker = run.worker,
                !life.lost.contains(worker),
                !isOverdue(AttemptID(effect: effect, attempt: attempt), epoch: epoch, at: now)
            else { continue }
            complain(.runs, "\(effect) counts as failed, because \(run.process) left in good order")
        }
    }

    /// Nothing runs out of time whose answer waits to be read.
    func checkTimeouts(in actions: [CoordinatorAction], by epoch: UInt64) {
        guard let life = lives[epoch], !life.unread.isEmpty else { return }
        for case .applyFailure(let effect, _, let failure, _) in actions {
            switch failure {
            case .timedOut(.startToClose, _), .timedOut(.progress, _), .outcomeUnknown: break
            case .timedOut, .workerLost, .failed: continue
            }
            for attempt in life.unread where attempt.effect == effect && attempt.attempt == life.sent[effect] {
                complain(.noticed, "\(effect) failed, and the answer of \(attempt) waited to be read")
            }
        }
    }

    /// A failure that may pass is counted before it is acknowledged, or more attempts follow than the route allows.
    ///
    /// That of an attempt that was adopted may have been counted before the restart already.
    func checkCounted(_ id: AttemptID, by epoch: UInt64) {
        guard id.attempt.epoch == epoch else { return }
        failures[id.effect, default: []].insert(id)
        let (count, counted) = (failures[id.effect]?.count ?? 0, Int(setbacks[id.effect, default: 0]))
        if endings[id.effect] == nil, counted < count {
            complain(.runs, "\(id) failed, the \(count). of its effect, and on disk are \(counted) failures")
        }
    }
}

extension WorkerMessage {
    /// The attempts whose last reports it brings.
    var endings: [AttemptID] {
        switch self {
        case .events(_, let reports): reports.filter(\.final).map(\.id.attempt)
        case .failures(_, let reports): reports.map(\.id.attempt)
        case .hello, .credit, .heartbeat, .draining, .bye: []
        }
    }
}
