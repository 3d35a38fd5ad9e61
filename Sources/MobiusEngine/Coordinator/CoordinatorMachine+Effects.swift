import MobiusJournal
import MobiusWire

// From a committed effect to a worker, and what happens when that fails.
extension CoordinatorMachine {
    /// Lets an effect go that is on disk.
    mutating func release(_ id: EffectID, _ actions: inout [CoordinatorAction]) {
        guard let index = effects.index(forKey: id) else { return }
        if case .ending = effects.values[index].phase { return }  // cancelled before it was on disk
        switch effects.values[index].plan.destination {
        case .local:
            guard stopping == .no else { return }  // it stays pending, and runs after the next start
            effects.values[index].attempts += 1
            let attempt = Attempt(epoch: configuration.epoch, number: effects.values[index].attempts)
            effects.values[index].phase = .local(attempt)
            effects.values[index].reported = nil
            actions.append(.runLocal(AttemptID(effect: id, attempt: attempt), effects.values[index].effect))
        case .pool(let pool):
            let bytes = effects.values[index].effect.bytes.count
            guard bytes <= Int(configuration.maximumPayload) else {
                let size = "\(bytes) bytes of \(configuration.maximumPayload) allowed"
                fail(id, .failed(reason: "the effect is too large to send: \(size)"), &actions)
                return
            }
            effects.values[index].phase = .queued
            withPool(pool) { $0.queue.append(id) }
        }
    }

    mutating func withPool(_ name: String, _ body: (inout PoolState) -> Void) {
        if let index = pools.index(forKey: name) {
            body(&pools.values[index])
        } else {
            var pool = PoolState()
            body(&pool)
            pools[name] = pool
            poolOrder.append(name)
        }
    }

    /// Hands queued effects to the workers with the most free credit.
    mutating func dispatch(at now: Moment) {
        for name in poolOrder {
            guard let index = pools.index(forKey: name), !pools.values[index].queue.isEmpty else { continue }
            var free = pools.values[index].workers.map { (worker: $0, credit: workers[$0]?.free ?? 0) }
            while let freest = Self.freest(free), let id = pools.values[index].queue.popFirst() {
                if start(id, on: free[freest].worker, at: now) { free[freest].credit -= 1 }
            }
        }
    }

    /// The position of the most credit, the first of several; `nil` when there is none.
    private static func freest(_ free: [(worker: Incarnation, credit: UInt64)]) -> Int? {
        var best: Int?
        var most: UInt64 = 0
        for position in free.indices where free[position].credit > most {
            most = free[position].credit
            best = position
        }
        return best
    }

    /// Whether the effect still waited.
    private mutating func start(_ id: EffectID, on incarnation: Incarnation, at now: Moment) -> Bool {
        guard let index = effects.index(forKey: id),
            let order = effects.values[index].start(id, on: incarnation, epoch: configuration.epoch)
        else { return false }
        limit(order.id, to: effects.values[index].plan.timeout, at: now)
        workers[incarnation]?.start(order)
        return true
    }

    /// Sets the end of an attempt's time.
    mutating func limit(_ id: AttemptID, to timeout: Duration?, at now: Moment) {
        guard let timeout else { return }
        deadlines.set(.attempt(id), at: now + timeout)
        // Most attempts end long before their time; at 100,000/s their deadlines would fill the memory.
        guard deadlines.count > 2 * effects.count + 1024 else { return }
        deadlines.sweep { [effects] in effects[$0.effect]?.awaits($0) ?? false }
    }

    /// A handler gave up: another attempt after a pause, or the end.
    mutating func receive(
        _ report: FailureReport, from incarnation: Incarnation, at now: Moment, _ actions: inout [CoordinatorAction]
    ) {
        guard take(report.id, final: true, from: incarnation) else { return }
        let id = report.id.attempt.effect
        guard let effect = effects[id] else { return }
        let failures = effect.failures + 1
        guard report.retryable, failures < effect.plan.maximumAttempts else {
            batch.settlements.append(.ack(incarnation, report.id, ends: false))
            fail(id, .failed(reason: report.reason), by: report.id.attempt.attempt, &actions)
            return
        }
        effects[id]?.failures = failures
        effects[id]?.phase = .failing(report.id.attempt.attempt)
        // 1 s, 2 s, 4 s … up to a minute, unless the handler names its own pause.
        let pause = report.delay > 0 ? Int64(report.delay) : min(60_000, 1000 << Int64(min(failures - 1, 16)))
        if effect.reported == effect.committed {
            retry(report.id, of: incarnation, after: .milliseconds(pause), at: now)
        } else {
            batch.settlements.append(.retry(incarnation, report.id, pause: .milliseconds(pause)))
        }
    }

    /// Acknowledges a failure without a record of it, since the effect itself is on disk, and plans the next attempt.
    mutating func retry(_ report: ReportID, of incarnation: Incarnation, after pause: Duration, at now: Moment) {
        if case .failing = effects[report.attempt.effect]?.phase {  // not cancelled meanwhile
            effects[report.attempt.effect]?.phase = .delayed
            deadlines.set(.retry(report.attempt.effect), at: now + pause)
        }
        endings.insert(report.attempt)
        workers[incarnation]?.outbox.acks.append(report)
    }

    /// The effect has failed for good, by an attempt's last report or without one: its route makes an event of that.
    mutating func fail(
        _ id: EffectID, _ failure: EffectFailure, by attempt: Attempt? = nil, _ actions: inout [CoordinatorAction]
    ) {
        guard let effect = effects[id]?.effect else { return }
        effects[id]?.phase = .ending(attempt)
        actions.append(.applyFailure(id, effect: effect, failure))
    }

    mutating func due(_ deadline: Deadline, _ actions: inout [CoordinatorAction]) {
        switch deadline {
        case .attempt(let id):
            guard case .running(id.attempt, let incarnation) = effects[id.effect]?.phase else { return }
            workers[incarnation]?.withdraw(id)
            fail(id.effect, .timedOut, &actions)
        case .retry(let id):
            guard case .delayed = effects[id]?.phase else { return }
            release(id, &actions)
        }
    }

    /// The grace time is over: what no worker claimed is dispatched anew.
    mutating func endAdoption(_ actions: inout [CoordinatorAction]) {
        adoptionEnds = nil
        for id in effects.filter({ $0.value.phase == .adoptable }).keys.sorted() { release(id, &actions) }
    }
}

extension CoordinatorMachine.Deadline {
    var effect: EffectID {
        switch self {
        case .attempt(let attempt): attempt.effect
        case .retry(let id): id
        }
    }
}
