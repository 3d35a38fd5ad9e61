import MobiusCore
import MobiusEngine
import MobiusWire

// A failure for good needs a reason in the world.
extension Chronicle {
    func failedForGood<Program: LoopProgram>(
        _ id: EffectID, _ failure: EffectFailure, round: UInt32, in process: CoordinatorProcess<Program>
    ) {
        if lives[process.epoch, default: Life()].failed.updateValue(round, forKey: id) == round {
            complain(.appliedOnce, "the failure of \(id) was applied twice")
        }
        // One that was replaced may know of effects that never reached the disk.
        guard lives.keys.allSatisfy({ $0 <= process.epoch }) else { return }
        guard let asked = asked[id] else { return }
        let policy = asked.plan.policy
        switch failure {
        case .timedOut(let timeout, _):
            check(id, timeout, asked, round, in: process)
            if policy.delivery == .atMostOnce, timeout != .scheduleToStart, isHandedOut(id) {
                complain(.runs, "\(id) timed out, and nobody says that its outcome is unknown")
            }
        case .workerLost(let attempts):
            if attempts != policy.retry.attempts {
                complain(.runs, "\(id) was given up after \(attempts) failures of \(policy.retry.attempts)")
            }
            if policy.delivery == .atMostOnce { complain(.runs, "the outcome of \(id) is unknown, and nobody says so") }
        case .failed(let reason): check(id, reason, policy)
        case .outcomeUnknown:
            if policy.delivery != .atMostOnce {
                complain(.runs, "the outcome of \(id) is unknown, and it may run again")
            }
        }
    }

    private func isHandedOut(_ id: EffectID) -> Bool { !(attempts[id] ?? []).isEmpty }

    private func check<Program: LoopProgram>(
        _ id: EffectID, _ timeout: EffectTimeout, _ asked: Asked, _ round: UInt32,
        in process: CoordinatorProcess<Program>
    ) {
        let timeouts = asked.plan.policy.timeouts
        let now = process.world.now
        let life = lives[process.epoch]
        switch timeout {
        case .startToClose:
            guard let limit = timeouts.startToClose else { break }
            // An adopted attempt's time began when the coordinator heard of it.
            guard let attempt = life?.sent[id].map({ AttemptID(effect: id, attempt: $0) }),
                let sent = life?.sentAt[attempt]
            else { return }
            if let worker = runs[attempt]?.worker, life?.gone.contains(worker) == true {
                complain(.noticed, "\(attempt) timed out, and its worker had been lost before")
            }
            if now < sent + limit { complain(.noticed, "\(id) timed out early: it was sent at \(sent.sketch)") }
            return
        case .progress:
            guard let limit = timeouts.progress else { break }
            guard let attempt = life?.sent[id], let run = runs[AttemptID(effect: id, attempt: attempt)],
                run.progress > run.start
            else { return }
            if now < run.progress + limit, run.silence < limit {
                complain(.noticed, "\(id) showed progress at \(run.progress.sketch)")
            }
            return
        case .scheduleToStart, .scheduleToClose:
            let limit = timeout == .scheduleToStart ? timeouts.scheduleToStart : timeouts.scheduleToClose
            guard let limit else { break }
            if timeout == .scheduleToStart, round == 0, life?.sent[id] != nil {
                complain(.noticed, "\(id) was not started in time, and was sent")
            }
            // A calendar that jumps makes this uncertain.
            guard round == 0, !hasJumped, process.calendar - asked.time < limit - .milliseconds(2) else { return }
            complain(.noticed, "\(id) timed out early, \(process.calendar - asked.time) after it was asked for")
            return
        }
        complain(.noticed, "\(id) timed out (\(timeout)), and has no such timeout")
    }

    private func check(_ id: EffectID, _ reason: String, _ policy: EffectPolicy) {
        if reason.contains("too large") || reason.contains("cannot be read") { return }
        let runs = (attempts[id] ?? []).compactMap { self.runs[$0] }
        let saying = runs.filter {
            if case .failed(_, reason) = $0.end { true } else { false }
        }
        if saying.isEmpty { complain(.runs, "\(id) failed for a reason that no handler gave: \(reason)") }
        let isFinal = saying.contains { if case .failed(false, _) = $0.end { true } else { false } }
        let sent = lives.values.reduce(0) { $0 + $1.sentAt.keys.count { $0.effect == id } }
        if !isFinal, policy.delivery == .atLeastOnce, sent < policy.retry.attempts, !mayFailUnstarted(id) {
            complain(.runs, "\(id) was given up after \(sent) attempts of \(policy.retry.attempts): \(reason)")
        }
    }

    /// Attempts may fail whose handlers never began, when messages or workers are lost.
    private func mayFailUnstarted(_ id: EffectID) -> Bool {
        let epochs = Set((attempts[id] ?? []).map(\.attempt.epoch))
        return setbacks[id, default: 0] > 0 && (!sparesWorkers || epochs.count > 1)
    }
}

extension Moment {
    /// Seconds, for traces.
    var sketch: String {
        let micros = nanoseconds / 1000
        let rest = String(micros % 1_000_000)
        return "\(micros / 1_000_000).\(String(repeating: "0", count: 6 - rest.count))\(rest)"
    }
}
