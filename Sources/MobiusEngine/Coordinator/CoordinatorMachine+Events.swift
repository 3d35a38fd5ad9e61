import DequeModule
import MobiusJournal
import MobiusWire

// Records reports and outside events in the journal, and performs what their commit releases.
extension CoordinatorMachine {
    mutating func begin(_ loop: LoopID, _ planned: [PlannedEffect], _ start: EventPlace?, at now: Moment) {
        residency.begin(loop, number: start?.number, at: now)
        record(
            EventRecord(loop: loop, source: .start, event: nil, ends: nil), OneOrMany(planned), time: start?.time,
            at: now)
        admitDeliveries(to: loop, at: now)
    }

    mutating func recover(_ resumed: ResumedLoop, at now: Moment, _ actions: inout [CoordinatorAction]) {
        let wasHeld = residency.recover(resumed, at: now)
        for (pending, plan) in resumed.inOrder {
            let slot = effects.insert(EffectState(pending, plan: plan), for: pending.id)
            if case .pool = plan.destination {
                dispatcher.count(plan, atWorker: true)
                limitTime(of: slot, at: now)
                adoption.plan()
            } else {
                effects[slot].phase = .committing
                limitTime(of: slot, at: now)
                release(slot, isRecovered: true, at: now, &actions)
            }
        }
        admitDeliveries(to: resumed.loop, at: now)
        guard wasHeld else { return }
        // A HELLO of its workers shows which attempts they hold.
        for incarnation in roster.order {
            guard let worker = roster.slot(of: incarnation) else { continue }
            roster[worker].isResyncing = true
            send(.resync, to: roster[worker].peer, session: roster[worker].session, &actions)
        }
    }

    /// Accepts a report that is the next of a running attempt; answers any other according to its state.
    ///
    /// - Returns: whether the report was accepted.
    mutating func accept(
        _ number: UInt32, of attempt: Attempt, at slot: EffectSlot, final: Bool, from incarnation: Incarnation,
        _ worker: WorkerSlot
    ) -> Bool {
        switch change(slot, { $0.accept(number, of: attempt, final: final, from: incarnation) }) {
        case .accepted:
            if final {
                roster.release(slot, from: worker, &effects)
            } else {
                roster.confirm(slot, of: worker, &effects)
            }
            return true
        // The effect's order has arrived, even if a report is missing.
        case .waits:
            if case .running(_, incarnation) = effects[slot].phase { roster.confirm(slot, of: worker, &effects) }
        case .repeated:
            roster[worker].outbox.acknowledgeAgain(ReportID(attempt: effects.name(of: slot, attempt), number: number))
        case .unwanted:
            let id = ReportID(attempt: effects.name(of: slot, attempt), number: number)
            if effects[slot].phase != .adoptable || !isAboutToBeAdopted(id.attempt, by: incarnation) {
                answer(id, of: incarnation)
            }
        }
        return false
    }

    /// A report on an unknown effect: it has ended, or its loop is held.
    mutating func answer(_ id: ReportID, ofNoEffectFrom incarnation: Incarnation) {
        if !residency.held.contains(id.attempt.effect.loop) { answer(id, of: incarnation) }
    }

    /// A report that is not expected: accepted before, or stale.
    private mutating func answer(_ id: ReportID, of incarnation: Incarnation) {
        let isTaken = recentlyCompleted.contains(id.attempt)
        roster.with(incarnation) { worker in
            if isTaken { worker.outbox.acknowledgeAgain(id) } else { worker.outbox.answerStale(id.attempt) }
        }
    }

    /// Accepts a report, whose event is moved out of it.
    mutating func receive(
        _ report: inout EventReport, from incarnation: Incarnation, _ worker: WorkerSlot, at now: Moment,
        _ actions: inout [CoordinatorAction]
    ) {
        let (number, attempt, final) = (report.id.number, report.id.attempt.attempt, report.final)
        guard let effect = effects.slot(of: report.id.attempt.effect) else {
            return answer(report.id, ofNoEffectFrom: incarnation)
        }
        guard accept(number, of: attempt, at: effect, final: final, from: incarnation, worker) else { return }
        if !final { progressed(effect, at: now) }
        guard let event = report.event.take() else {
            eventlessCompletions.append(EventlessCompletion(worker: incarnation, report: report.id, effect: effect))
            return
        }
        // Uses the stored id, so that all derived values share its storage and compare fast.
        let name = effects.name(of: effect, attempt)
        actions.append(
            .apply(
                EventApplication(
                    report: number, of: name, at: effect, event: consume event, isFinal: final, from: incarnation,
                    traceparent: report.traceparent)))
    }

    mutating func localReport(
        _ attempt: AttemptID, _ event: Payload?, final: Bool, _ actions: inout [CoordinatorAction]
    ) {
        // While stopping nothing is taken in: the effect stays pending, and runs after the next start.
        guard stopping == .no, let index = effects.slot(of: attempt.effect),
            effects[index].phase == .local(attempt.attempt)
        else {
            // The event is dropped, so its handler must not wait for the acknowledgement.
            if !final, let event { acknowledge(attempt, bytes: event.bytes.count, &actions) }
            return
        }
        guard let event else {
            if final {
                effects[index].phase = .ending(attempt.attempt)
                end(attempt.effect)
            }
            return
        }
        let number = effects[index].reported.number(of: attempt.attempt) + 1
        effects[index].reported = EffectState.Mark(attempt: attempt.attempt, number: number)
        if final { effects[index].phase = .ending(attempt.attempt) }
        actions.append(
            .apply(
                EventApplication(
                    loop: attempt.effect.loop, source: .report(attempt, number: number), event: event,
                    ends: final ? attempt.effect : nil, origin: .local)))
    }

    mutating func applied(
        _ application: consuming EventApplication, _ planned: consuming OneOrMany<PlannedEffect>, at now: Moment,
        _ actions: inout [CoordinatorAction]
    ) {
        let isUndecodable = !undecodable.isEmpty && application.ends.map { undecodable[$0] != nil } ?? false
        if isUndecodable { application.ends = nil }
        let traceparent = if case .none = planned { "" } else { traceparent(for: application) }
        if case .worker(let incarnation) = application.origin, let report = application.record.report {
            let effect = application.effect ?? effects.slot(of: report.attempt.effect)
            let ends = application.record.endsEffect
            let suspect = undecodable.isEmpty ? nil : report
            if let suspect {
                let mark = EffectState.Mark(attempt: suspect.attempt.attempt, number: suspect.number)
                undecodable[suspect.attempt.effect]?.recorded = mark
            }
            record(application.takeRecord(), planned, traceparent: traceparent, at: now)
            batch.postCommitActions.append(.ack(incarnation, consume report, effect, ends: ends))
            noteEnds(&actions)
            if let suspect { failUndecodable(suspect, of: incarnation, at: now, &actions) }
            return
        }
        let (origin, source, ends) = (application.origin, application.source, application.ends)
        let (loop, bytes) = (application.loop, application.event.bytes.count)
        if case (.outside(let request), .outside(let key)) = (origin, source) {
            let reply = planned.reply
            var event = application.takeRecord()
            if let reply { event.reply = reply }
            // Before the record: the event may end the loop.
            if let loop = residency.slot(of: loop) { residency[loop].outsideKeys.insert(ExactText(key)) }
            let number = record(event, planned, traceparent: traceparent, at: now)
            noteEnds(&actions)
            let confirmation = EventConfirmation(repeated: false, number: number, reply: reply)
            batch.postCommitActions.append(.confirmEvent(request, confirmation))
            intake += 1
            return
        }
        // Before the record: the event may end the loop that sent it.
        if case .effect(let sent) = origin, let slot = effects.slot(of: sent) { end(sent, slot) }
        let reply = planned.reply
        record(application.takeRecord(), planned, traceparent: traceparent, at: now)
        noteEnds(&actions)
        if case .effect(let sent) = origin { delivered(sent, LoopReply(reply), &actions) }
        if let ends {
            batch.postCommitActions.append(.forget(ends))
        } else if case (.local, .report(let attempt, _)) = (origin, source) {
            batch.postCommitActions.append(.acknowledge(attempt, bytes: bytes))
        }
    }

    /// A worker's event that this program cannot read fails its attempt, as if the handler had; other senders get the
    /// error at once.
    mutating func unreadable(
        _ application: EventApplication, _ reason: String, at now: Moment, _ actions: inout [CoordinatorAction]
    ) {
        switch (application.origin, application.source) {
        case (.worker(let incarnation), .report(let attempt, let number)):
            actions.append(.note(.unreadable(attempt, reason: reason)))
            if undecodable[attempt.effect] == nil {
                let before =
                    number > 1
                    ? EffectState.Mark(attempt: attempt.attempt, number: number - 1)
                    : effects[attempt.effect]?.committed
                undecodable[attempt.effect] = UndecodableEffect(reason: reason, recorded: before)
            }
            failUndecodable(ReportID(attempt: attempt, number: number), of: incarnation, at: now, &actions)
        case (.outside(let request), _):
            actions.append(.refuse(request, ClientRefusal(.invalidEvent, reason)))
        case (.effect(let id), _): fail(id, .failed(reason: reason), at: now, &actions)
        case (.local, .report(let attempt, _)) where application.ends == nil:
            acknowledge(attempt, bytes: application.event.bytes.count, &actions)
        default: if let ended = application.ends { end(ended) }
        }
    }

    /// Fails the attempt of an unreadable event once the other events of the same message are applied.
    ///
    /// A worker of another build may send what the program can read, so the effect is retried as its route says.
    private mutating func failUndecodable(
        _ report: ReportID, of incarnation: Incarnation, at now: Moment, _ actions: inout [CoordinatorAction]
    ) {
        let id = report.attempt.effect
        guard !undecodable.isEmpty, var last = effects[id]?.lastTaken(of: report.attempt.attempt) else { return }
        let eventlessCompletion = eventlessCompletions.firstIndex { $0.report.attempt == report.attempt }
        if eventlessCompletion != nil { last -= 1 }
        guard report.number == last, let poison = undecodable.removeValue(forKey: id) else { return }
        if let eventlessCompletion { eventlessCompletions.remove(at: eventlessCompletion) }
        if let slot = effects.slot(of: id), case .running(_, incarnation) = effects[slot].phase,
            let worker = roster.slot(of: incarnation)
        {
            roster.release(slot, from: worker, &effects)
        }
        batch.postCommitActions.append(.stale(incarnation, report.attempt))
        remark(failureOf: report.attempt, on: roster[incarnation]?.label, poison.reason, at: now)
        guard !mayRetry(id, after: report.attempt.attempt) else {
            withdrawAdopted(id)
            // As in the journal, which has no record of what cannot be read.
            if let slot = effects.slot(of: id) { effects[slot].reported = poison.recorded }
            return delay(id, by: pause(before: id), at: now)
        }
        fail(
            id, .failed(reason: "the worker's event cannot be read: \(poison.reason)"), hasFailed: true, at: now,
            &actions)
    }

    /// Records the ends without an event, after the events that came with them.
    mutating func recordSilentEnds() {
        guard !eventlessCompletions.isEmpty else { return }
        for end in eventlessCompletions {
            batch.records.append(.note(end.report.attempt.effect, .ended))
            batch.postCommitActions.append(.ack(end.worker, end.report, end.effect, ends: true))
        }
        eventlessCompletions.removeAll(keepingCapacity: true)
    }

    /// Numbers an event, and records it with its effects; returns its number.
    @discardableResult
    private mutating func record(
        _ event: consuming EventRecord, _ planned: consuming OneOrMany<PlannedEffect>, traceparent: String = "",
        time: WallTime? = nil, at now: Moment
    ) -> UInt64 {
        let loop = event.loop
        guard let place = residency.slot(of: loop) else {
            preconditionFailure("Loop \(loop) must begin or be recovered before it applies events.")
        }
        let time = time ?? calendar.time(at: now)
        let sequence = residency[place].takeSequence(time, at: now)
        var dues: [TimerDue] = []
        var ended: [EffectID] = []
        var ending: (id: EffectID, mayBeginAgain: Bool)?
        let effects: OneOrMany<Payload>
        batch.bytes += event.eventBytes
        switch consume planned {
        case .none: effects = .none
        case .one(let planned):
            effects = .one(planned.effect)
            let id = EffectID(loop: consume loop, sequence: sequence, index: 0)
            if planned.plan.isForSender {
                ended.append(id)
            } else {
                residency[place].ask(1, by: sequence)
                ask(consume planned, consume id, time, traceparent, &dues, &ending, at: now)
            }
        case .many(let planned):
            effects = .many(planned.map(\.effect))
            residency[place].ask(planned.count, by: sequence)
            for index in planned.indices {
                let id = EffectID(loop: loop, sequence: sequence, index: UInt32(index))
                guard !planned[index].plan.isForSender else {
                    residency[place].pending -= 1
                    ended.append(id)
                    continue
                }
                ask(planned[index], consume id, time, traceparent, &dues, &ending, at: now)
            }
        }
        event.complete(sequence: sequence, effects: consume effects, time: time, dues: dues)
        batch.records.append(.event(consume event))
        // An effect for the sender ends in the same transaction as its event.
        for id in ended { batch.records.append(.note(id, .ended)) }
        if let ending { end(ending.id.loop, by: ending.id, mayBeginAgain: ending.mayBeginAgain, at: now) }
        return sequence
    }

    /// Stores a new effect, which is released once its event is on disk.
    private mutating func ask(
        _ planned: consuming PlannedEffect, _ id: consuming EffectID, _ time: WallTime, _ traceparent: String,
        _ dues: inout [TimerDue], _ ending: inout (id: EffectID, mayBeginAgain: Bool)?, at now: Moment
    ) {
        let index = id.index
        let slot = effects.claim(for: id)
        effects[slot].begin(consume planned, asked: time)
        switch effects[slot].plan.destination {
        case .timer(let schedule):
            guard let due = schedule.first(asked: time) else { break }
            effects[slot].extra.due = due
            effects[slot].extra.next = due
            dues.append(TimerDue(index: index, due: due))
        case .endLoop(let mayBeginAgain): ending = ending ?? (effects.key(of: slot), mayBeginAgain)
        case .local, .pool, .cancel, .loop, .ask, .atEnd, .sender: break
        }
        if !traceparent.isEmpty { effects[slot].extra.traceparent = traceparent }
        limitTime(of: slot, at: now)
        batch.postCommitActions.append(.release(slot))
    }

    /// The effect's end makes no event.
    mutating func completedWithoutEvent(_ id: EffectID) {
        guard let index = effects.slot(of: id) else { return }
        if case .ending = effects[index].phase {} else { end(id, index) }
        end(id)
    }

    /// Ends an effect without a further event.
    mutating func end(_ id: EffectID) {
        batch.records.append(.note(id, .ended))
        batch.postCommitActions.append(.forget(id))
    }

    mutating func committed(_ ticket: Ticket, at now: Moment, _ actions: inout [CoordinatorAction]) {
        var postCommitActions = inFlight.commit(ticket)
        if roster.hasMissed { askAgain(&actions) }
        for position in postCommitActions.indices {
            if case .release(let effect) = postCommitActions[position] {
                release(effect, at: now, &actions)
                continue
            }
            // Moved out: a copy would count references.
            var postCommitAction = JournalBatch.PostCommitAction.nothing
            swap(&postCommitAction, &postCommitActions[position])
            switch consume postCommitAction {
            case .nothing, .release: break
            case .start(let id, let incarnation): started(id, on: incarnation, at: now)
            case .ack(let incarnation, let report, let effect, let ends):
                if let effect, effects.contains(effect) {
                    if ends {
                        forget(effect)
                    } else {
                        let mark = EffectState.Mark(attempt: report.attempt.attempt, number: report.number)
                        effects[effect].committed = mark
                    }
                }
                if let worker = roster.slot(of: incarnation) { roster[worker].outbox.acks.append(consume report) }
            case .cancel(let incarnation, let attempt): roster.with(incarnation) { $0.outbox.cancels.append(attempt) }
            case .stale(let incarnation, let attempt): roster.with(incarnation) { $0.outbox.stales.append(attempt) }
            case .retry(let incarnation, let report, let pause): retry(report, of: incarnation, after: pause, at: now)
            case .confirmEvent(let request, let confirmation):
                if intake > 0 { intake -= 1 }
                actions.append(.confirmEvent(request, confirmation))
            case .confirmAgain(let request, let loop, let key, let event):
                actions.append(.confirmAgain(request, loop, key: key, event: event))
            case .confirm(let request, let repeated): actions.append(.confirm(request, repeated: repeated))
            case .done(let request): actions.append(.confirm(request, repeated: false))
            case .conclude(let request, let repeated): concluded.append((request, repeated))
            case .forget(let id): if let effect = effects.slot(of: id) { forget(effect) }
            case .acknowledge(let attempt, let bytes): acknowledge(attempt, bytes: bytes, &actions)
            case .refuse(let request, let refusal): actions.append(.refuse(request, refusal))
            case .ended(let loop): residency.commitEnd(of: loop)
            case .cancelLocal(let attempt): actions.append(.cancelLocal(attempt))
            }
        }
    }

    private mutating func forget(_ effect: EffectSlot) {
        if let attempt = effects[effect].endingAttempt() { recentlyCompleted.add(effects.name(of: effect, attempt)) }
        let id = effects.key(of: effect)
        residency.effectEnded(id)
        effects.remove(effect)
    }
}
