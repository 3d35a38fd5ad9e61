import MobiusJournal
import MobiusWire

// What operators do to pending effects and to loops: who, what and why is on disk with what comes of it.
extension CoordinatorMachine {
    mutating func act(
        _ request: RequestID, _ id: EffectID, _ act: EffectAct, _ event: Payload?, by name: String?, _ why: String,
        at now: Moment, _ actions: inout [CoordinatorAction]
    ) {
        guard residency[id.loop] != nil else { return refuse(request, of: id.loop, &actions) }
        guard !residency.hasOutlived(id) else {
            let reason = "The loop \(id.loop) has ended and begun again since it asked for effect \(id)."
            // Nobody is told of a beginning that is not on disk.
            batch.postCommitActions.append(.refuse(request, ClientRefusal(.ended, reason)))
            return
        }
        residency.use(id.loop, at: now)
        // One that is not on disk yet is known to nobody.
        guard let slot = effects.slot(of: id), effects[slot].phase != .committing else {
            return actions.append(.unknown(request))
        }
        if case .ending = effects[slot].phase { return actions.append(.busy(request)) }
        if case .fire(let due) = act, let refusal = refusalToFire(slot, due) {
            return answer(request, refusal, &actions)
        }
        remark(act.name, id, by: name, why, at: now)
        if case .local(let attempt) = effects[slot].phase {
            batch.postCommitActions.append(.cancelLocal(AttemptID(effect: id, attempt: attempt)))
        }
        // One that has failed may be about to be retried.
        var attempt: Attempt?
        if case .failing(let failing) = effects[slot].phase { attempt = failing }
        switch act {
        case .cancel: cancel(id)
        case .fail:
            _ = withdraw(id)
            let reason = why.isEmpty ? "an operator failed it" : why.cut(toBytes: EffectRemark.maximumText)
            fail(id, .failed(reason: reason), by: attempt, at: now, &actions)
        case .complete:
            guard let event else { preconditionFailure("The event that completes an effect is read before.") }
            _ = withdraw(id)
            end(id, slot, by: attempt)
            actions.append(
                .apply(EventApplication(loop: id.loop, source: .answer(id), event: event, ends: id, origin: .answer)))
        case .fire: fireNow(slot, at: now, &actions)
        }
        // Behind the event, which may hold the loop.
        actions.append(.conclude(request, id.loop))
    }

    /// Ends a loop for good, as its program might.
    mutating func end(
        _ request: RequestID, _ loop: LoopID, by name: String?, _ why: String, at now: Moment,
        _ actions: inout [CoordinatorAction]
    ) {
        guard let last = residency[loop]?.lastSequence else { return refuse(request, of: loop, &actions) }
        end(loop, .none(of: loop, at: last), by: name, why, at: now, &actions)
        batch.postCommitActions.append(.done(request))
    }

    /// Ends a loop for good by none of its effects: its history has who, and why.
    mutating func end(
        _ loop: LoopID, _ id: EffectID, by name: String?, _ why: String, at now: Moment,
        _ actions: inout [CoordinatorAction]
    ) {
        remark("end", id, by: name, why, at: now)
        end(loop, by: id, mayBeginAgain: false, at: now)
        noteEnds(&actions)
    }

    private mutating func remark(_ act: String, _ id: EffectID, by name: String?, _ why: String, at now: Moment) {
        let (name, why) = (
            (name ?? "").cut(toBytes: EffectRemark.maximumText), why.cut(toBytes: EffectRemark.maximumText)
        )
        batch.records.append(.note(id, .remarked(.acted(act, by: name, why: why, at: calendar.time(at: now)))))
    }

    private enum FireRefusal { case noTimer, another }

    private mutating func refusalToFire(_ slot: EffectSlot, _ due: WallTime?) -> FireRefusal? {
        guard effects[slot].phase == .waiting else { return .noTimer }
        guard let due, due != effects[slot].extra.next else { return nil }
        return .another
    }

    private mutating func answer(_ request: RequestID, _ refusal: FireRefusal, _ actions: inout [CoordinatorAction]) {
        switch refusal {
        case .noTimer:
            actions.append(.refuse(request, ClientRefusal(.unsupported, "Only a timer can fire, and this is none.")))
        // It has fired since its time was shown: a repetition changes nothing.
        case .another: batch.postCommitActions.append(.confirm(request, repeated: true))
        }
    }
}
