import MobiusJournal
import MobiusWire

// From a committed effect to a worker, and what happens when that fails.
extension CoordinatorMachine {
    /// Lets an effect go that is on disk.
    mutating func release(_ id: EffectID, at now: Moment, _ actions: inout [CoordinatorAction]) {
        guard var effect = effects[id] else { return }
        switch effect.plan.destination {
        case .local:
            guard stopping == .no else { return }  // it stays pending, and runs after the next start
            effect.attempts += 1
            let attempt = Attempt(epoch: configuration.epoch, number: effect.attempts)
            effect.phase = .local(attempt)
            effect.reported = nil
            effects[id] = effect
            actions.append(.runLocal(AttemptID(effect: id, attempt: attempt), effect.effect))
        case .pool(let pool):
            guard effect.effect.bytes.count <= Int(configuration.maximumPayload) else {
                let size = "\(effect.effect.bytes.count) bytes of \(configuration.maximumPayload) allowed"
                fail(id, .failed(reason: "the effect is too large to send: \(size)"), &actions)
                return
            }
            effect.phase = .queued
            effects[id] = effect
            withPool(pool) { $0.queue.append(id) }
        }
    }

    mutating func withPool(_ name: String, _ body: (inout PoolState) -> Void) {
        if pools[name] == nil {
            pools[name] = PoolState()
            poolOrder.append(name)
        }
        body(&pools[name, default: PoolState()])
    }

    /// Hands queued effects to the workers with the most free credit.
    mutating func dispatch(at now: Moment) {
        for name in poolOrder {
            guard var pool = pools.removeValue(forKey: name) else { continue }
            while !pool.queue.isEmpty, let incarnation = freest(of: pool.workers), let id = pool.queue.popFirst() {
                guard let effect = effects[id], effect.phase == .queued else { continue }
                start(id, effect, on: incarnation, at: now)
            }
            pools[name] = pool
        }
    }

    private func freest(of incarnations: [Incarnation]) -> Incarnation? {
        var best: (Incarnation, UInt64)?
        for incarnation in incarnations {
            guard let free = workers[incarnation]?.free, free > best?.1 ?? 0 else { continue }
            best = (incarnation, free)
        }
        return best?.0
    }

    private mutating func start(_ id: EffectID, _ queued: EffectState, on incarnation: Incarnation, at now: Moment) {
        var effect = queued
        effect.attempts += 1
        let attempt = Attempt(epoch: configuration.epoch, number: effect.attempts)
        effect.phase = .running(attempt, incarnation)
        effects[id] = effect
        if let timeout = effect.plan.timeout { deadlines.set(.attempt(id, attempt), at: now + timeout) }
        workers[incarnation]?.sent += 1
        workers[incarnation]?.holding[id] = 0
        workers[incarnation]?.orders.append(
            EffectOrder(
                id: AttemptID(effect: id, attempt: attempt), timeout: effect.plan.timeout?.wireMilliseconds ?? 0,
                effect: effect.effect))
    }

    /// Sends an order again, in the same attempt: the first one was lost on its way.
    mutating func redeliver(_ id: EffectID, _ attempt: Attempt, to incarnation: Incarnation) {
        guard let effect = effects[id] else { return }
        workers[incarnation]?.orders.append(
            EffectOrder(
                id: AttemptID(effect: id, attempt: attempt), timeout: effect.plan.timeout?.wireMilliseconds ?? 0,
                effect: effect.effect))
    }

    /// A handler gave up: another attempt after a pause, or the end.
    mutating func receive(
        _ report: FailureReport, from incarnation: Incarnation, at now: Moment, _ actions: inout [CoordinatorAction]
    ) {
        receive(report.id, final: true, from: incarnation) { machine, effect in
            let id = report.id.attempt.effect
            let failures = effect.failures + 1
            guard report.retryable, failures < effect.plan.maximumAttempts else {
                machine.batch.settlements.append(.ack(incarnation, report.id))
                machine.fail(id, .failed(reason: report.reason), &actions)
                return
            }
            machine.effects[id]?.failures = failures
            machine.effects[id]?.phase = .delayed
            // 1 s, 2 s, 4 s … up to a minute, unless the handler names its own pause.
            let pause = report.delay > 0 ? Int64(report.delay) : min(60_000, 1000 << Int64(min(failures - 1, 16)))
            machine.deadlines.set(.retry(id), at: now + .milliseconds(pause))
            machine.workers[incarnation]?.acks.append(report.id)
        }
    }

    /// The effect has failed for good: its route makes an event of that.
    mutating func fail(_ id: EffectID, _ failure: EffectFailure, _ actions: inout [CoordinatorAction]) {
        guard let effect = effects[id] else { return }
        effects[id]?.phase = .ending(nil)
        actions.append(.applyFailure(id, effect: effect.effect, failure))
    }

    /// Takes an effect from a worker that will not end it: back to the front of the queue, or failed.
    mutating func takeBack(_ id: EffectID, counts: Bool, _ actions: inout [CoordinatorAction]) -> Bool {
        guard let effect = effects[id], case .running = effect.phase else { return false }
        let failures = effect.failures + (counts ? 1 : 0)
        effects[id]?.failures = failures
        guard failures < effect.plan.maximumAttempts else {
            fail(id, .workerLost(attempts: failures), &actions)
            return false
        }
        effects[id]?.phase = .queued
        return true
    }

    mutating func due(_ deadline: Deadline, at now: Moment, _ actions: inout [CoordinatorAction]) {
        switch deadline {
        case .attempt(let id, let attempt):
            guard case .running(attempt, let incarnation) = effects[id]?.phase else { return }
            workers[incarnation]?.holding[id] = nil
            workers[incarnation]?.cancels.append(AttemptID(effect: id, attempt: attempt))
            fail(id, .timedOut, &actions)
        case .retry(let id):
            guard effects[id]?.phase == .delayed else { return }
            release(id, at: now, &actions)
        }
    }

    /// The grace time is over: what no worker claimed is dispatched anew.
    mutating func endAdoption(at now: Moment, _ actions: inout [CoordinatorAction]) {
        adoptionEnds = nil
        for id in effects.filter({ $0.value.phase == .adoptable }).keys.sorted() {
            release(id, at: now, &actions)
        }
    }
}
