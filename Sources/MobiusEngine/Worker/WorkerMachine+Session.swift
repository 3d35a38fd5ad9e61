import MobiusWire

// The session with the coordinator: HELLO, WELCOME, silence, draining.
extension WorkerMachine {
    mutating func hello(at now: Moment, _ actions: inout [WorkerAction]) {
        link = .connecting
        repeatHello(at: now)
        helloNumber += 1
        awaitsWelcome = true
        // Slots that are taken now are granted again as they become free.
        creditTotal = draining == nil && mayTakeMore ? UInt64(max(0, configuration.capacity - running)) : 0
        withheld = draining == nil ? UInt64(max(0, configuration.capacity - running)) - creditTotal : 0
        announcedCredit = creditTotal
        let hello = Hello(
            number: helloNumber, incarnation: configuration.incarnation, journal: journal,
            pools: configuration.pools, build: configuration.build, contentTypes: configuration.contentTypes,
            creditTotal: creditTotal,
            held: holdings(at: now), name: configuration.name)
        send(.hello(hello), &actions)
    }

    /// Sets when HELLO is said next, if nobody answers: after pauses that double, because a coordinator that is slow
    /// answers each of them, and each answer begins a session.
    private mutating func repeatHello(at now: Moment) {
        let longest = max(timing.heartbeat, configuration.maximumPause)
        nextHello = now + jittered(min(longest, timing.heartbeat * (1 << min(hellos, 10))))
        hellos += 1
    }

    /// Between half and all of the pause, so that a fleet does not come back at one instant.
    private mutating func jittered(_ pause: Duration) -> Duration {
        pause * (Int(random.next() % 512) + 512) / 1024
    }

    /// What is held, in a fixed order.
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
            // Every message of a lost session is answered so. One HELLO is enough (the timer says it again), and none is
            // needed where the next session has begun: each would begin another one, whose start asks for all again.
            guard link == .joined(session: envelope.session) else { return }
            hellos = 0
            hello(at: now, &actions)
            return
        case .effects, .ack, .stale, .cancel, .pulse, .drain: break
        }
        guard link == .joined(session: envelope.session), envelope.epoch == epoch else { return }
        lastHeard = now
        switch envelope.message {
        case .effects(let sent, let orders):
            if draining == nil {
                accept(orders, after: sent, into: &accepted, &actions)
            } else {
                // What comes after DRAINING counts as not received; it is said again, lest it was lost.
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
            actions.append(.note(.coordinatorStopping))
        case .pulse(let sent): orders.sent = max(orders.sent, sent)
        case .welcome, .reject, .resync: break
        }
    }

    private mutating func join(
        _ welcome: Welcome, epoch newEpoch: UInt64, session: UInt64, at now: Moment, _ actions: inout [WorkerAction]
    ) {
        guard awaitsWelcome, welcome.hello == 0 || welcome.hello == helloNumber else {
            // It answers a HELLO before the newest, whose credit and list no longer hold; that one's answer is on its way.
            lastHeard = now
            if awaitsWelcome { nextHello = now + max(timing.silence, configuration.maximumPause) }
            return
        }
        if let journal, journal != welcome.journal {
            let dropped = held.count
            for attempt in heldAttempts { forget(attempt, &actions) }
            actions.append(.note(.otherJournal(dropped: dropped)))
        } else if newEpoch < epoch {
            actions.append(.note(.refusedEpoch(newEpoch, newest: epoch)))
            reconnect(at: now, &actions)
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
        timing.heartbeat = .milliseconds(Int64(welcome.heartbeat))
        timing.silence = .milliseconds(Int64(welcome.silence))
        nextHeartbeat = now + timing.heartbeat
        maximumPayload = welcome.maximumPayload
        takesTraces = welcome.takesTraces
        actions.append(.note(.joined(epoch: epoch, session: session)))
        resendAll(at: now, &actions)
        if draining != nil { send(.draining(held: holdings(at: now)), &actions) }
    }

    private mutating func reconnect(at now: Moment, _ actions: inout [WorkerAction]) {
        link = .connecting
        nextHello = nil
        let limit = min(configuration.maximumPause, .milliseconds(100) * (1 << min(pauses, 10)))
        pauses += 1
        let pause = jittered(limit)
        lastHeard = now + pause  // nobody is silent who cannot be heard
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
        if let nextHello, nextHello <= now { hello(at: now, &actions) }
        guard let heartbeat = nextHeartbeat, heartbeat <= now else { return }
        nextHeartbeat = now + timing.heartbeat
        if let lastHeard, now - lastHeard >= timing.silence {
            if link != .connecting { actions.append(.note(.silent)) }
            reconnect(at: now, &actions)
            return
        }
        guard case .joined = link else { return }
        announcedCredit = creditTotal
        send(.heartbeat(creditTotal: creditTotal, orders: orders, held: holdings(at: now)), &actions)
        resend(at: now, &actions)
    }

    /// The time is over: what is held is given up, and handlers get a moment to see that.
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

    /// BYE comes last: from then on the coordinator gives to others what was given up here.
    mutating func leave(_ actions: inout [WorkerAction]) {
        if link != .connecting { send(.bye, &actions) }
        exited = true
        actions.append(.exit(held.count == 0 ? .drained : .gaveUp(attempts: held.count)))
    }
}
