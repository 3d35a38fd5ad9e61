import MobiusEngine
import MobiusWire

// Records what handlers do, and checks when they start.
extension History {
    package func started(
        _ id: AttemptID, _ effect: Payload, by process: String, _ worker: Incarnation? = nil, at now: Moment
    ) {
        if let asked = requested[id.effect] {
            if asked.effect != effect { violated(.runs, "\(id) runs with another effect than the requested one") }
        } else {
            violated(.startsAfterCommit, "\(id) started before the event that requested it was on disk")
        }
        if runs[id] != nil {
            violated(.runs, "\(id) was started twice: in \(runs[id]?.process ?? "") and in \(process)")
            return
        }
        if requested[id.effect]?.plan.policy.delivery == .atMostOnce { checkAtMostOnce(id, by: process) }
        // The coordinator measures progress from the time when it sent the order.
        let sent = lives[id.attempt.epoch]?.sentAt[id] ?? now
        runs[id] = Run(process: process, worker: worker, effect: effect, start: now, progress: sent)
        attempts[id.effect, default: []].append(id)
        runsOf[process, default: []].append(id)
    }

    /// Checks that the handler of an at-most-once effect starts only once, after its start was recorded on disk.
    private func checkAtMostOnce(_ id: AttemptID, by process: String) {
        if handedOut[id.effect] != id.attempt {
            violated(.runs, "\(id) has at-most-once delivery, but its start is not on disk")
        }
        let round = id.attempt.round
        if let before = attempts[id.effect]?.last(where: { $0.attempt.round == round }) {
            violated(.runs, "\(id) has at-most-once delivery, but \(before) ran in \(runs[before]?.process ?? "")")
        }
    }

    package func progressed(_ id: AttemptID, at now: Moment) {
        guard let run = runs[id] else { return }
        runs[id]?.silence = max(run.silence, now - run.progress)
        runs[id]?.progress = now
    }

    package func emitted(_ id: AttemptID, _ event: Payload?, final: Bool, isNonsense: Bool = false) {
        guard runs[id] != nil else { return }
        if let event {
            guard event.bytes.count <= maximumPayload else {
                // A handler's event that is too large to send ends its attempt.
                runs[id]?.end = .failed(retryable: false, reason: "too large")
                return
            }
            runs[id]?.events.append(event)
            if isNonsense, let number = runs[id]?.events.count { runs[id]?.nonsense.insert(number) }
        }
        guard final else { return }
        // A worker reports a cancelled handler that ends without an event as failed.
        let isGivenUp = event == nil && runs[id]?.isCancelled == true
        runs[id]?.end = isGivenUp ? .failed(retryable: true, reason: "it was cancelled") : .finished
    }

    package func failed(_ id: AttemptID, retryable: Bool, delay: UInt32, reason: String, at now: Moment) {
        runs[id]?.end = .failed(retryable: retryable, reason: reason)
        runs[id]?.endedAt = now
        runs[id]?.delay = delay
    }

    package func cancelled(_ id: AttemptID) { runs[id]?.isCancelled = true }

    /// Records that a draining worker gives up an attempt.
    func givenUp(_ id: AttemptID) { if runs[id]?.end == nil { runs[id]?.isGivenUp = true } }

    /// Attempts of a process whose handlers have finished, while their effects are pending and no coordinator gave them
    /// up.
    func unreported(by process: String) -> [AttemptID] {
        (runsOf[process] ?? []).filter { id in
            guard let run = runs[id], case .finished = run.end, endings[id.effect] == nil else { return false }
            return !lives.values.contains { life in
                life.dropped.contains(id) || life.failed[id.effect] != nil
                    || life.sent[id.effect] ?? id.attempt > id.attempt
            }
        }
    }

    /// Checks a worker that exits as drained: all attempts that it held must be finished and acknowledged.
    func checkLeaving(_ process: String, _ running: [AttemptID]) {
        // After the drain limit it does not wait for cancelled handlers.
        for id in running where runs[id]?.isCancelled != true {
            violated(.conduct, "\(process) exits as drained, but runs \(id)")
        }
        for id in runsOf[process] ?? [] {
            guard let run = runs[id], !run.isCancelled, endings[id.effect] == nil, case .finished = run.end else {
                continue
            }
            let isSuperseded = lives.values.contains {
                $0.sent[id.effect] ?? id.attempt > id.attempt || $0.dropped.contains(id)
            }
            if reported[id, default: 0] < run.events.count, !isSuperseded {
                violated(.nothingLost, "\(process) exits as drained, but events of \(id) are not on disk")
            }
        }
    }
}
