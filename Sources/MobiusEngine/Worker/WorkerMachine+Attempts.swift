package import MobiusWire

// Attempts from their order to the acknowledgement of their last report.
extension WorkerMachine {
    /// Takes the orders of one message, before which so many were sent in this session.
    mutating func accept(_ batch: [EffectOrder], after sent: UInt64, _ actions: inout [WorkerAction]) {
        let (end, overflow) = sent.addingReportingOverflow(UInt64(batch.count))
        // A message that comes twice is known.
        guard !overflow, sent >= orders.sent else { return }
        orders = OrderCount(sent: end, received: orders.received + UInt64(batch.count))
        // What takes no slot leaves its credit.
        for order in batch where !accept(order, &actions) { creditTotal += 1 }
    }

    /// Whether its handler begins.
    private mutating func accept(_ order: EffectOrder, _ actions: inout [WorkerAction]) -> Bool {
        let id = order.id.effect
        // Withdrawn, and its handler has not ended: the coordinator misses it in the lists, and sends it again.
        guard !stopping.contains(order.id) else { return false }
        if let known = held[id]?.attempt {
            guard known < order.id.attempt else { return false }
            forget(AttemptID(effect: id, attempt: known), &actions)
        }
        held[id] = Holding(attempt: order.id.attempt)
        running += 1
        actions.append(.run(order))
        return true
    }

    /// A handler says an event, or that it has ended.
    mutating func report(
        _ id: AttemptID, _ event: Payload?, final: Bool, at now: Moment, _ actions: inout [WorkerAction]
    ) {
        guard let event, event.bytes.count > Int(maximumPayload) else {
            let isTaken = take(id, final: final, at: now) {
                .event(EventReport(id: $0, final: final, event: event))
            }
            if final { ended(id, isTaken: isTaken) }
            return
        }
        let size = "\(event.bytes.count) bytes of \(maximumPayload) allowed"
        let isTaken = take(id, final: true, at: now) {
            .failure(FailureReport(id: $0, retryable: false, reason: "the event is too large to send: \(size)"))
        }
        if final {
            ended(id, isTaken: isTaken)
        } else if isTaken {
            stop(id, &actions)  // it has more to say, and nobody waits for that
        }
    }

    /// The events of an attempt, from now on, carry this W3C trace context.
    package mutating func trace(_ id: AttemptID, _ traceparent: String) {
        guard let index = held.index(forKey: id.effect), held.values[index].attempt == id.attempt else { return }
        held.values[index].traceparent = traceparent
    }

    /// A handler has ended with a failure.
    mutating func report(_ id: AttemptID, at now: Moment, _ failure: (ReportID) -> FailureReport) {
        let isTaken = take(id, final: true, at: now) { .failure(failure($0)) }
        ended(id, isTaken: isTaken)
    }

    /// Whether anybody waits for it.
    private mutating func take(
        _ id: AttemptID, final: Bool, at now: Moment, _ make: (ReportID) -> Report
    ) -> Bool {
        guard let index = held.index(forKey: id.effect),
            let wasSaid = held.values[index].report(id, final: final, make)
        else { return false }
        held.values[index].progress = now
        if wasSaid { fresh.append(id.effect) }
        return true
    }

    /// The handler has ended: its slot is free, unless it was none that runs.
    private mutating func ended(_ id: AttemptID, isTaken: Bool) {
        guard isTaken || stopping.remove(id) != nil else { return }
        running -= 1
        creditTotal += 1
    }

    /// Nobody waits for the handler any more; it keeps its slot until it has ended.
    private mutating func stop(_ id: AttemptID, _ actions: inout [WorkerAction]) {
        stopping.insert(id)
        actions.append(.cancel(id))
    }

    mutating func note(progress: [AttemptID: Moment]) {
        for (id, moment) in progress {
            guard let index = held.index(forKey: id.effect), held.values[index].attempt == id.attempt else { continue }
            held.values[index].progress = max(moment, held.values[index].progress ?? moment)
        }
    }

    mutating func acknowledge(_ report: ReportID, at now: Moment) {
        guard let index = held.index(forKey: report.attempt.effect) else { return }
        if held.values[index].acknowledge(report, at: now) { held.remove(at: index) }
    }

    mutating func forget(_ attempt: AttemptID, _ actions: inout [WorkerAction]) {
        guard let holding = holding(attempt) else { return }
        held[attempt.effect] = nil
        if holding.running { stop(attempt, &actions) }
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
        defer { if draining != nil, held.isEmpty, stopping.isEmpty { leave(&actions) } }
        guard case .joined = link else { return }
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
            case .event(var event):
                if !takesTraces, !event.traceparent.isEmpty { event.traceparent = "" }
                events.append(event)
            case .failure(let failure): failures.append(failure)
            }
        }
        let limit = min(Self.batchBytes, Int(maximumPayload))
        for batch in events.batches(ofBytes: limit, size: { ($0.event?.bytes.count ?? 0) + $0.traceparent.utf8.count })
        {
            send(.events(creditTotal: creditTotal, batch), &actions)
        }
        for batch in failures.batches(ofBytes: limit, size: { $0.reason.utf8.count }) {
            send(.failures(creditTotal: creditTotal, batch), &actions)
        }
    }

    /// After how many bytes a message is sent and the next begun.
    static let batchBytes = 256 << 10
}
