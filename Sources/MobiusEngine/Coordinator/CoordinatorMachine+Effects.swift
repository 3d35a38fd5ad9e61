import MobiusJournal
import MobiusWire

// From a committed effect to whoever carries it out, and what happens when that fails.
extension CoordinatorMachine {
    /// Changes an effect; every change of a phase goes through here, so that limits count right.
    @discardableResult
    mutating func change<Result>(
        _ index: Dictionary<EffectID, EffectState>.Index, _ body: (inout EffectState) -> Result
    ) -> Result {
        let wasAtWorker = effects.values[index].isAtWorker
        let result = body(&effects.values[index])
        let isAtWorker = effects.values[index].isAtWorker
        if wasAtWorker != isAtWorker, let limit = effects.values[index].plan.policy.limit {
            limits[limit.name, default: LimitState(limit)].running += isAtWorker ? 1 : -1
        }
        return result
    }

    mutating func move(_ id: EffectID, to phase: EffectState.Phase) {
        guard let index = effects.index(forKey: id) else { return }
        change(index) { $0.phase = phase }
    }

    /// Lets an effect go that is on disk.
    mutating func release(_ id: EffectID, at now: Moment, _ actions: inout [CoordinatorAction]) {
        guard let index = effects.index(forKey: id) else { return }
        if case .ending = effects.values[index].phase { return }  // cancelled before it was on disk
        switch effects.values[index].plan.destination {
        case .local:
            guard stopping == .no else { return }  // it stays pending, and runs after the next start
            let attempt = effects.values[index].begin(epoch: configuration.epoch)
            effects.values[index].phase = .local(attempt)
            effects.values[index].reported = nil
            actions.append(.runLocal(AttemptID(effect: id, attempt: attempt), effects.values[index].effect))
        case .pool:
            let bytes = effects.values[index].effect.bytes.count
            guard bytes <= Int(configuration.maximumPayload) else {
                let size = "\(bytes) bytes of \(configuration.maximumPayload) allowed"
                fail(id, .failed(reason: "the effect is too large to send: \(size)"), at: now, &actions)
                return
            }
            enqueue(id)
        case .timer: wait(id, at: now)
        case .cancel:
            guard stopping == .no else { return }  // it stays pending, and cancels after the next start
            actions.append(.selectCancelled(id, effect: effects.values[index].effect))
        }
    }

    /// The effect has failed for good, by an attempt's last report or without one: its route makes an event of that.
    mutating func fail(
        _ id: EffectID, _ failure: EffectFailure, by attempt: Attempt? = nil, at now: Moment,
        _ actions: inout [CoordinatorAction]
    ) {
        guard let index = effects.index(forKey: id) else { return }
        change(index) { $0.phase = .ending(attempt) }
        let effect = effects.values[index]
        if effect.plan.policy.keepsDeadLetters {
            let letter = DeadLetter(
                id: id, effect: effect.effect, reason: "\(failure)", failures: UInt32(clamping: effect.failures),
                round: effect.round, time: calendar.time(at: now))
            batch.records.append(.note(id, .died(letter)))
        }
        actions.append(.applyFailure(id, effect: effect.effect, failure, round: effect.round))
    }

    /// Whether the effect may be tried again after one more failure, which is written down.
    ///
    /// An effect that runs at most once may not, whoever says that it could.
    mutating func mayRetry(_ id: EffectID) -> Bool {
        guard let index = effects.index(forKey: id) else { return false }
        let policy = effects.values[index].plan.policy
        effects.values[index].failures += 1
        let failures = effects.values[index].failures
        guard policy.delivery == .atLeastOnce, failures < policy.retry.attempts else { return false }
        batch.records.append(.note(id, .setback(failures: UInt32(clamping: failures))))
        return true
    }

    /// The pause before the next attempt.
    mutating func pause(before id: EffectID) -> Duration {
        guard let effect = effects[id] else { return .zero }
        let chance = Double(random.next() >> 11) / Double(UInt64(1) << 53)
        return effect.plan.policy.retry.pause(afterFailures: effect.failures, chance: chance)
    }

    /// A handler gave up: another attempt after a pause, or the end.
    mutating func receive(
        _ report: FailureReport, from incarnation: Incarnation, at now: Moment, _ actions: inout [CoordinatorAction]
    ) {
        guard take(report.id, final: true, from: incarnation) else { return }
        let id = report.id.attempt.effect
        guard report.retryable, mayRetry(id) else {
            batch.settlements.append(.ack(incarnation, report.id, ends: false))
            fail(id, .failed(reason: report.reason), by: report.id.attempt.attempt, at: now, &actions)
            return
        }
        move(id, to: .failing(report.id.attempt.attempt))
        // Unless the handler names its own pause.
        let pause = report.delay > 0 ? .milliseconds(Int64(report.delay)) : pause(before: id)
        batch.settlements.append(.retry(incarnation, report.id, pause: pause))
    }

    /// All that came before a failure is on disk: acknowledges it, and plans the next attempt.
    mutating func retry(_ report: ReportID, of incarnation: Incarnation, after pause: Duration, at now: Moment) {
        if case .failing = effects[report.attempt.effect]?.phase {  // not ended meanwhile
            delay(report.attempt.effect, by: pause, at: now)
        }
        endings.insert(report.attempt)
        workers[incarnation]?.outbox.acks.append(report)
    }

    /// Lets an effect wait for its next attempt.
    mutating func delay(_ id: EffectID, by pause: Duration, at now: Moment) {
        move(id, to: .delayed)
        deadlines.set(.retry(id), at: now + pause)
    }

    /// The grace time is over: what no worker claimed is dispatched anew, unless it may have run and must not again.
    mutating func endAdoption(at now: Moment, _ actions: inout [CoordinatorAction]) {
        adoptionEnds = nil
        for id in effects.filter({ $0.value.phase == .adoptable }).keys.sorted() {
            if effects[id]?.started == nil {
                release(id, at: now, &actions)
            } else {
                fail(id, .outcomeUnknown, at: now, &actions)
            }
        }
    }
}
