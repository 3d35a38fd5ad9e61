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
            while left > 0, let (deadline, moment) = deadlines.takeFirst(dueAt: now) {
                left -= 1
                if now < deadlinesResumeAt, deadline.isJudgement {
                    later.append((deadline, moment))
                } else {
                    due(deadline, set: moment, at: now, &actions)
                }
            }
            for (deadline, moment) in later { deadlines.set(deadline, at: moment) }
            if let end = adoptionEnds, end <= now { endAdoption(at: now, &actions) }
            evict(at: now, &actions)
        }
        guard let heartbeat = nextHeartbeat, heartbeat <= now else { return }
        nextHeartbeat = now + configuration.timing.heartbeat
        if isWorking {
            for incarnation in workerOrder { checkLiveness(incarnation, at: now, &actions) }
        }
        pulse(&actions)
        for name in poolOrder {
            guard let pool = pools[name], pool.workers.isEmpty, !pool.isEmpty, !pool.noted else { continue }
            pools[name]?.noted = true
            actions.append(.note(.unserved(pool: name, effects: pool.count)))
        }
    }

    /// Detects that the coordinator itself did not run since its last flush, or since the last such pause: that time
    /// must not count against workers.
    ///
    /// No worker counts as silent during the pause. Deadlines that fell into it are processed only after a heartbeat's
    /// time, in which the messages that arrived meanwhile are read. After several pauses in a row they are processed
    /// anyway.
    mutating func goOn(at now: Moment) {
        guard stopping != .stopped else { return }
        let timing = configuration.timing
        let pause = now.later(byNanoseconds: halfHeartbeat) - wakesBy
        wakesBy = now.later(byNanoseconds: halfHeartbeat)  // another one may come before the next flush
        for incarnation in workerOrder {
            withWorker(incarnation) { worker in
                // After a long pause workers may have to reconnect.
                let isLong = pause >= timing.suspectAfter
                worker.lastHeard = isLong ? now : min(now, worker.lastHeard + pause)
                if case .disconnected(let since) = worker.health {
                    worker.health = .disconnected(isLong ? now : min(now, since + pause))
                }
            }
        }
        if let end = adoptionEnds { adoptionEnds = end + pause }
        postponed = now > deadlinesResumeAt + timing.heartbeat ? 1 : postponed + 1
        if postponed <= 10 { deadlinesResumeAt = now + timing.heartbeat }
    }

    /// Records the time by which the edge will hand in the next input, unless it does not run.
    private mutating func sleeps(at now: Moment) {
        if willAdopt {
            willAdopt = false
            adoptionEnds = possibleHolders?.isEmpty == true ? now : now + configuration.timing.adoptionGrace
        }
        let next = max(now, nextMoment ?? now)
        wakesBy = next.later(byNanoseconds: halfHeartbeat)
    }

    private mutating func checkLiveness(
        _ incarnation: Incarnation, at now: Moment, _ actions: inout [CoordinatorAction]
    ) {
        guard let worker = workers[incarnation] else { return }
        let timing = configuration.timing
        let silence = now - worker.lastHeard
        var lost = silence >= timing.deadAfter
        if case .disconnected(let since) = worker.health, now - since >= timing.reconnectGrace { lost = true }
        if lost {
            let effects = remove(incarnation, .lost, at: now, &actions)
            actions.append(.note(.lost(incarnation, effects: effects)))
        } else if worker.health == .good, silence >= timing.suspectAfter {
            workers[incarnation]?.health = .suspect
            actions.append(.note(.suspected(incarnation)))
        }
    }

    mutating func pulse(_ actions: inout [CoordinatorAction]) {
        for worker in workerOrder.compactMap({ workers[$0] }) {
            send(.pulse(sent: worker.sent), to: worker.peer, session: worker.session, &actions)
        }
    }

    /// Sends applied events to the journal, and committed effects and ACKs to the workers.
    mutating func flush(at now: Moment, _ actions: inout [CoordinatorAction]) {
        recordSilentEnds()
        if !refusedLoops.isEmpty {
            for loop in refusedLoops { actions.append(.note(.loopRefused(loop, limit: configuration.maximumLoops))) }
            refusedLoops.removeAll()
        }
        ended.fresh.removeAll(keepingCapacity: true)
        // Before the records are appended, because the dispatch of an effect that runs at most once adds a record.
        if stopping == .no {
            dispatch(at: now)
            tellWanted(&actions)
            tellDemands(at: now, &actions)
        }
        if !batch.isEmpty {
            lastTicket += 1
            let ticket = Ticket(lastTicket)
            recordsInFlight += batch.records.count
            bytesInFlight += batch.bytes
            inFlight.append(
                InFlight(
                    ticket: ticket, records: batch.records.count, bytes: batch.bytes,
                    postCommitActions: batch.postCommitActions.takeAll()))
            batch.bytes = 0
            actions.append(.append(ticket, batch.records.takeAll()))
        }
        // Under load, too: what they had recorded is handed over now.
        evict(at: now, &actions)
        for incarnation in workerOrder { flush(incarnation, &actions) }
        if stopping == .committing, inFlight.isEmpty {
            stopping = .stopped
            for worker in workerOrder.compactMap({ workers[$0] }) {
                send(.drain(.wait), to: worker.peer, session: worker.session, &actions)
            }
            actions.append(.stopped)
        }
        sleeps(at: now)
    }

    private mutating func flush(_ incarnation: Incarnation, _ actions: inout [CoordinatorAction]) {
        guard let worker = workers.slot(of: incarnation), !workers[worker].outbox.isEmpty else { return }
        let (peer, session) = (workers[worker].peer, workers[worker].session)
        let limit = min(configuration.batchBytes, Int(configuration.maximumPayload))
        // Orders before ACKs: a worker can wait for its ACKs, but loses time without its next effect.
        if !workers[worker].outbox.orders.isEmpty {
            var (sent, orders) = workers[worker].takeOrders()
            orders.inBatches(ofBytes: limit, size: { $0.effect.bytes.count }) { batch in
                let after = sent
                sent += UInt64(batch.count)
                send(.effects(after: after, batch), to: peer, session: session, &actions)
            }
        }
        let listLimit = min(limit, Self.listBytes)
        if !workers[worker].outbox.acks.isEmpty {
            workers[worker].outbox.acks.takeAll().inBatches(ofBytes: listLimit, size: { _ in 0 }) { batch in
                send(.ack(batch), to: peer, session: session, &actions)
            }
        }
        // After the orders, one of which may be of the same attempt: it must not begin after its end.
        if !workers[worker].outbox.stales.isEmpty {
            workers[worker].outbox.stales.takeAll().inBatches(ofBytes: listLimit, size: { _ in 0 }) { batch in
                send(.stale(batch), to: peer, session: session, &actions)
            }
        }
        if !workers[worker].outbox.cancels.isEmpty {
            workers[worker].outbox.cancels.takeAll().inBatches(ofBytes: listLimit, size: { _ in 0 }) { batch in
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
