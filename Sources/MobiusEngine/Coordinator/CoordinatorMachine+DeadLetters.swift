import DequeModule
import MobiusJournal
public import MobiusWire

// Operators' requests about dead letters and pending effects.
extension CoordinatorMachine {
    mutating func requeue(
        _ request: RequestID, _ letter: DeadLetter, _ plan: EffectPlan, by name: String?, at now: Moment,
        _ actions: inout [CoordinatorAction]
    ) {
        guard residency[letter.id.loop] != nil else {
            return refuse(request, of: letter.id.loop, &actions)
        }
        guard !hasOutlived(letter.id) else {
            let reason = """
                The loop \(letter.id.loop) has ended and begun again since it asked for effect \(letter.id), which is of \
                its earlier life: drop the dead letter.
                """
            // Nobody is told of a beginning that is not on disk.
            batch.postCommitActions.append(.refuse(request, ClientRefusal(.ended, reason)))
            return
        }
        residency.use(letter.id.loop, at: now)
        guard effects.slot(of: letter.id) == nil else {
            retry(request, letter.id, &actions)
            return
        }
        let round = letter.round + 1
        let time = calendar.time(at: now)
        var state = EffectState(
            PlannedEffect(effect: letter.effect, plan: plan), phase: .committing, asked: time)
        state.extra.round = round
        let slot = effects.insert(state, for: letter.id)
        if let loop = residency.slot(of: letter.id.loop) { residency[loop].askAgain(letter.id) }
        limitTime(of: slot, at: now)
        batch.records.append(.note(letter.id, .requeued(letter.effect, round: round, at: time)))
        remark(that: name, asked: letter.id, at: now)
        batch.postCommitActions.append(.release(slot))
        batch.postCommitActions.append(.done(request))
    }

    /// Confirms the retry of an effect that is already pending, after the commit of the first request.
    mutating func retry(_ request: RequestID, _ id: EffectID, _ actions: inout [CoordinatorAction]) {
        switch effects[id]?.phase {
        // Its end is being committed: there may be a newer dead letter.
        case nil, .ending: actions.append(.busy(request))
        default: batch.postCommitActions.append(.confirm(request, repeated: true))
        }
    }

    /// Confirms a request once all earlier decisions are on disk.
    mutating func look(_ request: RequestID, _ actions: inout [CoordinatorAction]) {
        if batch.isEmpty, inFlight.isEmpty, eventlessCompletions.isEmpty {
            actions.append(.confirm(request, repeated: false))
        } else {
            batch.postCommitActions.append(.done(request))
        }
    }

    mutating func drop(
        _ request: RequestID, _ id: EffectID, by name: String?, at now: Moment, _ actions: inout [CoordinatorAction]
    ) {
        guard residency[id.loop] != nil || residency.ended[id.loop] != nil else {
            return refuse(request, of: id.loop, &actions)
        }
        residency.use(id.loop, at: now)
        batch.records.append(.note(id, .dropped))
        remark(that: name, asked: id, at: now)
        batch.postCommitActions.append(.done(request))
    }

    /// Records who asked for the note before, for the history; nobody is known where clients need no keys.
    private mutating func remark(that name: String?, asked id: EffectID, at now: Moment) {
        guard let name else { return }
        let remark = EffectRemark.asked(by: name.cut(toBytes: EffectRemark.maximumText), at: calendar.time(at: now))
        batch.records.append(.note(id, .remarked(remark)))
    }

    mutating func refuse(_ request: RequestID, of loop: LoopID, _ actions: inout [CoordinatorAction]) {
        if residency.ended.uncommitted(loop) != nil {
            // Nobody is told of an end that is not on disk.
            batch.postCommitActions.append(.refuse(request, noLoop(loop)))
        } else {
            // A loop that has just left memory returns when the request is repeated.
            actions.append(residency.mayBeIdle(loop) ? .busy(request) : .refuse(request, noLoop(loop)))
        }
    }

    private func noLoop(_ loop: LoopID) -> ClientRefusal {
        if let end = residency.ended[loop] { return end.refusal(of: loop) }
        guard residency.held.contains(loop) else {
            return ClientRefusal(.unsupported, "There is no loop named \(loop).")
        }
        return ClientRefusal(
            .held, "The loop \(loop) is held: `mobius quarantine show \(loop)` says why and what to do.")
    }

    /// The pending effects of a loop, in the order in which they were asked for, from which a route that cancels may select.
    ///
    /// What the loop had sent before it ended is delivered, whatever it cancels since it has begun again.
    public func underWay(of loop: LoopID) -> [(id: EffectID, effect: Payload)] {
        let span = residency.span(of: loop)
        let began = span?.began ?? 0
        var found: [(id: EffectID, effect: Payload)] = []
        for (id, slot) in pendingEffects(of: loop, span) {
            if case .ending = effects[slot].phase { continue }
            if id.sequence < began, effects[slot].plan.recipient != nil { continue }
            found.append((id, effects[slot].effect))
        }
        return found
    }
}
