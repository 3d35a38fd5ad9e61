import MobiusJournal
import MobiusWire

// Who is there: HELLO and WELCOME, liveness, adoption and loss.
extension CoordinatorMachine {
    mutating func receive(
        _ envelope: Envelope<WorkerMessage>, from peer: Peer, at now: Moment, _ actions: inout [CoordinatorAction]
    ) {
        guard stopping == .no else { return }  // workers keep what is not acknowledged
        if case .hello(let hello) = envelope.message {
            greet(hello, epoch: envelope.epoch, from: peer, at: now, &actions)
            return
        }
        guard let incarnation = peers[peer], let worker = workers[incarnation], worker.session == envelope.session
        else {
            if envelope.message != .bye { send(.resync, to: peer, session: 0, &actions) }
            return
        }
        workers[incarnation]?.lastHeard = now
        workers[incarnation]?.health = .good
        switch envelope.message {
        case .hello: break
        case .credit(let total): raiseCredit(of: incarnation, to: total)
        case .heartbeat(let total, let held):
            raiseCredit(of: incarnation, to: total)
            compare(held, of: incarnation, &actions)
        case .events(let total, let reports):
            raiseCredit(of: incarnation, to: total)
            for report in reports { receive(report, from: incarnation, &actions) }
        case .failures(let total, let reports):
            raiseCredit(of: incarnation, to: total)
            for report in reports { receive(report, from: incarnation, at: now, &actions) }
        case .draining(let held):
            workers[incarnation]?.draining = true
            actions.append(.note(.draining(incarnation)))
            takeBack(from: incarnation, allBut: Set(held.map(\.id)), counts: false, &actions)
        case .bye:
            let effects = remove(incarnation, counts: false, &actions)
            actions.append(.note(.left(incarnation, effects: effects)))
        }
    }

    private mutating func raiseCredit(of incarnation: Incarnation, to total: UInt64) {
        guard let known = workers[incarnation]?.creditTotal, total > known else { return }
        workers[incarnation]?.creditTotal = total
    }

    private mutating func greet(
        _ hello: Hello, epoch: UInt64, from peer: Peer, at now: Moment, _ actions: inout [CoordinatorAction]
    ) {
        guard hello.versions.contains(Head.version) else {
            scold(peer, reason: "this coordinator speaks version \(Head.version) of the protocol only", &actions)
            return
        }
        let sameJournal = hello.journal == configuration.journal
        guard !sameJournal || epoch <= configuration.epoch else {
            scold(peer, reason: "epoch \(configuration.epoch) of this coordinator is over: \(epoch) began", &actions)
            return
        }
        lastSession += 1
        if let before = workers[hello.incarnation] {
            peers[before.peer] = nil
        } else {
            workerOrder.append(hello.incarnation)
            for pool in hello.pools {
                withPool(pool) {
                    $0.workers.append(hello.incarnation)
                    $0.noted = false
                }
            }
        }
        var worker = WorkerState(
            incarnation: hello.incarnation, peer: peer, session: lastSession, pools: hello.pools, lastHeard: now,
            creditTotal: hello.creditTotal)
        worker.holding = workers[hello.incarnation]?.holding ?? [:]
        peers[peer] = hello.incarnation
        workers[hello.incarnation] = worker
        let timing = configuration.timing
        let welcome = Welcome(
            version: Head.version, journal: configuration.journal, heartbeat: timing.heartbeat.wireMilliseconds,
            silence: timing.silence.wireMilliseconds, maximumPayload: configuration.maximumPayload)
        send(.welcome(welcome), to: peer, session: lastSession, &actions)
        let held = Set(hello.held.map(\.id))
        let adopted = adopt(sameJournal ? hello.held.map(\.id) : [], by: hello.incarnation, at: now)
        if !sameJournal { workers[hello.incarnation]?.stales.append(contentsOf: hello.held.map(\.id)) }
        let joined = CoordinatorNote.joined(
            hello.incarnation, pools: hello.pools, build: hello.build, adopted: adopted)
        actions.append(.note(joined))
        redeliver(toNewSessionOf: hello.incarnation, holding: sameJournal ? held : [], &actions)
    }

    /// Orders that went to the worker's last session and that it does not hold are sent again in the new one.
    private mutating func redeliver(
        toNewSessionOf incarnation: Incarnation, holding held: Set<AttemptID>, _ actions: inout [CoordinatorAction]
    ) {
        var count = 0
        for id in (workers[incarnation]?.holding ?? [:]).keys.sorted() {
            guard case .running(let attempt, incarnation) = effects[id]?.phase else { continue }
            workers[incarnation]?.holding[id] = 0
            guard !held.contains(AttemptID(effect: id, attempt: attempt)) else { continue }
            redeliver(id, attempt, to: incarnation)
            workers[incarnation]?.sent += 1
            count += 1
        }
        if count > 0 { actions.append(.note(.redelivered(incarnation, effects: count))) }
    }

    /// Effects of the journal that the worker holds go on there; what it holds in vain is stale.
    private mutating func adopt(_ held: [AttemptID], by incarnation: Incarnation, at now: Moment) -> Int {
        var adopted = 0
        for id in held {
            switch effects[id.effect]?.phase {
            case .running(id.attempt, incarnation): break
            case .ending(let report?) where report.attempt == id: break  // its ACK follows the commit
            case .adoptable, .queued:
                guard let effect = effects[id.effect], effect.attempts == 0, id.attempt.epoch < configuration.epoch
                else {
                    workers[incarnation]?.stales.append(id)
                    continue
                }
                effects[id.effect]?.phase = .running(id.attempt, incarnation)
                workers[incarnation]?.holding[id.effect] = 0
                if let timeout = effect.plan.timeout {
                    deadlines.set(.attempt(id.effect, id.attempt), at: now + timeout)
                }
                adopted += 1
            default: workers[incarnation]?.stales.append(id)
            }
        }
        return adopted
    }

    /// Holds the worker's list against ours: twice missing means lost on the way, unknown means stale.
    private mutating func compare(
        _ held: [HeldAttempt], of incarnation: Incarnation, _ actions: inout [CoordinatorAction]
    ) {
        guard let worker = workers[incarnation] else { return }
        let list = Set(held.map(\.id))
        var redelivered = 0
        for id in worker.holding.keys.sorted() {
            guard case .running(let attempt, incarnation) = effects[id]?.phase else {
                workers[incarnation]?.holding[id] = nil
                continue
            }
            if list.contains(AttemptID(effect: id, attempt: attempt)) {
                workers[incarnation]?.holding[id] = 0
            } else if worker.holding[id] == 0 {
                workers[incarnation]?.holding[id] = 1
            } else {
                workers[incarnation]?.holding[id] = 0
                redeliver(id, attempt, to: incarnation)
                redelivered += 1
            }
        }
        if redelivered > 0 { actions.append(.note(.redelivered(incarnation, effects: redelivered))) }
        for id in held.map(\.id) {
            switch effects[id.effect]?.phase {
            case .running(id.attempt, incarnation): break
            case .ending(let report?) where report.attempt == id: break  // its ACK follows the commit
            default: workers[incarnation]?.stales.append(id)
            }
        }
    }

    mutating func disconnect(_ peer: Peer, at now: Moment) {
        guard let incarnation = peers[peer], let worker = workers[incarnation] else { return }
        if case .disconnected = worker.health { return }
        workers[incarnation]?.health = .disconnected(now)
    }

    /// Removes a worker and takes back what it held; returns how many effects that were.
    mutating func remove(_ incarnation: Incarnation, counts: Bool, _ actions: inout [CoordinatorAction]) -> Int {
        guard let worker = workers[incarnation] else { return 0 }
        let effects = takeBack(from: incarnation, allBut: [], counts: counts, &actions)
        workers[incarnation] = nil
        workerOrder.removeAll { $0 == incarnation }
        peers[worker.peer] = nil
        for pool in worker.pools {
            withPool(pool) { $0.workers.removeAll { $0 == incarnation } }
            // A pool lives while somebody serves it or waits for it: names from strangers must not pile up.
            guard let state = pools[pool], state.workers.isEmpty, state.queue.isEmpty else { continue }
            pools[pool] = nil
            poolOrder.removeAll { $0 == pool }
        }
        return effects
    }

    @discardableResult
    private mutating func takeBack(
        from incarnation: Incarnation, allBut kept: Set<AttemptID>, counts: Bool, _ actions: inout [CoordinatorAction]
    ) -> Int {
        var returned: [String: [EffectID]] = [:]
        var count = 0
        for id in (workers[incarnation]?.holding ?? [:]).keys.sorted() {
            guard let effect = effects[id], case .running(let attempt, incarnation) = effect.phase,
                !kept.contains(AttemptID(effect: id, attempt: attempt)), let pool = effect.pool
            else { continue }
            workers[incarnation]?.holding[id] = nil
            count += 1
            if takeBack(id, counts: counts, &actions) { returned[pool, default: []].append(id) }
        }
        for (pool, ids) in returned { withPool(pool) { $0.queue.prepend(ids) } }
        return count
    }

    /// Tells a peer once that it cannot be served, and the operator that it tried.
    mutating func scold(_ peer: Peer, reason: String, _ actions: inout [CoordinatorAction]) {
        guard scolded.insert(peer) else { return }
        send(.reject(reason), to: peer, session: 0, &actions)
        actions.append(.note(.refused(peer, reason: reason)))
    }
}
