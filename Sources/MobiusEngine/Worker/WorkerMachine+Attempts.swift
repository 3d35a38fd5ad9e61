import MobiusWire

// Attempts from their order to the acknowledgement of their last report.
extension WorkerMachine {
    mutating func accept(_ order: EffectOrder, _ actions: inout [WorkerAction]) {
        // A draining worker has said what it holds; what comes later counts as not received.
        guard draining == nil else { return }
        if let known = held[order.id.effect] {
            guard known.attempt < order.id.attempt else { return }
            forget(AttemptID(effect: order.id.effect, attempt: known.attempt), &actions)
        }
        held[order.id.effect] = Holding(attempt: order.id.attempt)
        running += 1
        actions.append(.run(order))
    }

    mutating func report(_ id: AttemptID, _ event: Payload?, final: Bool) {
        if let event, event.bytes.count > Int(maximumPayload) {
            let size = "\(event.bytes.count) bytes of \(maximumPayload) allowed"
            report(id, final: true) {
                .failure(FailureReport(id: $0, retryable: false, reason: "the event is too large to send: \(size)"))
            }
        } else if final, event == nil, endWithLastReport(of: id) {
            return
        } else {
            report(id, final: final) { .event(EventReport(id: $0, final: final, event: event)) }
        }
    }

    /// The end joins the last report when that has not been sent: one record, applied and ended at once.
    private mutating func endWithLastReport(of id: AttemptID) -> Bool {
        guard let holding = holding(id), holding.running, holding.unsent > 0,
            case .event(var last) = holding.outbox.last
        else { return false }
        last.final = true
        held[id.effect]?.outbox[holding.outbox.count - 1] = .event(last)
        endHandler(of: id.effect)
        return true
    }

    mutating func report(_ id: AttemptID, final: Bool, _ make: (ReportID) -> Report) {
        guard let holding = holding(id), holding.running else { return }  // cancelled or taken over meanwhile
        let report = make(ReportID(attempt: id, number: holding.nextNumber))
        held[id.effect]?.nextNumber += 1
        held[id.effect]?.outbox.append(report)
        held[id.effect]?.unsent += 1
        if holding.unsent == 0 { fresh.append(id.effect) }
        if final { endHandler(of: id.effect) }
    }

    private mutating func endHandler(of id: EffectID) {
        held[id]?.running = false
        running -= 1
        creditTotal += 1
    }

    mutating func acknowledge(_ report: ReportID) {
        guard var holding = holding(report.attempt) else { return }
        holding.outbox.removeAll { $0.id == report }
        holding.unsent = min(holding.unsent, holding.outbox.count)
        held[report.attempt.effect] = holding.outbox.isEmpty && !holding.running ? nil : holding
    }

    mutating func forget(_ attempt: AttemptID, _ actions: inout [WorkerAction]) {
        guard let holding = holding(attempt) else { return }
        held[attempt.effect] = nil
        guard holding.running else { return }
        running -= 1
        creditTotal += 1
        actions.append(.cancel(attempt))
    }

    /// Sends reports that wait for their ACK: all, or those last sent longer ago than `age`.
    mutating func resend(at now: Moment, olderThan age: Duration?, _ actions: inout [WorkerAction]) {
        var reports: [Report] = []
        for id in held.keys.sorted() {
            guard let holding = held[id], !holding.outbox.isEmpty else { continue }
            if let age {
                guard let sentAt = holding.sentAt, now - sentAt >= age else { continue }
            }
            held[id]?.sentAt = now
            held[id]?.unsent = 0
            reports.append(contentsOf: holding.outbox)
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
                guard let holding = held[id], holding.unsent > 0 else { continue }
                reports.append(contentsOf: holding.outbox.suffix(holding.unsent))
                held[id]?.sentAt = now
                held[id]?.unsent = 0
            }
            fresh.removeAll(keepingCapacity: true)
            if !reports.isEmpty { announcedCredit = creditTotal }
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
        var events: [EventReport] = []
        var failures: [FailureReport] = []
        var bytes = 0
        for report in reports {
            switch report {
            case .event(let event):
                let size = event.event?.bytes.count ?? 0
                if bytes + size > Self.batchBytes, !events.isEmpty {
                    send(.events(creditTotal: creditTotal, events), &actions)
                    events = []
                    bytes = 0
                }
                events.append(event)
                bytes += size
            case .failure(let failure): failures.append(failure)
            }
        }
        if !events.isEmpty { send(.events(creditTotal: creditTotal, events), &actions) }
        if !failures.isEmpty { send(.failures(creditTotal: creditTotal, failures), &actions) }
    }

    /// After how many bytes of payload a message is sent and the next begun.
    static let batchBytes = 256 << 10
}
