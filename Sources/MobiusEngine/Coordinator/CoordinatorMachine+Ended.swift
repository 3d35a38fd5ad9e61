package import MobiusJournal
package import MobiusWire

// Ends of loops: when the event that asked for the end is committed, the loop has ended.
extension CoordinatorMachine {
    /// The most loops that are removed from the journal at a time.
    static var removals: Int { 64 }

    /// Whether the loop has ended, and has not begun again.
    package func hasEnded(_ loop: LoopID) -> Bool { ended[loop] != nil }

    /// The end of a loop.
    package func end(of loop: LoopID) -> EndedLoop? {
        ended[loop].map {
            var end = EndedLoop(
                loop: loop, sequence: $0.sequence, time: $0.time, mayBeginAgain: $0.mayBeginAgain,
                outstanding: $0.outstanding)
            end.isRemoving = $0.isRemoving
            return end
        }
    }

    /// Whether the effect's loop has ended since, also if it has begun again.
    package func hasOutlived(_ id: EffectID) -> Bool {
        ended[id.loop] != nil || ended.hasLives && (loops[id.loop]?.began ?? 0) > id.sequence
    }

    /// Whether the event was under way when its loop ended.
    package mutating func dismisses(_ application: borrowing EventApplication) -> Bool {
        guard !ended.fresh.isEmpty || ended.hasLives else { return false }
        let loop = application.loop
        if ended.fresh.contains(loop) { return true }
        guard let began = loops[loop]?.began, began > 0, let asked = application.asked else { return false }
        return asked < began
    }

    /// Whether an event of another loop can be given to this one, which may have to begin first.
    ///
    /// Not while an earlier one is under way to another shard, or the loop is being read.
    package func admitsDelivery(to loop: LoopID) -> Bool {
        guard !held.contains(loop), !deliveries.away.contains(loop) else { return false }
        return ended[loop].map { $0.mayBeginAgain && !$0.isRemoving } ?? true
    }

    // MARK: Ending

    /// Ends a loop with the last event that was recorded.
    ///
    /// Its pending effects end before it, each by a note, except events for other loops: they were sent, and are delivered.
    mutating func end(_ loop: LoopID, by ending: EffectID, mayBeginAgain: Bool, at now: Moment) {
        guard let state = loops[loop], let last = effects.slot(of: ending) else { return }
        var outstanding: UInt32 = 0
        for (id, slot) in pendingEffects(of: loop, state) where id != ending {
            if case .ending = effects[slot].phase { continue }
            if case .loop = effects[slot].plan.destination {
                outstanding = outstanding.saturatingAdding(1)
                continue
            }
            undecodable[id] = nil
            if case .local(let attempt) = effects[slot].phase {
                batch.postCommitActions.append(.cancelLocal(AttemptID(effect: id, attempt: attempt)))
            }
            cancel(id)
        }
        endCompletions(of: loop)
        end(ending, last)
        let time = calendar.time(at: now)
        batch.records.append(
            .note(ending, .loopEnded(mayBeginAgain: mayBeginAgain, outstanding: outstanding, at: time)))
        batch.postCommitActions.append(.forget(ending))
        batch.postCommitActions.append(.ended(loop))
        // Effects whose ends are not on disk yet are counted, too, until they are forgotten.
        let end = EndedLoops.End(
            sequence: state.nextSequence - 1, time: time, outstanding: UInt32(clamping: state.pending),
            mayBeginAgain: mayBeginAgain, isSending: outstanding > 0)
        loops.removeValue(forKey: loop)
        ended.insert(end, loop, state)
        admitDeliveries(to: loop, at: now)  // they fail now, or begin it again
        planRemovals(at: now)
    }

    /// Tells the host which loops ended with the event that was recorded.
    mutating func noteEnds(_ actions: inout [CoordinatorAction]) {
        guard !ended.newest.isEmpty else { return }
        for loop in ended.newest { actions.append(.ended(loop)) }
        ended.newest.removeAll(keepingCapacity: true)
    }

    /// The pending effects of a loop, in the order in which they were asked for.
    ///
    /// Looked for where they may be, if that is known and costs less than a look at the effects of all loops.
    func pendingEffects(of loop: LoopID, _ state: LoopState?) -> [(id: EffectID, slot: EffectSlot)] {
        guard let state, state.window <= UInt64(effects.count) else { return searched(for: loop) }
        var found: [(id: EffectID, slot: EffectSlot)] = []
        for sequence in state.events where found.count < state.pending {
            for index in 0..<state.width {
                let id = EffectID(loop: loop, sequence: sequence, index: index)
                if let slot = effects.find(id) { found.append((id, slot)) }
            }
        }
        return found
    }

    /// At how many places the pending effects of a loop may be; `nil` if that is not known.
    package func window(of loop: LoopID) -> UInt64? { (loops[loop] ?? ended.uncommitted(loop))?.window }

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
        held.remove(end.loop)
        directory.insert(end.loop)
        ended.insert(
            EndedLoops.End(
                sequence: end.sequence, time: end.time, outstanding: UInt32(clamping: pending.count),
                mayBeginAgain: end.mayBeginAgain, isSending: !pending.isEmpty, isRemoving: end.isRemoving),
            end.loop, nil)
        if end.isRemoving { ended.interrupted.append(end.loop) }
        for pending in pending {
            let slot = effects.insert(EffectState(pending.effect, plan: pending.plan), for: pending.effect.id)
            if case .loop = pending.plan.destination {
                effects[slot].phase = .committing
                release(slot, isRecovered: true, at: now, &actions)
            } else {
                // Its route does not lead to a loop any more.
                self.end(pending.effect.id, slot)
                self.end(pending.effect.id)
            }
        }
        admitDeliveries(to: end.loop, at: now)
        planRemovals(at: now)
    }

    /// An event from outside for a loop that has ended.
    mutating func outside(
        _ request: RequestID, ended loop: LoopID, _ key: String, _ event: Payload, isNew: Bool?,
        _ actions: inout [CoordinatorAction]
    ) {
        guard let end = ended[loop] else { return }
        if let state = ended.uncommitted(loop), state.outsideKeys.contains(ExactText(key)) {
            batch.postCommitActions.append(.confirmAgain(request, loop, key: key, event: event))
            return
        }
        // While the end is not on disk, the journal does not know the newest keys, and nobody is told of the end.
        let uncommitted = ended.uncommitted(loop)
        let knowsKeys = uncommitted.map { !$0.forgetsKeys && !$0.outsideKeys.hasForgotten } ?? false
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

    /// The state with which an ended loop begins again; `nil` for a loop that has not ended.
    ///
    /// Its numbers go on, so that no effect gets the id of an earlier one, and so do its keys.
    mutating func beginAgain(_ loop: LoopID) -> LoopState? {
        guard let (end, state) = ended.remove(loop) else { return nil }
        ended.hasLives = true
        return LoopState(
            nextSequence: end.sequence + 1,
            outsideKeys: state?.outsideKeys ?? RecentSet(limit: configuration.keysInMemory),
            forgetsKeys: state?.forgetsKeys ?? true, pending: Int(end.outstanding), oldest: 0,
            width: state?.width ?? .max, began: end.sequence + 1)
    }

    // MARK: Removing

    /// - Parameter goesOn: Whether as many were removed as one step may, and more may be due already.
    private mutating func planRemovals(goesOn: Bool = false, at now: Moment) {
        guard ended.wakesAt == nil, !ended.removalIsUnderWay else { return }
        // Usually at least a second later, so that few ends do not cost a step each; within an hour, because wall clocks jump.
        var moment = goesOn ? now : now + .seconds(1)
        if ended.interrupted.isEmpty {
            guard let kept = configuration.keepEnded, let time = ended.oldest(kept: kept) else { return }
            moment = min(max(calendar.moment(of: time, at: now), moment), now + .seconds(3600))
        }
        ended.wakesAt = moment
        setDeadline(.removals, at: moment)
    }

    mutating func removeEnded(at now: Moment, _ actions: inout [CoordinatorAction]) {
        ended.wakesAt = nil
        // What an earlier coordinator began is ended, however long loops are kept now.
        var loops = ended.takeInterrupted(Self.removals)
        if let kept = configuration.keepEnded {
            loops += ended.takeOldest(Self.removals - loops.count, before: calendar.time(at: now) + (.zero - kept))
        }
        if !loops.isEmpty {
            ended.removalIsUnderWay = true
            actions.append(.remove(loops))
        }
        planRemovals(at: now)
    }

    mutating func removed(_ loops: [LoopID], at now: Moment) {
        ended.removalIsUnderWay = false
        let goesOn = loops.count == Self.removals
        for loop in loops where ended.isRemoving(loop) {
            guard let (end, _) = ended.remove(loop) else { continue }
            ended.newLoops = max(ended.newLoops, end.sequence + 1)
            directory.remove(loop)
            admitDeliveries(to: loop, at: now)
        }
        planRemovals(goesOn: goesOn, at: now)
    }
}
