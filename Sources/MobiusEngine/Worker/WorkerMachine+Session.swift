import MobiusWire

// The session with the coordinator: HELLO, WELCOME, silence, draining.
extension WorkerMachine {
    mutating func hello(at now: Moment, _ actions: inout [WorkerAction]) {
        link = .connecting
        repeatHello(at: now)
        helloNumber += 1
        awaitsWelcome = true
        // Occupied slots are granted again as they become free.
        creditTotal = draining == nil && mayTakeMore ? UInt64(max(0, allotment - running)) : 0
        withheld = draining == nil ? UInt64(max(0, allotment - running)) - creditTotal : 0
        announcedCredit = creditTotal
        loan?.endSession()
        var hello = Hello(
            number: helloNumber, incarnation: configuration.incarnation, journal: journal,
            pools: configuration.pools, build: configuration.build, contentTypes: configuration.contentTypes,
            creditTotal: creditTotal,
            held: holdings(at: now), name: configuration.name, shard: configuration.shard)
        hello.effectTypes = configuration.effectTypes
        send(.hello(hello), &actions)
    }

    /// Sets when HELLO is repeated without an answer.
    ///
    /// The pauses double, because a slow coordinator answers each HELLO, and each answer begins a session.
    private mutating func repeatHello(at now: Moment) {
        let longest = max(timing.heartbeat, configuration.maximumPause)
        nextHello = now + jittered(min(longest, timing.heartbeat * (1 << min(hellos, 10))))
        hellos += 1
    }

    /// Between half and all of the pause, so that the workers of a fleet do not reconnect all at once.
    private mutating func jittered(_ pause: Duration) -> Duration {
        pause * (Int(random.next() % 512) + 512) / 1024
    }

    /// The held attempts, in a fixed order.
    private func holdings(at now: Moment) -> [HeldAttempt] {
        heldAttempts.map { id in
            HeldAttempt(id: id, progressAge: holding(id)?.progressAge(at: now) ?? HeldAttempt.noProgress)
        }
    }

    /// Every attempt held, in the order in which their effects were asked for.
    var heldAttempts: [AttemptID] {
        held.map { AttemptID(effect: $0.key, attempt: $0.value.attempt) }.sorted { $0.effect < $1.effect }
    }

    mutating func receive(
        _ envelope: Envelope<CoordinatorMessage>, orders accepted: inout [EffectOrder], at now: Moment,
        _ actions: inout [WorkerAction]
    ) {
        switch envelope.message {
        case .welcome(let welcome):
            join(welcome, epoch: envelope.epoch, session: envelope.session, at: now, &actions)
            return
        case .reject(let reason):
            exited = true
            actions.append(.exit(.rejected(reason)))
            return
        case .resync:
            lastHeard = now
            // RESYNC answers every message of a lost session. One HELLO is enough (the timer repeats it), and none is
            // needed if the next session has begun: each HELLO begins another session, in which everything is sent
            // again.
            guard link == .joined(session: envelope.session) else { return }
            hellos = 0
            hello(at: now, &actions)
            if rotation.isCluster { leavesAt = now + rotation.patience }
            return
        case .moved(let moved):
            moveOn(moved, at: now, &actions)
            return
        case .effects, .ack, .stale, .cancel, .pulse, .drain, .wanted, .reclaimed: break
        }
        guard link == .joined(session: envelope.session), envelope.epoch == epoch else { return }
        lastHeard = now
        switch envelope.message {
        case .effects(let sent, let orders):
            if draining == nil {
                accept(orders, after: sent, into: &accepted, &actions)
            } else {
                // Orders after DRAINING count as not received; DRAINING is repeated in case it was lost.
                send(.draining(held: holdings(at: now)), &actions)
            }
        case .ack(let reports): acknowledge(reports, at: now, &actions)
        case .stale(let attempts): for attempt in attempts { forget(attempt, &actions) }
        case .cancel(let attempts):
            for attempt in attempts where holding(attempt)?.running == true {
                held[attempt.effect]?.isCancelled = true
                actions.append(.cancel(attempt))
            }
        case .drain(.leave): drain(until: now + configuration.drainLimit, at: now, &actions)
        case .drain(.wait):
            link = .connecting
            hellos = 0
            repeatHello(at: now)
            // The next owner is looked for as soon as the connection ends, and at the latest by then.
            if rotation.isCluster { leavesAt = now + rotation.patience }
            actions.append(.note(.coordinatorStopping))
        case .pulse(let sent): orders.sent = max(orders.sent, sent)
        case .wanted(let effects): loan?.wanted = Int(effects)
        case .reclaimed(let number, let total): reclaimed(number, total)
        case .welcome, .reject, .resync, .moved: break
        }
    }

    private mutating func join(
        _ welcome: Welcome, epoch newEpoch: UInt64, session: UInt64, at now: Moment, _ actions: inout [WorkerAction]
    ) {
        guard awaitsWelcome, welcome.hello == 0 || welcome.hello == helloNumber else {
            // It answers an older HELLO, whose credit and list are outdated; the newest one's answer will follow.
            lastHeard = now
            if awaitsWelcome { nextHello = now + max(timing.silence, configuration.maximumPause) }
            return
        }
        if let journal, journal != welcome.journal {
            let dropped = held.count
            for attempt in heldAttempts { forget(attempt, &actions) }
            actions.append(.note(.otherJournal(dropped: dropped)))
        } else if newEpoch < epoch {
            refuse(newEpoch, at: now, &actions)
            return
        }
        journal = welcome.journal
        epoch = newEpoch
        link = .joined(session: session)
        awaitsWelcome = false
        orders = OrderCount()
        lastHeard = now
        nextHello = nil
        pauses = 0
        leavesAt = nil
        wasServed = true
        refusedEpoch = nil
        rotation.reached()
        timing.heartbeat = .milliseconds(Int64(welcome.heartbeat))
        timing.silence = .milliseconds(Int64(welcome.silence))
        nextHeartbeat = now + timing.heartbeat
        maximumPayload = welcome.maximumPayload
        takesTraces = welcome.takesTraces
        shards = max(shards, welcome.shards)
        actions.append(.note(.joined(epoch: epoch, session: session)))
        resendAll(at: now, &actions)
        if draining != nil { send(.draining(held: holdings(at: now)), &actions) }
    }

    mutating func reconnect(at now: Moment, _ actions: inout [WorkerAction]) {
        guard !rotation.isCluster else { return goOn(.refused, at: now, &actions) }
        link = .connecting
        nextHello = nil
        let limit = min(configuration.maximumPause, .milliseconds(100) * (1 << min(pauses, 10)))
        pauses += 1
        let pause = jittered(limit)
        lastHeard = now + pause  // silence counts only while connected
        actions.append(.reconnect(after: pause))
    }

    mutating func drain(until deadline: Moment, at now: Moment, _ actions: inout [WorkerAction]) {
        guard draining == nil else { return }
        draining = deadline
        actions.append(.note(.draining(held: held.count)))
        if link != .connecting { send(.draining(held: holdings(at: now)), &actions) }
    }

    mutating func tick(at now: Moment, _ actions: inout [WorkerAction]) {
        if let draining, draining <= now {
            endDraining(at: now, &actions)
            if exited { return }
        }
        if let leavesAt, leavesAt <= now { return goOn(.silent, at: now, &actions) }
        if let nextHello, nextHello <= now { hello(at: now, &actions) }
        guard let heartbeat = nextHeartbeat, heartbeat <= now else { return }
        nextHeartbeat = now + timing.heartbeat
        if let lastHeard, now - lastHeard >= timing.silence {
            if link != .connecting { actions.append(.note(.silent)) }
            reconnect(at: now, &actions)
            return
        }
        guard case .joined = link else { return }
        list(at: now, &actions)
        reclaimAgain(&actions)
        resend(at: now, &actions)
    }

    /// Says what it holds, with its credit.
    mutating func list(at now: Moment, _ actions: inout [WorkerAction]) {
        announcedCredit = creditTotal
        send(.heartbeat(creditTotal: creditTotal, orders: orders, held: holdings(at: now)), &actions)
    }

    /// The time is over: the held attempts are cancelled, and handlers get a moment to stop.
    private mutating func endDraining(at now: Moment, _ actions: inout [WorkerAction]) {
        guard !givesUp else { return leave(&actions) }
        givesUp = true
        for attempt in heldAttempts {
            guard let slot = held.slot(of: attempt.effect), held[slot].running else { continue }
            held[slot].running = false
            held[slot].isGivenUp = true
            stop(attempt, &actions)
        }
        draining = now + configuration.stopGrace
        if stopping.isEmpty { leave(&actions) }
    }

    /// BYE comes last: after it the coordinator gives the effects of cancelled attempts to others.
    mutating func leave(_ actions: inout [WorkerAction]) {
        if link != .connecting { send(.bye, &actions) }
        exited = true
        actions.append(.exit(held.count == 0 ? .drained : .gaveUp(attempts: held.count)))
    }
}
