package import MobiusWire

// Attempts from their order to the acknowledgement of their last report.
extension WorkerMachine {
    /// Takes the orders of one message, before which so many were sent in this session.
    mutating func accept(
        _ batch: [EffectOrder], after sent: UInt64, into accepted: inout [EffectOrder], _ actions: inout [WorkerAction]
    ) {
        let (end, overflow) = sent.addingReportingOverflow(UInt64(batch.count))
        // A message that comes twice is known.
        guard !overflow, sent >= orders.sent else { return }
        orders = OrderCount(sent: end, received: orders.received + UInt64(batch.count))
        var refused: Set<Int> = []
        for position in batch.indices
        where !accept(batch[position].id.effect, batch[position].id.attempt, &actions) { refused.insert(position) }
        creditTotal += UInt64(refused.count)  // what takes no slot leaves its credit
        // Nearly always all are run: then none is copied.
        accepted = refused.isEmpty ? batch : batch.indices.filter { !refused.contains($0) }.map { batch[$0] }
    }

    /// Whether the handler of an attempt that was ordered begins.
    private mutating func accept(_ effect: EffectID, _ attempt: Attempt, _ actions: inout [WorkerAction]) -> Bool {
        // Withdrawn, and its handler has not ended: the coordinator misses it in the lists, and sends it again.
        guard stopping.isEmpty || !stopping.contains(AttemptID(effect: effect, attempt: attempt)) else {
            return false
        }
        if let slot = held.slot(of: effect) {
            let known = held[slot].attempt
            guard known < attempt else { return false }
            if held[slot].running { stop(AttemptID(effect: effect, attempt: known), &actions) }
        }
        held.insert(for: effect) { $0.begin(AttemptID(effect: effect, attempt: attempt)) }
        running += 1
        return true
    }

    /// A handler says an event, or that it has ended.
    mutating func report(
        _ id: AttemptID, _ event: consuming Payload?, final: Bool, at now: Moment, _ actions: inout [WorkerAction]
    ) {
        let size = event?.bytes.count ?? 0
        guard size <= Int(maximumPayload) else {
            return refuse(id, size: size, final: final, at: now, &actions)
        }
        guard let slot = held.slot(of: id.effect),
            let isFresh = held[slot].take(event, of: id, final: final, at: now)
        else {
            if final { ended(id, isTaken: false) }
            return
        }
        if isFresh { fresh.append(slot) }
        if final { ended(id, isTaken: true) }
    }

    /// A handler's event is larger than the coordinator takes: that ends the attempt.
    private mutating func refuse(
        _ id: AttemptID, size: Int, final: Bool, at now: Moment, _ actions: inout [WorkerAction]
    ) {
        let reason = PayloadLimit.reason("the event", bytes: size, of: maximumPayload)
        let failure = FailureReport(id: ReportID(attempt: id, number: 0), retryable: false, reason: reason)
        let isTaken = take(failure, at: now)
        if final {
            ended(id, isTaken: isTaken)
        } else if isTaken {
            stop(id, &actions)  // it has more to say, and nobody waits for that
        }
    }

    /// The events of an attempt, from now on, carry this W3C trace context.
    package mutating func trace(_ id: AttemptID, _ traceparent: String) {
        guard let slot = held.slot(of: id.effect), held[slot].attempt == id.attempt else { return }
        held[slot].traceparent = traceparent
    }

    /// A handler has ended with a failure, which is not numbered yet.
    mutating func report(_ failure: FailureReport, at now: Moment) {
        ended(failure.id.attempt, isTaken: take(failure, at: now))
    }

    /// Whether anybody waits for it.
    private mutating func take(_ failure: FailureReport, at now: Moment) -> Bool {
        guard let slot = held.slot(of: failure.id.attempt.effect), let isFresh = held[slot].take(failure, at: now)
        else { return false }
        if isFresh { fresh.append(slot) }
        return true
    }

    /// The handler has ended: its slot is free, unless it was none that runs.
    private mutating func ended(_ id: AttemptID, isTaken: Bool) {
        guard isTaken || stopping.remove(id) != nil else { return }
        running -= 1
        creditTotal += 1
    }

    /// Nobody waits for the handler any more; it keeps its slot until it has ended.
    mutating func stop(_ id: AttemptID, _ actions: inout [WorkerAction]) {
        stopping.insert(id)
        actions.append(.cancel(id))
    }

    mutating func note(progress: [AttemptID: Moment]) {
        for (id, moment) in progress {
            guard let slot = held.slot(of: id.effect), held[slot].attempt == id.attempt else { continue }
            held[slot].progress = max(moment, held[slot].progress ?? moment)
        }
    }

    mutating func acknowledge(_ reports: [ReportID], at now: Moment) {
        let reports = reports.span
        for position in reports.indices {
            guard let slot = held.slot(of: reports[position].attempt.effect) else { continue }
            let isOver = held[slot].acknowledge(
                reports[position].attempt.attempt, number: reports[position].number, at: now)
            if isOver { held.remove(slot) }
        }
    }

    mutating func forget(_ attempt: AttemptID, _ actions: inout [WorkerAction]) {
        guard let holding = holding(attempt) else { return }
        held[attempt.effect] = nil
        if holding.running { stop(attempt, &actions) }
    }

    /// Sends reports that wait for their ACK: all, or those that have waited longer than `age`.
    mutating func resend(at now: Moment, olderThan age: Duration?, _ actions: inout [WorkerAction]) {
        var reports = Reports()
        for id in held.keys.sorted() {
            guard let slot = held.slot(of: id), !held[slot].outbox.isEmpty else { continue }
            if let age {
                guard let since = held[slot].waitsSince, now - since >= age else { continue }
            }
            held[slot].takeAll(at: now, into: &reports)
        }
        send(reports, &actions)
    }

    mutating func flush(at now: Moment, _ actions: inout [WorkerAction]) {
        defer { if draining != nil, stopping.isEmpty, givesUp || held.count == 0 { leave(&actions) } }
        guard case .joined = link else { return }
        if !fresh.isEmpty {
            var reports = Reports()
            reports.events.reserveCapacity(fresh.count)
            for slot in fresh where held.contains(slot) {
                held[slot].takeUnsent(at: now, into: &reports)
            }
            fresh.removeAll(keepingCapacity: true)
            send(reports, &actions)
        }
        if creditTotal > announcedCredit {
            announcedCredit = creditTotal
            send(.credit(total: creditTotal), &actions)
        }
    }

    private mutating func send(_ reports: consuming Reports, _ actions: inout [WorkerAction]) {
        guard !(reports.events.isEmpty && reports.failures.isEmpty) else { return }
        announcedCredit = creditTotal
        if !takesTraces {
            for index in reports.events.indices where !reports.events[index].traceparent.isEmpty {
                reports.events[index].traceparent = ""
            }
        }
        let limit = min(Self.batchBytes, Int(maximumPayload))
        for batch in reports.events.batches(
            ofBytes: limit, size: { ($0.event?.bytes.count ?? 0) + $0.traceparent.utf8.count })
        {
            send(.events(creditTotal: creditTotal, batch), &actions)
        }
        for batch in reports.failures.batches(ofBytes: limit, size: { $0.reason.utf8.count }) {
            send(.failures(creditTotal: creditTotal, batch), &actions)
        }
    }

    /// After how many bytes a message is sent and the next begun.
    static let batchBytes = 256 << 10
}
