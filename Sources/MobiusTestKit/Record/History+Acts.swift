import MobiusJournal
package import MobiusWire

extension History.EpochRecord {
    /// Whether the process has applied the answer to an effect, which ends with it and may not be on disk yet.
    func hasCompleted(_ id: EffectID) -> Bool { sources.contains(History.Source(loop: id.loop, key: .answer(id))) }
}

// What operators do to pending effects and to loops.
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

    /// A pool of one shard.
    struct PausedPool: Hashable {
        let pool: String
        let shard: UInt64
    }

    /// A pool is paused, as was confirmed: nothing new starts there.
    package func paused(_ pool: String, shard: Int) { paused.insert(PausedPool(pool: pool, shard: UInt64(shard))) }

    /// An operator wants a pool to go on.
    package func resumes(_ pool: String, shard: Int) { paused.remove(PausedPool(pool: pool, shard: UInt64(shard))) }

    /// Checks that an attempt that is sent, for the first time or again, does not start on a paused pool.
    func checkPause(_ id: AttemptID, shard: UInt64) {
        guard !paused.isEmpty, case .pool(let pool)? = requested[id.effect]?.plan.destination,
            paused.contains(PausedPool(pool: pool, shard: shard))
        else { return }
        violated(.conduct, "\(id) was sent to the pool \(pool), which is paused")
    }

    /// An operator wants to end a loop.
    package func wantsEnd(of loop: LoopID) { wantedEnds.insert(loop) }

    /// An operator's end of a loop is on disk, or one by a loop that takes it along; the end itself follows.
    func endsByHand(_ act: String, _ loop: LoopID, by name: String, because why: String) {
        let isWanted = name == "operator" && why == Self.operatorsReason || isTakenAlong(loop, because: why)
        if act != "end" || !isWanted || !wantedEnds.contains(loop) {
            violated(.conduct, "\(name) did \(act) loop \(loop) because \(why)")
        }
        if ended.contains(loop) { violated(.appliedOnce, "an operator ended loop \(loop) after its end") }
        endedByHand.insert(loop)
    }

    /// Checks that the end of a loop is on disk that was confirmed.
    package func confirmedEnd(of loop: LoopID) {
        // What was removed may have begun anew.
        if !endedByHand.contains(loop) || !ended.contains(loop) && removedUpTo[loop] == nil {
            violated(.nothingLost, "the end of loop \(loop) was confirmed before it was on disk")
        }
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
