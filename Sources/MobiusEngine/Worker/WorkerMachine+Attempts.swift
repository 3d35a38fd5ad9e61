import MobiusWire

// Attempts from their order to the acknowledgement of their last report.
extension WorkerMachine {
    mutating func accept(_ order: EffectOrder, _ actions: inout [WorkerAction]) {
        let id = order.id.effect
        if let known = held[id]?.attempt {
            guard known < order.id.attempt else { return }
            forget(AttemptID(effect: id, attempt: known), &actions)
        }
        held[id] = Holding(attempt: order.id.attempt)
        running += 1
        actions.append(.run(order))
    }

    mutating func report(_ id: AttemptID, _ event: Payload?, final: Bool, _ actions: inout [WorkerAction]) {
        if let event, event.bytes.count > Int(maximumPayload) {
            // That ends the attempt, so a handler with more to say is cancelled.
            if !final, holding(id)?.running == true { actions.append(.cancel(id)) }
            let size = "\(event.bytes.count) bytes of \(maximumPayload) allowed"
            report(id, final: true) {
                .failure(FailureReport(id: $0, retryable: false, reason: "the event is too large to send: \(size)"))
            }
        } else {
            report(id, final: final) { .event(EventReport(id: $0, final: final, event: event)) }
        }
    }

    mutating func report(_ id: AttemptID, final: Bool, _ make: (ReportID) -> Report) {
        guard let index = held.index(forKey: id.effect) else { return }
        guard let wasSaid = held.values[index].report(id, final: final, make) else { return }
        if wasSaid { fresh.append(id.effect) }
        if final { freeSlot() }
    }

    private mutating func freeSlot() {
        running -= 1
        // Orders of a session that is over may have taken more slots than there are: those are not granted again.
        if running < configuration.capacity { creditTotal += 1 }
    }

    mutating func acknowledge(_ report: ReportID, at now: Moment) {
        guard let index = held.index(forKey: report.attempt.effect) else { return }
        if held.values[index].acknowledge(report, at: now) { held.remove(at: index) }
    }

    mutating func forget(_ attempt: AttemptID, _ actions: inout [WorkerAction]) {
        guard let holding = holding(attempt) else { return }
        held[attempt.effect] = nil
        guard holding.running else { return }
        freeSlot()
        actions.append(.cancel(attempt))
    }

    /// Sends reports that wait for their ACK: all, or those that have waited longer than `age`.
    mutating func resend(at now: Moment, olderThan age: Duration?, _ actions: inout [WorkerAction]) {
        var reports: [Report] = []
        for id in held.keys.sorted() {
            guard let index = held.index(forKey: id), !held.values[index].outbox.isEmpty else { continue }
            if let age {
                guard let since = held.values[index].waitsSince, now - since >= age else { continue }
            }
            held.values[index].unsent = 0
            held.values[index].waitsSince = now
            reports.append(contentsOf: held.values[index].outbox)
        }
        send(reports, &actions)
    }

    mutating func flush(at now: Moment, _ actions: inout [WorkerAction]) {
        guard case .joined = link else {
            if draining != nil, held.isEmpty { leave(.drained, &actions) }
            return
        }
        if !fresh.isEmpty {
            var reports: [Report] = []
            reports.reserveCapacity(fresh.count)
            for id in fresh {
                guard let index = held.index(forKey: id) else { continue }
                held.values[index].takeUnsent(at: now, into: &reports)
            }
            fresh.removeAll(keepingCapacity: true)
            send(reports, &actions)
        }
        if creditTotal > announcedCredit {
            announcedCredit = creditTotal
            send(.credit(total: creditTotal), &actions)
        }
        if draining != nil, held.isEmpty { leave(.drained, &actions) }
    }

    /// Events and failures travel in messages of their own; within one attempt events precede the failure that ends it.
    private mutating func send(_ reports: [Report], _ actions: inout [WorkerAction]) {
        guard !reports.isEmpty else { return }
        announcedCredit = creditTotal
        var events: [EventReport] = []
        var failures: [FailureReport] = []
        events.reserveCapacity(reports.count)
        for report in reports {
            switch report {
            case .event(let event): events.append(event)
            case .failure(let failure): failures.append(failure)
            }
        }
        let limit = min(Self.batchBytes, Int(maximumPayload))
        for batch in events.batches(ofBytes: limit, size: { $0.event?.bytes.count ?? 0 }) {
            send(.events(creditTotal: creditTotal, batch), &actions)
        }
        for batch in failures.batches(ofBytes: limit, size: { $0.reason.utf8.count }) {
            send(.failures(creditTotal: creditTotal, batch), &actions)
        }
    }

    /// After how many bytes a message is sent and the next begun.
    static let batchBytes = 256 << 10
}
