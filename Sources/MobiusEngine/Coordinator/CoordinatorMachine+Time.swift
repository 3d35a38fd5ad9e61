import DequeModule
import MobiusJournal
import MobiusWire

// Deadlines, and the messages and records at the end of each round.
extension CoordinatorMachine {
    mutating func tick(at now: Moment, _ actions: inout [CoordinatorAction]) {
        let isWorking = stopping == .no
        if isWorking {
            var later: [(Deadline, Moment)] = []
            // While too many records wait for the disk, deadlines wait for it, too: what fires is recorded.
            var left = isFull ? 0 : configuration.deadlinesPerRound
            while left > 0, let (deadline, moment) = deadlines.popEntry(dueAt: now) {
                left -= 1
                if now < pauses.deadlinesResumeAt, deadline.isJudgement {
                    later.append((deadline, moment))
                } else {
                    due(deadline, set: moment, at: now, &actions)
                }
            }
            for (deadline, moment) in later { deadlines.set(deadline, at: moment) }
            if !isFull {
                dispatcher.wake(atMost: configuration.deadlinesPerRound, at: now)
                if let moment = deliveries.wakesAt, moment <= now { deliver(at: now, &actions) }
                if let moment = residency.nextRemoval, moment <= now { removeEnded(at: now, &actions) }
            }
            if adoption.isOver(at: now) { endAdoption(at: now, &actions) }
            evict(at: now, &actions)
        }
        guard let heartbeat = nextHeartbeat, heartbeat <= now else { return }
        nextHeartbeat = now + configuration.timing.heartbeat
        if isWorking {
            for incarnation in roster.order { checkLiveness(incarnation, at: now, &actions) }
        }
        pulse(&actions)
        for (pool, effects) in dispatcher.takeUnserved() {
            actions.append(.note(.unserved(pool: pool, effects: effects)))
        }
    }

    /// The coordinator itself did not run for a while, which counts against nobody; see ``PauseDetector``.
    mutating func goOn(at now: Moment) {
        guard stopping != .stopped else { return }
        let pause = pauses.goOn(at: now)
        roster.pardon(pause, isLong: pause >= configuration.timing.suspectAfter, at: now)
        adoption.extend(by: pause)
    }

    /// Records the time by which the edge will hand in the next input, unless it does not run.
    private mutating func sleeps(at now: Moment) {
        adoption.begin(configuration.timing.adoptionGrace, at: now)
        pauses.sleeps(until: max(now, nextMoment ?? now))
    }

    private mutating func checkLiveness(
        _ incarnation: Incarnation, at now: Moment, _ actions: inout [CoordinatorAction]
    ) {
        switch roster.judge(incarnation, configuration.timing, at: now) {
        case .none: break
        case .suspect: actions.append(.note(.suspected(incarnation)))
        case .lost:
            let effects = remove(incarnation, .lost, at: now, &actions)
            actions.append(.note(.lost(incarnation, effects: effects)))
        }
    }

    /// Whether loops may leave now: all their records were handed to the journal.
    var mayEvict: Bool { stopping == .no && batch.isEmpty && eventlessCompletions.isEmpty }

    /// Lets loops leave that have no pending effects and were not used for a while.
    private mutating func evict(at now: Moment, _ actions: inout [CoordinatorAction]) {
        guard configuration.idleAfter != nil, mayEvict else { return }
        let idle = residency.takeIdle(at: now)
        if !idle.isEmpty { actions.append(.evict(idle)) }
    }

    mutating func pulse(_ actions: inout [CoordinatorAction]) {
        for worker in roster.all {
            send(.pulse(sent: worker.sent), to: worker.peer, session: worker.session, &actions)
        }
    }

    /// Sends applied events to the journal, and committed effects and ACKs to the workers.
    mutating func flush(at now: Moment, _ actions: inout [CoordinatorAction]) {
        recordSilentEnds()
        residency.tellRefused(&actions)
        residency.settleEnds()
        // Before the records are appended, because the dispatch of an effect that runs at most once adds a record.
        if stopping == .no {
            dispatch(at: now)
            tellWanted(&actions)
            tellDemands(at: now, &actions)
        }
        if !batch.isEmpty {
            let (ticket, records) = inFlight.add(&batch)
            actions.append(.append(ticket, records))
        }
        // Under load, too: what they had recorded is handed over now.
        evict(at: now, &actions)
        for incarnation in roster.order { flush(incarnation, &actions) }
        for (request, repeated) in concluded.takeAll() { actions.append(.confirm(request, repeated: repeated)) }
        if stopping == .committing, inFlight.isEmpty {
            stopping = .stopped
            for worker in roster.all {
                send(.drain(.wait), to: worker.peer, session: worker.session, &actions)
            }
            actions.append(.stopped)
        }
        sleeps(at: now)
    }

    private mutating func flush(_ incarnation: Incarnation, _ actions: inout [CoordinatorAction]) {
        guard let worker = roster.slot(of: incarnation), !roster[worker].outbox.isEmpty else { return }
        let (peer, session) = (roster[worker].peer, roster[worker].session)
        let limit = min(configuration.batchBytes, Int(configuration.maximumPayload))
        // Orders before ACKs: a worker can wait for its ACKs, but loses time without its next effect.
        if !roster[worker].outbox.orders.isEmpty {
            var (sent, orders) = roster[worker].takeOrders()
            orders.inBatches(ofBytes: limit, size: { $0.effect.bytes.count }) { batch in
                let after = sent
                sent += UInt64(batch.count)
                send(.effects(after: after, batch), to: peer, session: session, &actions)
            }
        }
        let listLimit = min(limit, Self.listBytes)
        if !roster[worker].outbox.acks.isEmpty {
            roster[worker].outbox.acks.takeAll().inBatches(ofBytes: listLimit, size: { _ in 0 }) { batch in
                send(.ack(batch), to: peer, session: session, &actions)
            }
        }
        // After the orders, one of which may be of the same attempt: it must not begin after its end.
        if !roster[worker].outbox.stales.isEmpty {
            roster[worker].outbox.stales.takeAll().inBatches(ofBytes: listLimit, size: { _ in 0 }) { batch in
                send(.stale(batch), to: peer, session: session, &actions)
            }
        }
        if !roster[worker].outbox.cancels.isEmpty {
            roster[worker].outbox.cancels.takeAll().inBatches(ofBytes: listLimit, size: { _ in 0 }) { batch in
                send(.cancel(batch), to: peer, session: session, &actions)
            }
        }
    }

    /// The size after which a list of reports or attempts is split, to keep the messages small that wait for a worker
    /// that does not read.
    static let listBytes = 64 << 10

    mutating func send(
        _ message: CoordinatorMessage, to peer: Peer, session: UInt64, _ actions: inout [CoordinatorAction]
    ) {
        let envelope = Envelope(epoch: configuration.epoch, session: session, message: message)
        actions.append(.send(peer, envelope))
    }
}
