import MobiusJournal
import MobiusWire

// What time does, and what leaves at the end of each round.
extension CoordinatorMachine {
    mutating func tick(at now: Moment, _ actions: inout [CoordinatorAction]) {
        while let deadline = deadlines.take(dueAt: now) {
            due(deadline, at: now, &actions)
        }
        if let end = adoptionEnds, end <= now { endAdoption(at: now, &actions) }
        guard let heartbeat = nextHeartbeat, heartbeat <= now else { return }
        nextHeartbeat = now + configuration.timing.heartbeat
        for incarnation in workerOrder { examine(incarnation, at: now, &actions) }
        pulse(&actions)
        for name in poolOrder {
            guard let pool = pools[name], pool.workers.isEmpty, !pool.queue.isEmpty, !pool.noted else { continue }
            pools[name]?.noted = true
            actions.append(.note(.unserved(pool: name, effects: pool.queue.count)))
        }
    }

    private mutating func examine(
        _ incarnation: Incarnation, at now: Moment, _ actions: inout [CoordinatorAction]
    ) {
        guard let worker = workers[incarnation] else { return }
        let timing = configuration.timing
        let silence = now - worker.lastHeard
        var lost = silence >= timing.deadAfter
        if case .disconnected(let since) = worker.health, now - since >= timing.reconnectGrace { lost = true }
        if lost {
            let effects = remove(incarnation, counts: true, &actions)
            actions.append(.note(.lost(incarnation, effects: effects)))
        } else if worker.health == .good, silence >= timing.suspectAfter {
            workers[incarnation]?.health = .suspect
            actions.append(.note(.suspected(incarnation)))
        }
    }

    mutating func pulse(_ actions: inout [CoordinatorAction]) {
        for worker in workerOrder.compactMap({ workers[$0] }) {
            send(.pulse, to: worker.peer, session: worker.session, &actions)
        }
    }

    /// What was applied goes to the journal, what is on disk to the workers.
    mutating func flush(at now: Moment, _ actions: inout [CoordinatorAction]) {
        if !batch.isEmpty {
            lastTicket += 1
            let ticket = Ticket(number: lastTicket)
            inFlight.append(InFlight(ticket: ticket, settlements: batch.settlements))
            actions.append(.append(ticket, batch.records))
            batch = JournalBatch()
        }
        if stopping == .no { dispatch(at: now) }
        for incarnation in workerOrder { flush(incarnation, &actions) }
        if stopping == .committing, inFlight.isEmpty {
            stopping = .stopped
            for worker in workerOrder.compactMap({ workers[$0] }) {
                send(.drain(.wait), to: worker.peer, session: worker.session, &actions)
            }
            actions.append(.stopped)
        }
    }

    private mutating func flush(_ incarnation: Incarnation, _ actions: inout [CoordinatorAction]) {
        guard let worker = workers[incarnation] else { return }
        if !worker.stales.isEmpty {
            workers[incarnation]?.stales = []
            send(.stale(worker.stales), to: worker.peer, session: worker.session, &actions)
        }
        if !worker.cancels.isEmpty {
            workers[incarnation]?.cancels = []
            send(.cancel(worker.cancels), to: worker.peer, session: worker.session, &actions)
        }
        if !worker.acks.isEmpty {
            workers[incarnation]?.acks = []
            send(.ack(worker.acks), to: worker.peer, session: worker.session, &actions)
        }
        guard !worker.orders.isEmpty else { return }
        workers[incarnation]?.orders = []
        var chunk: [EffectOrder] = []
        var bytes = 0
        for order in worker.orders {
            if bytes + order.effect.bytes.count > configuration.batchBytes, !chunk.isEmpty {
                send(.effects(chunk), to: worker.peer, session: worker.session, &actions)
                chunk = []
                bytes = 0
            }
            chunk.append(order)
            bytes += order.effect.bytes.count
        }
        send(.effects(chunk), to: worker.peer, session: worker.session, &actions)
    }

    mutating func send(
        _ message: CoordinatorMessage, to peer: Peer, session: UInt64, _ actions: inout [CoordinatorAction]
    ) {
        let envelope = Envelope(epoch: configuration.epoch, session: session, message: message)
        actions.append(.send(peer, envelope))
    }
}
