import MobiusJournal
import MobiusWire

// Checks events of loops for other loops, and the ends of loops.
extension History {
    /// Checks that an event on disk is an effect that was requested for this loop, in the order of the requests.
    func check(_ event: EventRecord, sent effect: EffectID) {
        guard let asked = requested[effect] else {
            return violated(.startsAfterCommit, "\(effect) was delivered to \(event.loop), but was never requested")
        }
        if asked.plan.destination != .loop(event.loop) {
            violated(.attemptInOrder, "\(effect) was delivered to \(event.loop), but is for \(asked.plan.destination)")
        }
        if endings[effect] != nil { violated(.appliedOnce, "\(effect) was delivered after its end") }
        let pair = Pair(sender: effect.loop, receiver: event.loop)
        if let before = delivered[pair], before > effect {
            violated(.attemptInOrder, "\(effect) was delivered to \(event.loop) after \(before)")
        }
        delivered[pair] = effect
    }
}
