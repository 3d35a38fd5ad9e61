import MobiusEngine
import MobiusJournal
import MobiusWire

// Checks events of loops for other loops, and the ends of loops.
extension History {
    /// Checks that an event on disk is an effect that was requested for this loop, in the order of the requests.
    func check(_ event: EventRecord, sent effect: EffectID) {
        guard let asked = requested[effect] else {
            return violated(.startsAfterCommit, "\(effect) was delivered to \(event.loop), but was never requested")
        }
        if asked.plan.recipient != event.loop {
            violated(.attemptInOrder, "\(effect) was delivered to \(event.loop), but is for \(asked.plan.destination)")
        }
        // One that asks may arrive in another shard after its time is over, of which a loop that has ended makes no event.
        let isLate = asked.plan.asks && (endings[effect] == .failure || endings[effect] == .silent)
        if endings[effect] != nil, !isLate { violated(.appliedOnce, "\(effect) was delivered after its end") }
        guard !asked.plan.waitsForEnd else { return checkOrder(event, left: effect) }
        let pair = Pair(sender: effect.loop, receiver: event.loop)
        if let before = delivered[pair], before > effect, !asked.plan.asks {
            violated(.attemptInOrder, "\(effect) was delivered to \(event.loop) after \(before)")
        }
        delivered[pair] = max(effect, delivered[pair] ?? effect)
    }

    /// Checks that a loop gets what another one had left for its end after that end, and after all that it had sent before.
    private func checkOrder(_ event: EventRecord, left effect: EffectID) {
        guard isOver(effect) else {
            return violated(.startsAfterCommit, "\(effect) was delivered to \(event.loop) before the end of its loop")
        }
        checkSelection(of: effect)
        for other in askedOrder where other.loop == effect.loop && endings[other] == nil && told[other] == nil {
            guard let plan = requested[other]?.plan, plan.recipient == event.loop, !plan.waitsForEnd, isOver(other)
            else { continue }
            violated(.attemptInOrder, "\(effect) was delivered to \(event.loop) before \(other)")
        }
    }

    /// An effect cancels these.
    package func selected(_ others: [EffectID], by effect: EffectID) {
        selected.insert(effect)
        missed.formUnion(others.filter { $0 < effect })
    }

    /// Checks that all that may cancel an effect has done so before that is delivered.
    private func checkSelection(of effect: EffectID) {
        for other in askedOrder where other.loop == effect.loop && effect < other && isOver(other) {
            guard requested[other]?.plan.destination == .cancel, !selected.contains(other) else { continue }
            violated(.attemptInOrder, "\(effect) was delivered before \(other), which may cancel it")
        }
    }

    /// Checks that what a loop had left for its end came to the loop that it is for, if that was there.
    func checkLeft(_ effect: EffectID, before rest: ArraySlice<JournalRecord>) {
        guard let plan = requested[effect]?.plan, plan.waitsForEnd, let loop = plan.recipient, isOver(effect) else {
            return  // it was cancelled
        }
        guard !missed.contains(effect), next[loop] != nil, !ended.contains(loop) else { return }
        guard plan.errand == .eventAtEnd else {
            let ends = rest.contains { if case .note(let id, .loopEnded) = $0 { id.loop == loop } else { false } }
            checkSelection(of: effect)
            if !ends { violated(.nothingLost, "loop \(effect.loop) has ended, and did not take \(loop) along") }
            return
        }
        guard !sources.contains(Source(loop: loop, key: .loop(effect))), !has(effect, at: loop) else { return }
        violated(.nothingLost, "\(loop) did not get \(effect), which loop \(effect.loop) had left for its end")
    }

    /// Whether a loop ends because another one has ended that takes it along.
    func isTakenAlong(_ loop: LoopID, because why: String) -> Bool {
        (left[loop] ?? []).contains { id in
            requested[id]?.plan.errand == .end && why == LoopErrand.whyItEnds(with: id.loop) && isOver(id)
        }
    }

    /// Whether the loop of an effect has ended since.
    func isOver(_ effect: EffectID) -> Bool { ends[effect.loop].map { effect.sequence <= $0 } ?? false }

    /// Whether an event of another shard is on disk.
    package func has(_ effect: EffectID, at loop: LoopID) -> Bool {
        sources.contains(Source(loop: loop, key: .outside(EventKey.delivery(of: effect))))
    }

    /// What a loop had left for its end came to a shard in which the loop that it is for was not there.
    package func missed(_ effect: EffectID, at loop: LoopID) {
        if next[loop] != nil, !ended.contains(loop) {
            violated(.nothingLost, "\(effect) was answered as if \(loop) were not there, which it is on disk")
        }
        missed.insert(effect)
        mayEndSilently.insert(effect)
    }

    /// Checks that an ended loop applies nothing before it begins again.
    func checkEnd(_ event: EventRecord, isNew: Bool) {
        if event.source == .start {
            begins[event.loop, default: 0] += 1
            if !isNew, ended.remove(event.loop) == nil {
                violated(.appliedOnce, "loop \(event.loop) begins with event \(event.sequence), but had not ended")
            }
        } else if ended.contains(event.loop) {
            violated(.appliedOnce, "event \(event.sequence) of loop \(event.loop) is on disk after the loop's end")
        }
    }

    /// The journal has nothing of an ended loop any more: its name is new, and so are the keys of its events.
    func removed(_ loop: LoopID) {
        ended.remove(loop)
        removedUpTo[loop] = next.removeValue(forKey: loop)
        forgotten.formUnion(sources.lazy.filter { $0.loop == loop })
        for writer in lives.keys { lives[writer]?.sources.subtract(forgotten) }
        deadLetters = deadLetters.filter { $0.key.loop != loop }
    }

    /// A loop has ended, and its effects have before; nobody asks why.
    func endLoop(_ loop: LoopID) {
        if !ended.insert(loop).inserted { violated(.appliedOnce, "loop \(loop) ended twice") }
        ends[loop] = next[loop].map { $0 - 1 }
        for id in askedOrder where id.loop == loop {
            mayEndSilently.insert(id)
            guard endings[id] == nil, let plan = requested[id]?.plan else { continue }
            if plan.recipient != nil, told[id] == nil { continue }  // it was sent, and is delivered
            if plan.destination == .cancel { continue }  // it may cancel what the loop has left
            violated(.nothingLost, "loop \(loop) ended, but its effect \(id) did not")
        }
    }

    /// Checks that nothing is sent to workers for an ended loop, nor for its life before it began again, except a dead letter
    /// that an operator retried since.
    func checkLives(_ id: EffectID) {
        guard let end = ends[id.loop], id.sequence <= end else { return }
        if ended.contains(id.loop) || rounds[id, default: 0] == 0 {
            violated(.runs, "\(id) was sent after the end of its loop")
        }
    }
}
