import MobiusJournal
package import MobiusWire

extension History.EpochRecord {
    /// Whether the process has applied the answer to an effect, which ends with it and may not be on disk yet.
    func hasCompleted(_ id: EffectID) -> Bool { sources.contains(History.Source(loop: id.loop, key: .answer(id))) }
}

// What operators do to pending effects.
extension History {
    /// An act of an operator: on disk, or only wanted.
    package struct Act: Equatable {
        package let act: String
        /// The event that completes the effect, as its program writes it.
        package let event: Payload?

        package init(_ act: String, _ event: Payload? = nil) {
            (self.act, self.event) = (act, event)
        }
    }

    /// The reason of all operators.
    package static let operatorsReason = "an operator wants it"

    /// An operator wants to act on an effect.
    package func wants(_ act: Act, on effect: EffectID) { wantedActs[effect, default: []].append(act) }

    /// An act is on disk; what comes of it follows.
    func acted(_ act: String, on effect: EffectID, by name: String, because why: String) {
        if name != "operator" || why != Self.operatorsReason {
            violated(.conduct, "\(name) acted on \(effect) because \(why)")
        }
        guard let wanted = wantedActs[effect]?.last(where: { $0.act == act }) else {
            return violated(.conduct, "nobody wanted to \(act) \(effect)")
        }
        if endings[effect] != nil { violated(.appliedOnce, "an operator did \(act) \(effect) after its end") }
        acts[effect, default: []].append(wanted)
        if act == "cancel" { mayEndSilently.insert(effect) }
    }

    /// Checks that an act is on disk that was confirmed.
    package func confirmed(_ act: Act, on effect: EffectID) {
        guard acts[effect]?.contains(act) ?? false else {
            return violated(.nothingLost, "the act \(act.act) on \(effect) was confirmed before it was on disk")
        }
        if act.act != "fire", endings[effect] == nil, rounds[effect] == nil {
            violated(.nothingLost, "the act \(act.act) on \(effect) was confirmed, and it has not ended")
        }
    }
}
