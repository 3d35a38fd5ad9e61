package import MobiusWire

// Attempts from their order to the acknowledgement of their last report.
extension WorkerMachine {
    /// Accepts the orders of one message, before which `sent` were sent in this session.
    mutating func accept(
        _ batch: [EffectOrder], after sent: UInt64, into accepted: inout [EffectOrder], _ actions: inout [WorkerAction]
    ) {
        let (end, overflow) = sent.addingReportingOverflow(UInt64(batch.count))
        // A repeated message is ignored.
        guard !overflow, sent >= orders.sent else { return }
        orders = OrderCount(sent: end, received: orders.received + UInt64(batch.count))
        var refused: Set<Int> = []
        for position in batch.indices
        where !accept(batch[position].id.effect, batch[position].id.attempt, &actions) { refused.insert(position) }
        creditTotal += UInt64(refused.count)  // an order that takes no slot returns its credit
        // Usually all orders are run, and none is copied.
        accepted = refused.isEmpty ? batch : batch.indices.filter { !refused.contains($0) }.map { batch[$0] }
    }

    /// Returns whether the handler of an ordered attempt begins.
    private mutating func accept(_ effect: EffectID, _ attempt: Attempt, _ actions: inout [WorkerAction]) -> Bool {
        // It was withdrawn, and its handler has not ended. It is missing in the lists, so the coordinator sends it
        // again.
        guard stopping.isEmpty || !stopping.contains(AttemptID(effect: effect, attempt: attempt)) else {
            return false
        }
        let former = held.slot(of: effect)
        if let former, held[former].attempt >= attempt { return false }
        guard takesSlot() else { return false }
        if let slot = former {
            let known = held[slot].attempt
            if held[slot].running { stop(AttemptID(effect: effect, attempt: known), &actions) }
            heldBytes -= held[slot].outbox.bytes
        }
        let slot = former == nil ? held.claim(forNew: effect) : held.claim(for: effect)
        held[slot].begin(AttemptID(effect: effect, attempt: attempt))
        running += 1
        return true
    }

    /// A handler sends an event, or has ended.
    mutating func report(
        _ id: AttemptID, _ event: consuming Payload?, final: Bool, at now: Moment, _ actions: inout [WorkerAction]
    ) {
        let size = event?.bytes.count ?? 0
        guard size <= Int(maximumPayload) else {
            return refuse(id, size: size, final: final, at: now, &actions)
        }
        guard let slot = held.slot(of: id.effect),
            let isFresh = held[slot].accept(event, of: id, final: final, at: now)
        else {
            if final { ended(id, isAccepted: false) }
            return
        }
        heldBytes += size
        if isFresh { fresh.append(slot) }
        if final { ended(id, isAccepted: true) }
    }

    /// A handler's event is larger than the coordinator's limit: this ends the attempt.
    private mutating func refuse(
        _ id: AttemptID, size: Int, final: Bool, at now: Moment, _ actions: inout [WorkerAction]
    ) {
        let reason = PayloadLimit.reason("the event", bytes: size, of: maximumPayload)
        let failure = FailureReport(id: ReportID(attempt: id, number: 0), retryable: false, reason: reason)
        let isAccepted = accept(failure, at: now)
        if final {
            ended(id, isAccepted: isAccepted)
        } else if isAccepted {
            stop(id, &actions)  // its further events are dropped
        }
    }

    /// The events of an attempt, from now on, carry this W3C trace context.
    package mutating func trace(_ id: AttemptID, _ traceparent: String) {
        guard let slot = held.slot(of: id.effect), held[slot].attempt == id.attempt else { return }
        held[slot].traceparent = traceparent
    }

    /// A handler has ended with a failure, which is not numbered yet.
    mutating func report(_ failure: FailureReport, at now: Moment) {
        ended(failure.id.attempt, isAccepted: accept(failure, at: now))
    }

    /// Returns whether the report is still needed.
    private mutating func accept(_ failure: FailureReport, at now: Moment) -> Bool {
        guard let slot = held.slot(of: failure.id.attempt.effect), let isFresh = held[slot].accept(failure, at: now)
        else { return false }
        if isFresh { fresh.append(slot) }
        return true
    }

    /// The handler has ended: its slot is free, unless the attempt was unknown.
    private mutating func ended(_ id: AttemptID, isAccepted: Bool) {
        guard isAccepted || stopping.remove(id) != nil else { return }
        running -= 1
        free()
    }

    /// Grants free slots as credit, unless too many reports wait for their ACK: while the coordinator's disk hangs,
    /// ended attempts would accumulate here, and the lists of held attempts would grow without bound.
    mutating func grant() {
        guard withheld > 0, mayTakeMore else { return }
        creditTotal += withheld
        withheld = 0
    }

    /// Whether the waiting reports leave room for further effects.
    var mayTakeMore: Bool {
        held.count < configuration.capacity + Self.maximumEnded && heldBytes < Self.maximumHeldBytes
    }

    /// Stops the handler, whose reports are no longer needed; it keeps its slot until it has ended.
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

    mutating func acknowledge(_ reports: [ReportID], at now: Moment, _ actions: inout [WorkerAction]) {
        var again = Reports()
        var streak = Acknowledged()
        let reports = reports.span
        for position in reports.indices {
            let (attempt, number) = (reports[position].attempt.attempt, reports[position].number)
            guard let slot = held.slot(of: reports[position].attempt.effect),
                let bytes = held[slot].acknowledge(attempt, number: number, at: now)
            else { continue }
            heldBytes -= bytes
            if held[slot].isOver {
                held.remove(slot)
                continue
            }
            if held[slot].running {
                if slot != streak.slot { streak.end(&actions) }
                streak.add(bytes, of: slot, held.key(of: slot), attempt)
            }
            if held[slot].isDoneAgain { held[slot].takeAgain(at: now, into: &again) }
        }
        streak.end(&actions)
        send(again, &actions)
        grant()
    }

    /// Consecutive ACKs of a running handler.
    private struct Acknowledged {
        private(set) var slot: SlotTable<EffectID, AttemptState>.Slot?
        private var id: AttemptID?
        private var events = 0
        private var bytes = 0

        mutating func add(
            _ bytes: Int, of slot: SlotTable<EffectID, AttemptState>.Slot, _ effect: EffectID, _ attempt: Attempt
        ) {
            if self.slot != slot {
                self.slot = slot
                id = AttemptID(effect: effect, attempt: attempt)
            }
            events += 1
            self.bytes += bytes
        }

        mutating func end(_ actions: inout [WorkerAction]) {
            guard let id else { return }
            actions.append(.acknowledged(id, events: events, bytes: bytes))
            self = Acknowledged()
        }
    }

    mutating func forget(_ attempt: AttemptID, _ actions: inout [WorkerAction]) {
        guard let holding = holding(attempt) else { return }
        heldBytes -= holding.outbox.bytes
        held[attempt.effect] = nil
        if holding.running { stop(attempt, &actions) }
        grant()
    }

    /// Sends the oldest overdue reports again; attempts for which there is no room follow with the next heartbeat.
    mutating func resend(at now: Moment, _ actions: inout [WorkerAction]) {
        var late: [(since: Moment, effect: EffectID)] = []
        for (effect, holding) in held {
            guard let since = holding.waitsSince, now - since >= timing.resend else { continue }
            late.append((since, effect))
        }
        late.sort { $0.since != $1.since ? $0.since < $1.since : $0.effect < $1.effect }
        var reports = Reports()
        for (_, effect) in late {
            if reports.room.isOver { break }
            guard let slot = held.slot(of: effect) else { continue }
            held[slot].takeAgain(at: now, into: &reports)
        }
        send(reports, &actions)
    }

    /// Sends all reports, in a session that begins.
    mutating func resendAll(at now: Moment, _ actions: inout [WorkerAction]) {
        fresh.removeAll(keepingCapacity: true)
        for effect in held.keys.sorted() {
            guard let slot = held.slot(of: effect), held[slot].sendAll() else { continue }
            fresh.append(slot)
        }
        sendFresh(at: now, &actions)
    }

    mutating func flush(at now: Moment, _ actions: inout [WorkerAction]) {
        defer { if draining != nil, stopping.isEmpty, givesUp || held.count == 0 { leave(&actions) } }
        guard case .joined = link else {
            sendsOn = nil
            return
        }
        listFirst(at: now, &actions)
        sendFresh(at: now, &actions)
        if creditTotal > announcedCredit {
            announcedCredit = creditTotal
            send(.credit(total: creditTotal), &actions)
        }
    }

    /// Sends reports that were not sent in this session, up to the limit; the rest follows with the next flush.
    private mutating func sendFresh(at now: Moment, _ actions: inout [WorkerAction]) {
        sendsOn = nil
        guard !fresh.isEmpty else { return }
        var reports = Reports()
        reports.events.reserveCapacity(min(fresh.count, Room.flush.reports))
        var (unseen, left): ([SlotTable<EffectID, AttemptState>.Slot], [SlotTable<EffectID, AttemptState>.Slot]) = (
            [], []
        )
        for slot in fresh where held.contains(slot) {
            if reports.room.isOver {
                unseen.append(slot)
            } else if held[slot].takeUnsent(at: now, into: &reports) {
                left.append(slot)
            }
        }
        fresh.removeAll(keepingCapacity: true)
        send(reports, &actions)
        guard !(unseen.isEmpty && left.isEmpty) else { return }
        fresh = unseen + left
        sendsOn = now
    }

    private mutating func send(_ reports: consuming Reports, _ actions: inout [WorkerAction]) {
        guard !reports.isEmpty else { return }
        announcedCredit = creditTotal
        if !takesTraces {
            for index in reports.events.indices where !reports.events[index].traceparent.isEmpty {
                reports.events[index].traceparent = ""
            }
        }
        let limit = min(Self.batchBytes, Int(maximumPayload))
        let (events, failures) = (reports.events, reports.failures)
        events.inBatches(ofBytes: limit, size: { ($0.event?.bytes.count ?? 0) + $0.traceparent.utf8.count }) { batch in
            send(.events(creditTotal: creditTotal, batch), &actions)
        }
        failures.inBatches(ofBytes: limit, size: { $0.reason.utf8.count }) { batch in
            send(.failures(creditTotal: creditTotal, batch), &actions)
        }
    }

    /// The size after which a message is sent and the next one begun.
    static let batchBytes = 256 << 10
    /// Ended attempts waiting for their ACK at which no further credit is granted.
    static let maximumEnded = 8192
    /// The same for the bytes of all waiting events.
    static let maximumHeldBytes = 64 << 20
}
