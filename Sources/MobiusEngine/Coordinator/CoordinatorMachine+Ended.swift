import MobiusJournal
package import MobiusWire

// Ends of loops: when the event that asked for the end, or the operator's act, is committed, the loop has ended.
extension CoordinatorMachine {
    /// Whether an event of another loop can be given to this one, which may have to begin first.
    ///
    /// Not while an earlier one is under way to another shard, or the loop is being read.
    package func admitsDelivery(to loop: LoopID) -> Bool {
        guard !residency.held.contains(loop), !deliveries.away.contains(loop) else { return false }
        return residency.ended[loop].map { $0.mayBeginAgain && !$0.isRemoving } ?? true
    }

    // MARK: Ending

    /// Ends a loop with the last event that was recorded.
    ///
    /// Its pending effects end before it, each by a note, except what is for other loops: that is delivered now. What it left for
    /// its end comes last, because the loops that get it may begin with what was sent before; and before that an effect that may cancel
    /// some of it, and was asked for so late that it has not done so.
    ///
    /// - Parameter ending: The effect that ends it; none of it when an operator does.
    mutating func end(_ loop: LoopID, by ending: EffectID, mayBeginAgain: Bool, at now: Moment) {
        guard let state = residency[loop] else { return }
        let last = effects.slot(of: ending)
        guard last != nil || ending.isNone else { return }
        var outstanding: UInt32 = 0
        var (left, isCancelling) = ([EffectSlot](), false)
        let pending = pendingEffects(of: loop, state.span)
        let hasLeft = pending.contains { effects[$0.slot].plan.waitsForEnd }
        for (id, slot) in pending where id != ending {
            if case .ending = effects[slot].phase { continue }
            if hasLeft, effects[slot].plan.destination == .cancel {
                outstanding = outstanding.saturatingAdding(1)
                isCancelling = true
                continue
            }
            // One that is answered has nothing more to deliver.
            if effects[slot].plan.recipient != nil, effects[slot].isDelivered == false {
                outstanding = outstanding.saturatingAdding(1)
                // No loop is left for the event of its time-out.
                if effects[slot].box != nil { effects[slot].extra.closesBy = nil }
                if effects[slot].plan.waitsForEnd { left.append(slot) }
                continue
            }
            undecodable[id] = nil
            if case .local(let attempt) = effects[slot].phase {
                batch.postCommitActions.append(.cancelLocal(AttemptID(effect: id, attempt: attempt)))
            }
            cancel(id)
        }
        endCompletions(of: loop)
        if let last { end(ending, last) }
        let time = calendar.time(at: now)
        batch.records.append(
            .note(ending, .loopEnded(mayBeginAgain: mayBeginAgain, outstanding: outstanding, at: time)))
        if last != nil { batch.postCommitActions.append(.forget(ending)) }
        batch.postCommitActions.append(.ended(loop))
        for slot in left { batch.postCommitActions.append(.release(slot)) }
        residency.end(
            loop, outstanding: outstanding, mayBeginAgain: mayBeginAgain, isCancelling: isCancelling, time)
        admitDeliveries(to: loop, at: now)  // they fail now, or begin it again
        residency.planRemovals(calendar, at: now)
    }

    /// Tells the host which loops ended with the event that was recorded.
    mutating func noteEnds(_ actions: inout [CoordinatorAction]) {
        for loop in residency.takeNewestEnds() { actions.append(.ended(loop)) }
    }

    /// The pending effects of a loop, in the order in which they were asked for.
    ///
    /// Looked for where they may be, if that is known and costs less than a look at the effects of all loops.
    func pendingEffects(of loop: LoopID, _ span: EffectSpan?) -> [(id: EffectID, slot: EffectSlot)] {
        guard let span, span.window <= UInt64(effects.count) else { return searched(for: loop) }
        var found: [(id: EffectID, slot: EffectSlot)] = []
        for sequence in span.events where found.count < span.count {
            for index in 0..<span.width {
                let id = EffectID(loop: loop, sequence: sequence, index: index)
                if let slot = effects.find(id) { found.append((id, slot)) }
            }
        }
        return found
    }

    /// At how many places the pending effects of a loop may be; `nil` if that is not known.
    package func window(of loop: LoopID) -> UInt64? { residency.span(of: loop)?.window }

    /// The same, from the effects of all loops.
    private func searched(for loop: LoopID) -> [(id: EffectID, slot: EffectSlot)] {
        let ids = effects.keys.filter { $0.loop == loop }.sorted()
        return ids.compactMap { id in effects.find(id).map { (id, $0) } }
    }

    /// Ends without an event that came with the event that ended the loop: nobody waits for them, and none is acknowledged
    /// before the events that it follows.
    private mutating func endCompletions(of loop: LoopID) {
        guard !eventlessCompletions.isEmpty else { return }
        for completion in eventlessCompletions where completion.report.attempt.effect.loop == loop {
            dismiss(completion.report.attempt, of: completion.worker)
        }
        eventlessCompletions.removeAll { $0.report.attempt.effect.loop == loop }
    }

    /// Ends an effect whose last report came too late to be applied.
    private mutating func dismiss(_ attempt: AttemptID, of worker: Incarnation) {
        guard let slot = effects.slot(of: attempt.effect) else { return }
        effects[slot].phase = .ending(nil)
        end(attempt.effect)
        batch.postCommitActions.append(.stale(worker, attempt))
    }

    /// An event that was under way when its loop ended.
    mutating func dismissed(
        _ application: EventApplication, at now: Moment, _ actions: inout [CoordinatorAction]
    ) {
        switch (application.origin, application.source) {
        case (.worker(let incarnation), .report(let attempt, _)):
            if application.ends != nil { dismiss(attempt, of: incarnation) }
        case (.outside(let request), .outside(let key)):
            outside(request, application.loop, key, application.event, isNew: nil, at: now, &actions)
        case (.effect(let id), _): undelivered(id, nil, at: now, &actions)
        case (.local, .report(let attempt, _)) where application.ends == nil:
            acknowledge(attempt, bytes: application.event.bytes.count, &actions)
        default: if let ends = application.ends { end(ends) }
        }
    }

    // MARK: Ended

    mutating func recover(
        _ end: EndedLoop, _ pending: [PlannedPending], at now: Moment, _ actions: inout [CoordinatorAction]
    ) {
        let cancels = pending.contains { $0.plan.destination == .cancel }
        residency.recover(end, outstanding: pending.count, cancelling: cancels ? pending.map(\.effect.id) : [])
        for pending in pending.filter({ !$0.plan.waitsForEnd }) + pending.filter({ $0.plan.waitsForEnd }) {
            let slot = effects.insert(EffectState(pending.effect, plan: pending.plan), for: pending.effect.id)
            let isForLoops = pending.plan.recipient != nil || pending.plan.destination == .cancel
            if isForLoops, pending.effect.answered == nil {
                effects[slot].phase = .committing
                release(slot, isRecovered: true, at: now, &actions)
            } else {
                // Its route does not lead to a loop any more, or that loop has its event.
                self.end(pending.effect.id, slot)
                self.end(pending.effect.id)
            }
        }
        admitDeliveries(to: end.loop, at: now)
        residency.planRemovals(calendar, at: now)
    }

    /// An event from outside for a loop that has ended.
    mutating func outside(
        _ request: RequestID, ended loop: LoopID, _ end: EndedLoops.End, _ key: String, _ event: Payload,
        isNew: Bool?, _ actions: inout [CoordinatorAction]
    ) {
        // While the end is not on disk, the journal does not know the newest keys, and nobody is told of the end.
        let uncommitted = residency.ended.uncommitted(loop)
        if uncommitted?.outsideKeys.contains(ExactText(key)) ?? false {
            batch.postCommitActions.append(.confirmAgain(request, loop, key: key, event: event))
            return
        }
        let knowsKeys = uncommitted.map { !$0.forgetsAnyKey } ?? false
        guard let isNew = isNew ?? (knowsKeys ? true : nil) else {
            actions.append(.lookUp(request, loop, key: key, event: event))
            return
        }
        guard isNew else {
            batch.postCommitActions.append(.confirmAgain(request, loop, key: key, event: event))
            return
        }
        guard end.mayBeginAgain else {
            let refusal = end.refusal(of: loop)
            if uncommitted == nil {
                actions.append(.refuse(request, refusal))
            } else {
                batch.postCommitActions.append(.refuse(request, refusal))
            }
            return
        }
        guard !end.isRemoving, intake < configuration.maximumIntake, !isFull, hasRoom(exists: false) else {
            actions.append(.busy(request))
            return
        }
        actions.append(
            .applyAnew(
                EventApplication(
                    loop: loop, source: .outside(key), event: event, ends: nil, origin: .outside(request))))
    }

    // MARK: Removing

    mutating func removeEnded(at now: Moment, _ actions: inout [CoordinatorAction]) {
        let loops = residency.takeRemovals(calendar, at: now)
        if !loops.isEmpty { actions.append(.remove(loops)) }
    }

    mutating func removed(_ loops: [LoopID], at now: Moment) {
        for loop in residency.removed(loops, calendar, at: now) { admitDeliveries(to: loop, at: now) }
    }
}
