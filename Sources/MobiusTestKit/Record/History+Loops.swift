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
        let pair = Pair(sender: effect.loop, receiver: event.loop)
        if let before = delivered[pair], before > effect, !asked.plan.asks {
            violated(.attemptInOrder, "\(effect) was delivered to \(event.loop) after \(before)")
        }
        delivered[pair] = max(effect, delivered[pair] ?? effect)
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

    /// The effect has ended its loop, whose other effects have ended before; nobody asks why.
    func endLoop(_ effect: EffectID) {
        end(effect, .silent)
        if !ended.insert(effect.loop).inserted { violated(.appliedOnce, "loop \(effect.loop) ended twice") }
        ends[effect.loop] = next[effect.loop].map { $0 - 1 }
        for id in askedOrder where id.loop == effect.loop {
            mayEndSilently.insert(id)
            guard endings[id] == nil, let plan = requested[id]?.plan else { continue }
            if plan.recipient != nil, told[id] == nil { continue }  // it was sent, and is delivered
            violated(.nothingLost, "loop \(effect.loop) ended, but its effect \(id) did not")
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
