import MobiusJournal
import MobiusWire

// From a report or an outside event to the journal, and from the commit to what it sets free.
extension CoordinatorMachine {
    mutating func begin(_ loop: LoopID, _ planned: [PlannedEffect]) {
        loops[loop] = LoopState(nextSequence: 0, outsideKeys: RecentSet(limit: configuration.rememberedKeys))
        record(loop: loop, source: .start, event: nil, planned, ends: nil)
    }

    mutating func recover(_ resumed: ResumedLoop, at now: Moment, _ actions: inout [CoordinatorAction]) {
        var keys = RecentSet<String>(limit: configuration.rememberedKeys)
        for key in resumed.outsideKeys { keys.insert(key) }
        loops[resumed.loop] = LoopState(nextSequence: resumed.lastSequence + 1, outsideKeys: keys)
        for (pending, plan) in resumed.pending {
            var state = EffectState(PlannedEffect(effect: pending.effect, plan: plan), phase: .adoptable)
            state.reported = pending.reported
            state.committed = pending.reported
            effects[pending.id] = state
            if plan.destination == .local {
                release(pending.id, at: now, &actions)
            } else {
                adoptionEnds = adoptionEnds ?? now + configuration.timing.adoptionGrace
            }
        }
    }

    /// One report of a worker: applied when it is the next of a running attempt, else answered as what it is.
    mutating func receive(
        _ id: ReportID, final: Bool, from incarnation: Incarnation,
        accept: (inout CoordinatorMachine, EffectState) -> Void
    ) {
        let effectID = id.attempt.effect
        guard var effect = effects[effectID] else {
            answer(id, repeated: endings.contains(id), to: incarnation)
            return
        }
        switch effect.phase {
        case .running(let attempt, incarnation) where attempt == id.attempt.attempt: break
        case .ending(id): return  // its ACK follows the commit
        default:
            answer(id, repeated: false, to: incarnation)
            return
        }
        let last = effect.reported?.attempt == id.attempt ? effect.reported?.number ?? 0 : 0
        guard id.number == last + 1 else {
            let onDisk = effect.committed?.attempt == id.attempt ? effect.committed?.number ?? 0 : 0
            if id.number <= onDisk { workers[incarnation]?.acks.append(id) }
            return  // later ones wait for the missing one; applied ones for their commit
        }
        effect.reported = id
        if final {
            effect.phase = .ending(id)
            workers[incarnation]?.holding[effectID] = nil
        }
        effects[effectID] = effect
        accept(&self, effect)
    }

    private mutating func answer(_ id: ReportID, repeated: Bool, to incarnation: Incarnation) {
        if repeated {
            workers[incarnation]?.acks.append(id)
        } else {
            workers[incarnation]?.stales.append(id.attempt)
        }
    }

    mutating func receive(
        _ report: EventReport, from incarnation: Incarnation, _ actions: inout [CoordinatorAction]
    ) {
        receive(report.id, final: report.final, from: incarnation) { machine, _ in
            let id = report.id.attempt.effect
            guard let event = report.event else {
                machine.end(id, by: .ack(incarnation, report.id))
                return
            }
            actions.append(
                .apply(
                    Application(
                        loop: id.loop, source: .report(report.id.attempt, number: report.id.number), event: event,
                        ends: report.final ? id : nil, origin: .worker(incarnation))))
        }
    }

    mutating func localReport(
        _ attempt: AttemptID, _ event: Payload?, final: Bool, _ actions: inout [CoordinatorAction]
    ) {
        guard var effect = effects[attempt.effect], effect.phase == .local(attempt.attempt) else { return }
        let id = ReportID(attempt: attempt, number: (effect.reported?.number ?? 0) + 1)
        effect.reported = id
        if final { effect.phase = .ending(id) }
        effects[attempt.effect] = effect
        guard let event else {
            if final { end(attempt.effect, by: nil) }
            return
        }
        actions.append(
            .apply(
                Application(
                    loop: attempt.effect.loop, source: .report(attempt, number: id.number), event: event,
                    ends: final ? attempt.effect : nil, origin: .local)))
    }

    mutating func outside(
        _ request: RequestID, _ loop: LoopID, _ key: String, _ event: Payload, _ actions: inout [CoordinatorAction]
    ) {
        guard stopping == .no else {
            actions.append(.refuse(request, reason: "The coordinator is stopping; send the event again later."))
            return
        }
        guard let state = loops[loop] else {
            actions.append(.refuse(request, reason: "There is no loop named \(loop)."))
            return
        }
        guard !state.outsideKeys.contains(key) else {
            batch.settlements.append(.confirm(request))  // applied before: sure once all before is on disk
            return
        }
        let application = Application(
            loop: loop, source: .outside(key), event: event, ends: nil, origin: .outside(request))
        actions.append(.apply(application))
    }

    mutating func applied(
        _ application: Application, _ planned: [PlannedEffect], _ actions: inout [CoordinatorAction]
    ) {
        record(
            loop: application.loop, source: application.source, event: application.event, planned,
            ends: application.ends)
        switch (application.origin, application.source) {
        case (.worker(let incarnation), .report(let attempt, let number)):
            batch.settlements.append(.ack(incarnation, ReportID(attempt: attempt, number: number)))
        case (.outside(let request), .outside(let key)):
            loops[application.loop]?.outsideKeys.insert(key)
            batch.settlements.append(.confirm(request))
        default: break
        }
        if let ended = application.ends { batch.settlements.append(.forget(ended)) }
    }

    /// A worker's event that this program cannot read fails its effect; anybody else hears it at once.
    mutating func unreadable(_ application: Application, _ reason: String, _ actions: inout [CoordinatorAction]) {
        switch (application.origin, application.source) {
        case (.worker(let incarnation), .report(let attempt, _)):
            actions.append(.note(.unreadable(attempt, reason: reason)))
            workers[incarnation]?.cancels.append(attempt)
            fail(attempt.effect, .failed(reason: "the worker's event cannot be read: \(reason)"), &actions)
        case (.outside(let request), _): actions.append(.refuse(request, reason: reason))
        default: if let ended = application.ends { end(ended, by: nil) }
        }
    }

    private mutating func record(
        loop: LoopID, source: SourceKey, event: Payload?, _ planned: [PlannedEffect], ends: EffectID?
    ) {
        guard let sequence = loops[loop]?.nextSequence else {
            preconditionFailure("Loop \(loop) must begin or be recovered before it applies events.")
        }
        loops[loop]?.nextSequence = sequence + 1
        for (index, effect) in planned.enumerated() {
            let id = EffectID(loop: loop, sequence: sequence, index: UInt32(index))
            effects[id] = EffectState(effect, phase: .committing)
            batch.settlements.append(.release(id))
        }
        batch.records.append(
            .event(
                EventRecord(
                    loop: loop, sequence: sequence, source: source, event: event, effects: planned.map(\.effect),
                    ends: ends)))
    }

    /// Ends an effect without a further event.
    mutating func end(_ id: EffectID, by settlement: JournalBatch.Settlement?) {
        batch.records.append(.ended(id))
        batch.settlements.append(contentsOf: [settlement, .forget(id)].compactMap(\.self))
    }

    mutating func committed(_ ticket: Ticket, at now: Moment, _ actions: inout [CoordinatorAction]) {
        guard let first = inFlight.first, first.ticket == ticket else {
            preconditionFailure("Tickets are committed in the order in which they were appended.")
        }
        inFlight.removeFirst()
        for settlement in first.settlements {
            switch settlement {
            case .release(let id): release(id, at: now, &actions)
            case .ack(let incarnation, let report):
                effects[report.attempt.effect]?.committed = report
                workers[incarnation]?.acks.append(report)
            case .confirm(let request): actions.append(.confirm(request))
            case .forget(let id):
                if case .ending(let report?) = effects[id]?.phase { endings.insert(report) }
                effects[id] = nil
            }
        }
    }
}
