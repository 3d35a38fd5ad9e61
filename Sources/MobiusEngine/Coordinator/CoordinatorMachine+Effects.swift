import MobiusJournal
package import MobiusWire

// Releases committed effects to their executors, and handles their failures.
extension CoordinatorMachine {
    /// Changes an effect; every change of a phase uses this method, so that limits count correctly.
    @discardableResult
    @inline(__always)
    mutating func change<Result>(_ slot: EffectSlot, _ body: (inout EffectState) -> Result) -> Result {
        guard effects[slot].plan.hasLimit else { return body(&effects[slot]) }
        let (wasAtWorker, wasQueued) = (effects[slot].isAtWorker, effects[slot].isQueued)
        let result = body(&effects[slot])
        let (isAtWorker, isQueued) = (effects[slot].isAtWorker, effects[slot].isQueued)
        if wasAtWorker != isAtWorker { dispatcher.count(effects[slot].plan, atWorker: isAtWorker) }
        if wasQueued != isQueued { dispatcher.count(effects[slot].plan, waiting: isQueued ? 1 : -1) }
        return result
    }

    mutating func move(_ id: EffectID, to phase: EffectState.Phase) {
        guard let index = effects.slot(of: id) else { return }
        change(index) { $0.phase = phase }
    }

    /// Releases an effect that is on disk.
    mutating func release(
        _ slot: EffectSlot, isRecovered: Bool = false, at now: Moment, _ actions: inout [CoordinatorAction]
    ) {
        guard effects.contains(slot) else { return }
        switch effects[slot].way() {
        case .none: break  // cancelled before it was on disk
        case .local:
            guard stopping == .no else { return }  // it stays pending, and runs after the next start
            let attempt = effects[slot].begin(epoch: configuration.epoch)
            effects[slot].phase = .local(attempt)
            let id = AttemptID(effect: effects.key(of: slot), attempt: attempt)
            actions.append(.runLocal(id, effects[slot].effect))
        case .pool(let bytes, let startsBy):
            guard bytes <= Int(configuration.maximumPayload) else {
                let reason = PayloadLimit.reason("the effect", bytes: bytes, of: configuration.maximumPayload)
                fail(effects.key(of: slot), .failed(reason: reason), at: now, &actions)
                return
            }
            if let startsBy {
                guard startsBy > now else {
                    fail(effects.key(of: slot), .timedOut(.scheduleToStart), at: now, &actions)
                    return
                }
                setDeadline(.scheduleToStart(slot), at: startsBy)
            }
            enqueue(slot)
        case .timer: wait(slot, at: now)
        case .loop(let loop): address(slot, to: loop, isRecovered: isRecovered, at: now, &actions)
        case .atEnd(let loop): leave(slot, for: loop, isRecovered: isRecovered, at: now, &actions)
        case .answered(let reply):
            guard stopping == .no else { return }  // it stays pending, and its event follows after the next start
            let id = effects.key(of: slot)
            end(id, slot)
            actions.append(.applyAnswer(id, effect: effects[slot].effect, reply))
        case .endLoop(let mayBeginAgain):
            // Asked for under another route, by an earlier build.
            guard stopping == .no else { return }
            let id = effects.key(of: slot)
            end(id.loop, by: id, mayBeginAgain: mayBeginAgain, at: now)
            noteEnds(&actions)
        case .cancel:
            guard stopping == .no else { return }  // it stays pending, and cancels after the next start
            actions.append(.selectCancelled(effects.key(of: slot), effect: effects[slot].effect))
        case .end: cancel(effects.key(of: slot))
        }
    }

    /// The effect has failed for good, by an attempt's last report or without one: its route turns that into an event.
    ///
    /// `hasFailed` if the failed attempt is not counted yet.
    mutating func fail(
        _ id: EffectID, _ failure: EffectFailure, by attempt: Attempt? = nil, hasFailed: Bool = false, at now: Moment,
        _ actions: inout [CoordinatorAction]
    ) {
        guard let index = effects.slot(of: id) else { return }
        end(id, index, by: attempt)
        if hasFailed { effects[index].extra.failures += 1 }
        let effect = effects[index]
        if effect.plan.policy.keepsDeadLetters {
            let letter = DeadLetter(
                id: id, effect: effect.effect, reason: "\(failure)", failures: UInt32(clamping: effect.failures),
                round: effect.extra.round, time: calendar.time(at: now))
            batch.records.append(.note(id, .deadLettered(letter)))
        }
        actions.append(.applyFailure(id, effect: effect.effect, failure, round: effect.extra.round))
    }

    /// Records where and why an attempt failed, for the history.
    mutating func remark(failureOf id: AttemptID, on worker: String?, _ reason: String, at now: Moment) {
        let remark = EffectRemark.failed(
            id.attempt, worker: worker ?? "", reason: reason.cut(toBytes: EffectRemark.maximumText),
            at: calendar.time(at: now))
        batch.records.append(.note(id.effect, .remarked(remark)))
    }

    /// Whether the effect may be retried after one more failure, which is recorded.
    ///
    /// An effect that runs at most once is never retried.
    mutating func mayRetry(_ id: EffectID, after attempt: Attempt) -> Bool {
        guard let index = effects.slot(of: id) else { return false }
        let policy = effects[index].plan.policy
        guard policy.delivery == .atLeastOnce else { return false }
        // The failure of an adopted attempt may have been counted before the restart: rather count one too few.
        guard attempt.epoch == configuration.epoch || effects[index].failures == 0 else { return true }
        let failures = effects[index].failures + 1
        guard failures < policy.retry.attempts else { return false }
        effects[index].extra.failures = failures
        batch.records.append(.note(id, .retried(failures: UInt32(clamping: failures))))
        return true
    }

    /// The pause before the next attempt: the handler's own, in milliseconds, or the route's.
    mutating func pause(before id: EffectID, named delay: UInt32 = 0) -> Duration {
        guard let effect = effects[id] else { return .zero }
        // A peer chooses this number: it must not delay the effect for weeks.
        guard delay == 0 else { return min(.milliseconds(Int64(delay)), effect.plan.policy.retry.longestNamed) }
        let chance = Double(random.next() >> 11) / Double(UInt64(1) << 53)
        return effect.plan.policy.retry.pause(afterFailures: effect.failures, chance: chance)
    }

    /// A handler failed: another attempt after a pause, or the end.
    mutating func receive(
        _ report: FailureReport, from incarnation: Incarnation, _ worker: WorkerSlot, at now: Moment,
        _ actions: inout [CoordinatorAction]
    ) {
        let id = report.id.attempt.effect
        let attempt = report.id.attempt.attempt
        guard let effect = effects.slot(of: id) else { return answer(report.id, ofNoEffectFrom: incarnation) }
        guard accept(report.id.number, of: attempt, at: effect, final: true, from: incarnation, worker) else { return }
        remark(failureOf: report.id.attempt, on: roster[incarnation]?.label, report.reason, at: now)
        guard report.retryable, mayRetry(id, after: attempt) else {
            batch.postCommitActions.append(.ack(incarnation, report.id, effect, ends: false))
            fail(id, failure(report, of: effects[id]?.plan), by: attempt, hasFailed: true, at: now, &actions)
            return
        }
        withdrawAdopted(id)
        move(id, to: .failing(attempt))
        batch.postCommitActions.append(.retry(incarnation, report.id, pause: pause(before: id, named: report.delay)))
    }

    /// A local handler failed: another attempt after a pause, or the end.
    mutating func localFailed(_ report: FailureReport, at now: Moment, _ actions: inout [CoordinatorAction]) {
        let id = report.id.attempt.effect
        let attempt = report.id.attempt.attempt
        // While stopping, intake is closed: the effect stays pending, and runs after the next start.
        guard stopping == .no, effects[id]?.phase == .local(attempt) else { return }
        remark(failureOf: report.id.attempt, on: nil, report.reason, at: now)
        if report.retryable, mayRetry(id, after: attempt) {
            delay(id, by: pause(before: id, named: report.delay), at: now)
        } else {
            fail(id, .failed(reason: report.reason), by: attempt, hasFailed: true, at: now, &actions)
        }
    }

    /// Withdraws an adopted attempt whose time in this epoch is over.
    mutating func withdrawAdopted(_ id: EffectID) {
        guard let index = effects.slot(of: id) else { return }
        effects[index].attempts = max(1, effects[index].attempts)
    }

    /// The effect's failure that follows from a handler's failure.
    ///
    /// A coordinator of an earlier epoch may have cancelled an adopted attempt and crashed before it recorded the
    /// reason.
    private func failure(_ report: FailureReport, of plan: EffectPlan?) -> EffectFailure {
        let isUnknown =
            report.retryable && plan?.policy.delivery == .atMostOnce
            && report.id.attempt.attempt.epoch < configuration.epoch
        return isUnknown ? .outcomeUnknown : .failed(reason: report.reason)
    }

    /// All reports before a failure are on disk: acknowledges it, and plans the next attempt.
    mutating func retry(_ report: ReportID, of incarnation: Incarnation, after pause: Duration, at now: Moment) {
        if case .failing = effects[report.attempt.effect]?.phase {  // it has not ended meanwhile
            delay(report.attempt.effect, by: pause, at: now)
        }
        recentlyCompleted.add(report.attempt)
        roster.with(incarnation) { $0.outbox.acks.append(report) }
    }

    /// Delays an effect until its next attempt.
    mutating func delay(_ id: EffectID, by pause: Duration, at now: Moment) {
        guard let index = effects.slot(of: id) else { return }
        let moment = now + pause
        change(index) { effect in
            effect.phase = .delayed
            effect.ends = moment
        }
        setDeadline(.retry(index), at: moment)
    }

    /// Whether effects of the journal wait for workers that may hold them.
    package var isAdopting: Bool { adoption.isOpen }

    /// The workers that hold effects, for the next coordinator; `nil` when others may, too.
    package var holders: [Incarnation]? {
        guard !isAdopting else { return nil }
        return roster.holders
    }

    /// The grace time is over: unclaimed effects are dispatched again, unless they run at most once and may have run.
    mutating func endAdoption(at now: Moment, _ actions: inout [CoordinatorAction]) {
        for id in effects.filter({ $0.value.phase == .adoptable }).map(\.key).sorted() {
            guard let slot = effects.slot(of: id) else { continue }
            if effects[slot].extra.started == nil {
                release(slot, at: now, &actions)
            } else {
                fail(id, .outcomeUnknown, hasFailed: true, at: now, &actions)
            }
        }
    }
}
