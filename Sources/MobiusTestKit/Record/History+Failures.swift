import MobiusCore
import MobiusDriver
import MobiusEngine
import MobiusWire

// Checks that each final failure has a cause in the simulated world.
extension History {
    func failedForGood<Program: LoopProgram>(
        _ id: EffectID, _ failure: EffectFailure, round: UInt32, in process: CoordinatorProcess<Program>
    ) {
        if lives[process.epoch, default: EpochRecord()].failed.updateValue(round, forKey: id) == round {
            violated(.appliedOnce, "the failure of \(id) was applied twice")
        }
        // A replaced coordinator may have effects that never reached the disk.
        guard isNewest(process.epoch) else { return }
        guard let asked = requested[id] else { return }
        let policy = asked.plan.policy
        switch failure {
        case .timedOut(let timeout, _):
            check(id, timeout, asked, round, in: process)
            if policy.delivery == .atMostOnce, timeout != .scheduleToStart, isHandedOut(id) {
                violated(.runs, "\(id) timed out, but its failure is not outcomeUnknown")
            }
        case .workerLost(let attempts):
            if attempts != policy.retry.attempts {
                violated(.runs, "\(id) was given up after \(attempts) of \(policy.retry.attempts) attempts")
            }
            if policy.delivery == .atMostOnce {
                violated(.runs, "the worker of \(id) was lost, but its failure is not outcomeUnknown")
            }
        case .failed(Self.operatorsReason):
            if !(wantedActs[id] ?? []).contains(Act("fail")) { violated(.runs, "no operator wanted \(id) to fail") }
        case .failed(let reason):
            if let loop = asked.plan.recipient {
                if !isTold(reason, of: loop, in: process) {
                    violated(.nothingLost, "the event \(id) is lost: \(reason)")
                }
                return
            }
            check(id, reason, policy)
        case .outcomeUnknown:
            // A coordinator of another build wrote the event that it asks with in other words.
            if policy.delivery != .atMostOnce, !asked.plan.asks {
                violated(.runs, "\(id) failed with outcomeUnknown, but its delivery is at least once")
            }
        }
    }

    /// Whether an event may fail for this reason: its loop has ended or is held, with as many waiting as may, and its sender hears it.
    private func isTold<Program: LoopProgram>(
        _ reason: String, of loop: LoopID, in process: CoordinatorProcess<Program>
    ) -> Bool {
        // The end may not be on disk yet; the failure comes after it in the journal.
        if reason.contains("ended at") { return true }
        let isLimited = process.world.fleet.maximumBacklog != nil
        return reason.contains("wait for it already") && isLimited && process.driver.machine.isHeld(loop)
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
            // The time of an adopted attempt began when the coordinator received its worker's list.
            guard let attempt = life?.sent[id].map({ AttemptID(effect: id, attempt: $0) }),
                let sent = life?.sentAt[attempt]
            else { return }
            if let worker = runs[attempt]?.worker, life?.gone.contains(worker) == true {
                violated(.noticed, "\(attempt) timed out, although its worker had been lost before")
            }
            if now < sent + limit { violated(.noticed, "\(id) timed out too early: it was sent at \(sent.summary)") }
            return
        case .progress:
            guard let limit = timeouts.progress else { break }
            guard let attempt = life?.sent[id], let run = runs[AttemptID(effect: id, attempt: attempt)],
                run.progress > run.start
            else { return }
            if now < run.progress + limit, run.silence < limit {
                violated(.noticed, "\(id) timed out too early: it reported progress at \(run.progress.summary)")
            }
            return
        case .scheduleToStart, .scheduleToClose:
            let limit = timeout == .scheduleToStart ? timeouts.scheduleToStart : timeouts.scheduleToClose
            guard let limit else { break }
            if timeout == .scheduleToStart, round == 0, life?.sent[id] != nil {
                violated(.noticed, "\(id) timed out before its start, although it was sent")
            }
            // A calendar that jumps makes this uncertain.
            guard round == 0, !hasJumped, process.calendar - asked.time < limit - .milliseconds(2) else { return }
            violated(.noticed, "\(id) timed out too early, \(process.calendar - asked.time) after it was requested")
            return
        }
        violated(.noticed, "\(id) timed out (\(timeout)), but has no such time-out")
    }

    private func check(_ id: EffectID, _ reason: String, _ policy: EffectPolicy) {
        if ["too large", "cannot be read", "cannot be decoded"].contains(where: reason.contains) { return }
        let runs = (attempts[id] ?? []).compactMap { self.runs[$0] }
        let matching = runs.filter {
            if case .failed(_, reason) = $0.end { true } else { false }
        }
        if matching.isEmpty { violated(.runs, "\(id) failed for a reason that no handler gave: \(reason)") }
        let isFinal = matching.contains { if case .failed(false, _) = $0.end { true } else { false } }
        let sent = lives.values.reduce(0) { $0 + $1.sentAt.keys.count { $0.effect == id } }
        if !isFinal, policy.delivery == .atLeastOnce, sent < policy.retry.attempts, !mayFailUnstarted(id) {
            violated(.runs, "\(id) was given up after \(sent) of \(policy.retry.attempts) attempts: \(reason)")
        }
    }

    /// Whether attempts may have failed before their handlers started, because messages or workers were lost.
    private func mayFailUnstarted(_ id: EffectID) -> Bool {
        let epochs = Set((attempts[id] ?? []).map(\.attempt.epoch))
        return retries[id, default: 0] > 0 && (!sparesWorkers || epochs.count > 1)
    }
}

extension Moment {
    /// Seconds, for traces.
    package var summary: String {
        let micros = nanoseconds / 1000
        let rest = String(micros % 1_000_000)
        return "\(micros / 1_000_000).\(String(repeating: "0", count: 6 - rest.count))\(rest)"
    }
}
