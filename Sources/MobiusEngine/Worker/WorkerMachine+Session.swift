import MobiusWire

// The session with the coordinator: HELLO, WELCOME, silence, draining.
extension WorkerMachine {
    mutating func hello(_ actions: inout [WorkerAction]) {
        link = .connecting
        // Slots that are taken now are granted again as they become free.
        creditTotal = draining == nil ? UInt64(max(0, configuration.capacity - running)) : 0
        announcedCredit = creditTotal
        let hello = Hello(
            incarnation: configuration.incarnation, journal: journal, pools: configuration.pools,
            build: configuration.build, contentTypes: configuration.contentTypes, creditTotal: creditTotal,
            held: holdings)
        send(.hello(hello), &actions)
    }

    /// What is held, in a fixed order.
    private var holdings: [HeldAttempt] {
        heldAttempts.map { HeldAttempt(id: $0) }
    }

    /// Every attempt held, in the order in which their effects were asked for.
    var heldAttempts: [AttemptID] {
        held.map { AttemptID(effect: $0.key, attempt: $0.value.attempt) }.sorted { $0.effect < $1.effect }
    }

    mutating func receive(
        _ envelope: Envelope<CoordinatorMessage>, at now: Moment, _ actions: inout [WorkerAction]
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
            if link == .joined(session: envelope.session) { hello(&actions) }
            return
        case .effects, .ack, .stale, .cancel, .pulse, .drain: break
        }
        guard link == .joined(session: envelope.session), envelope.epoch == epoch else { return }
        lastHeard = now
        switch envelope.message {
        case .effects(let orders):
            if draining == nil {
                for order in orders { accept(order, &actions) }
            } else {
                // What comes after DRAINING counts as not received; it is said again, lest it was lost.
                send(.draining(held: holdings), &actions)
            }
        case .ack(let reports): for report in reports { acknowledge(report, at: now) }
        case .stale(let attempts): for attempt in attempts { forget(attempt, &actions) }
        case .cancel(let attempts):
            for attempt in attempts where holding(attempt)?.running == true { actions.append(.cancel(attempt)) }
        case .drain(.leave): drain(until: now + configuration.drainLimit, &actions)
        case .drain(.wait):
            link = .connecting
            actions.append(.note(.coordinatorStopping))
        case .pulse, .welcome, .reject, .resync: break
        }
    }

    private mutating func join(
        _ welcome: Welcome, epoch newEpoch: UInt64, session: UInt64, at now: Moment, _ actions: inout [WorkerAction]
    ) {
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
        lastHeard = now
        pauses = 0
        timing.heartbeat = .milliseconds(Int64(welcome.heartbeat))
        timing.silence = .milliseconds(Int64(welcome.silence))
        nextHeartbeat = now + timing.heartbeat
        maximumPayload = welcome.maximumPayload
        actions.append(.note(.joined(epoch: epoch, session: session)))
        resend(at: now, olderThan: nil, &actions)
        if draining != nil { send(.draining(held: holdings), &actions) }
    }

    private mutating func reconnect(at now: Moment, _ actions: inout [WorkerAction]) {
        link = .connecting
        lastHeard = now
        let limit = min(configuration.maximumPause, .milliseconds(100) * (1 << min(pauses, 10)))
        pauses += 1
        // Between half and all of the pause, so that a fleet does not come back at one instant.
        let share = Int(random.next() % 512) + 512
        actions.append(.reconnect(after: limit * share / 1024))
    }

    mutating func drain(until deadline: Moment, _ actions: inout [WorkerAction]) {
        guard draining == nil else { return }
        draining = deadline
        actions.append(.note(.draining(held: held.count)))
        if link != .connecting { send(.draining(held: holdings), &actions) }
    }

    mutating func tick(at now: Moment, _ actions: inout [WorkerAction]) {
        if let draining, draining <= now {
            let attempts = heldAttempts
            for attempt in attempts { forget(attempt, &actions) }
            leave(.gaveUp(attempts: attempts.count), &actions)
            return
        }
        guard let heartbeat = nextHeartbeat, heartbeat <= now else { return }
        nextHeartbeat = now + timing.heartbeat
        if let lastHeard, now - lastHeard >= timing.silence {
            if link != .connecting { actions.append(.note(.silent)) }
            reconnect(at: now, &actions)
            return
        }
        guard case .joined = link else {
            hello(&actions)
            return
        }
        announcedCredit = creditTotal
        send(.heartbeat(creditTotal: creditTotal, held: holdings), &actions)
        resend(at: now, olderThan: timing.resend, &actions)
    }

    mutating func leave(_ exit: WorkerExit, _ actions: inout [WorkerAction]) {
        if link != .connecting { send(.bye, &actions) }
        exited = true
        actions.append(.exit(exit))
    }
}
