import MobiusEngine
import MobiusWire

// What handlers do, and when they are started.
extension Chronicle {
    func started(_ id: AttemptID, _ effect: Payload, by process: String, _ worker: Incarnation? = nil, at now: Moment) {
        if let asked = asked[id.effect] {
            if asked.effect != effect { complain(.runs, "\(id) runs with another effect than was asked for") }
        } else {
            complain(.startsAfterCommit, "\(id) runs, and the event that asked for it is not on disk")
        }
        if runs[id] != nil {
            complain(.runs, "\(id) was started twice: in \(runs[id]?.process ?? ""), and in \(process)")
            return
        }
        if asked[id.effect]?.plan.policy.delivery == .atMostOnce { checkOnly(id, by: process) }
        // Its coordinator counts from when it sent the order.
        let sent = lives[id.attempt.epoch]?.sentAt[id] ?? now
        runs[id] = Run(process: process, worker: worker, effect: effect, start: now, progress: sent)
        attempts[id.effect, default: []].append(id)
        runsOf[process, default: []].append(id)
    }

    /// The handler of an effect that runs at most once begins once, after that was written down.
    private func checkOnly(_ id: AttemptID, by process: String) {
        if handedOut[id.effect] != id.attempt {
            complain(.runs, "\(id) runs at most once, and is not on disk as handed out")
        }
        let round = id.attempt.round
        if let before = attempts[id.effect]?.last(where: { $0.attempt.round == round }) {
            complain(.runs, "\(id) runs at most once, and \(before) ran already in \(runs[before]?.process ?? "")")
        }
    }

    func progressed(_ id: AttemptID, at now: Moment) {
        guard let run = runs[id] else { return }
        runs[id]?.silence = max(run.silence, now - run.progress)
        runs[id]?.progress = now
    }

    func emitted(_ id: AttemptID, _ event: Payload?, final: Bool, isNonsense: Bool = false) {
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
        // Whoever ends silently after it was cancelled has failed, says its worker.
        let isGivenUp = event == nil && runs[id]?.isCancelled == true
        runs[id]?.end = isGivenUp ? .failed(retryable: true, reason: "it was cancelled") : .finished
    }

    func failed(_ id: AttemptID, retryable: Bool, delay: UInt32, reason: String, at now: Moment) {
        runs[id]?.end = .failed(retryable: retryable, reason: reason)
        runs[id]?.endedAt = now
        runs[id]?.delay = delay
    }

    func cancelled(_ id: AttemptID) { runs[id]?.isCancelled = true }

    /// Its worker leaves, and does not wait for it any longer.
    func givenUp(_ id: AttemptID) { if runs[id]?.end == nil { runs[id]?.isGivenUp = true } }

    func hangs(_ id: AttemptID) { runs[id]?.hangs = true }

    /// Attempts of a process whose handlers have ended well, and whose effects have not, though nobody gave them up.
    func unreported(by process: String) -> [AttemptID] {
        (runsOf[process] ?? []).filter { id in
            guard let run = runs[id], case .finished = run.end, endings[id.effect] == nil else { return false }
            return !lives.values.contains { life in
                life.dropped.contains(id) || life.failed[id.effect] != nil
                    || life.sent[id.effect] ?? id.attempt > id.attempt
            }
        }
    }

    /// A worker says that all it held was finished and acknowledged.
    func checkLeaving(_ process: String, _ running: [AttemptID]) {
        // When its time is over it does not wait for handlers that do not listen.
        for id in running where runs[id]?.isCancelled != true {
            complain(.conduct, "\(process) leaves as drained, and runs \(id)")
        }
        for id in runsOf[process] ?? [] {
            guard let run = runs[id], !run.isCancelled, endings[id.effect] == nil, case .finished = run.end else {
                continue
            }
            let isSuperseded = lives.values.contains {
                $0.sent[id.effect] ?? id.attempt > id.attempt || $0.dropped.contains(id)
            }
            if reported[id, default: 0] < run.events.count, !isSuperseded {
                complain(.nothingLost, "\(process) leaves as drained, and events of \(id) are not on disk")
            }
        }
    }
}
