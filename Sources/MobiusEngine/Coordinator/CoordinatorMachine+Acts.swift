import MobiusJournal
import MobiusWire

// What operators do to pending effects: who, what and why is on disk with what comes of it.
extension CoordinatorMachine {
    mutating func act(
        _ request: RequestID, _ id: EffectID, _ act: EffectAct, _ event: Payload?, by name: String?, _ why: String,
        at now: Moment, _ actions: inout [CoordinatorAction]
    ) {
        guard residency[id.loop] != nil else { return refuse(request, of: id.loop, &actions) }
        residency.use(id.loop, at: now)
        // One that is not on disk yet is known to nobody.
        guard let slot = effects.slot(of: id), effects[slot].phase != .committing else {
            return actions.append(.unknown(request))
        }
        if case .ending = effects[slot].phase { return actions.append(.busy(request)) }
        if case .fire(let due) = act, let refusal = refusalToFire(slot, due) {
            return answer(request, refusal, &actions)
        }
        batch.records.append(
            .note(
                id,
                .remarked(
                    .acted(
                        act.name, by: (name ?? "").cut(toBytes: EffectRemark.maximumText),
                        why: why.cut(toBytes: EffectRemark.maximumText), at: calendar.time(at: now)))))
        batch.postCommitActions.append(.done(request))
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
            fail(id, .failed(reason: why.isEmpty ? "an operator failed it" : why), by: attempt, at: now, &actions)
        case .complete:
            guard let event else { return }
            _ = withdraw(id)
            end(id, slot, by: attempt)
            actions.append(
                .apply(EventApplication(loop: id.loop, source: .answer(id), event: event, ends: id, origin: .answer)))
        case .fire: fireNow(slot, at: now, &actions)
        }
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
