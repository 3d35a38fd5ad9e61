import MobiusJournal
package import MobiusWire

// Effects that are events for other loops: once such an effect is on disk, its event is applied, and that event and the
// effect's end are records of one commit. So a crash between any two steps leads to exactly one application.
extension CoordinatorMachine {
    /// The most events that one round delivers: others are handled in between, and loops that send to each other forever
    /// stop nothing.
    static var deliveriesPerRound: Int { 256 }

    /// The effect is on disk: it waits for its turn.
    mutating func address(
        _ slot: EffectSlot, to loop: LoopID, isRecovered: Bool, at now: Moment, _ actions: inout [CoordinatorAction]
    ) {
        // One that waited before the loop was held, or this start, goes on waiting.
        // What was left for this time has been counted since it was asked for.
        let counts = residency.held.contains(loop) && !isRecovered && !effects[slot].plan.waitsForEnd
        let most = max(1, configuration.maximumBacklog / 100)
        var waiting = counts ? deliveries.count(for: loop) : 0
        if waiting >= most {
            waiting = deliveries.count(for: loop) { effects.contains($0) && !effects[$0].plan.waitsForEnd }
        }
        guard waiting < most else {
            let reason = "the loop \(loop) is held, and \(waiting) events wait for it already"
            return fail(effects.key(of: slot), .failed(reason: reason), at: now, &actions)
        }
        effects[slot].order = dispatcher.takeOrder()
        effects[slot].phase = .addressed
        deferred += 1
        enqueue(slot, for: loop, at: now)
    }

    /// The effect is on disk: it waits for the end of its loop, which releases it again.
    mutating func leave(
        _ slot: EffectSlot, for loop: LoopID, isRecovered: Bool, at now: Moment, _ actions: inout [CoordinatorAction]
    ) {
        // Its loop has begun and ended again since it was addressed.
        if effects[slot].phase == .addressed { return }
        if effects[slot].phase == .dormant {
            deferred -= 1
        } else if !isRecovered || !residency.hasOutlived(effects.key(of: slot)) {
            effects[slot].phase = .dormant
            deferred += 1
            return
        }
        address(slot, to: loop, isRecovered: isRecovered, at: now, &actions)
    }

    private mutating func enqueue(_ slot: EffectSlot, for loop: LoopID, at now: Moment) {
        deliveries.insert(Deliveries.Entry(effect: slot, order: effects[slot].order), for: loop)
        admitDeliveries(to: loop, at: now)
    }

    /// Lets the effects for a loop be delivered, unless it is held.
    mutating func admitDeliveries(to loop: LoopID, at now: Moment) {
        guard !residency.held.contains(loop), !residency.ended.isRemoving(loop), !deliveries.away.contains(loop) else {
            return
        }
        deliveries.admit(loop)
        wakeDeliveries(at: now)
    }

    private mutating func wakeDeliveries(at moment: Moment) {
        if deliveries.hasReady, deliveries.wakesAt == nil { deliveries.wakesAt = moment }
    }

    /// Delivers what waits, as much as one round may.
    mutating func deliver(at now: Moment, _ actions: inout [CoordinatorAction]) {
        deliveries.wakesAt = nil
        var left = isFull ? 0 : Self.deliveriesPerRound
        while left > 0, deliveries.hasReady {
            guard let (loop, entry) = deliveries.takeFirst() else { continue }
            let slot = entry.effect
            // Otherwise it was cancelled, or its loop was held meanwhile.
            guard effects.contains(slot), effects[slot].phase == .addressed, effects[slot].order == entry.order else {
                continue
            }
            let id = effects.key(of: slot)
            left -= 1
            if isTooLate(id, slot, for: loop, at: now, &actions) { continue }
            // It stays addressed until its event is recorded: it may have to wait again, and its loop may end before that.
            actions.append(.deliver(id, effect: effects[slot].effect, to: loop))
        }
        // Later, so that this round ends.
        wakeDeliveries(at: now.later(byNanoseconds: 1))
    }

    /// Whether the loop of an effect has ended, and with that the effect: it has failed, unless its own loop has ended, too.
    private mutating func isTooLate(
        _ id: EffectID, _ slot: EffectSlot, for loop: LoopID, at now: Moment, _ actions: inout [CoordinatorAction]
    ) -> Bool {
        // What is delivered before may begin it again.
        guard let end = residency.ended[loop], !end.mayBeginAgain else { return false }
        if effects[slot].plan.waitsForEnd {
            completedWithoutEvent(id)
        } else {
            fail(id, .failed(reason: end.sentence(of: loop)), at: now, &actions)
        }
        return true
    }

    /// The loop that an effect ends, because its own has ended, is in memory: both ends are in one commit.
    mutating func endAlong(_ id: EffectID, _ loop: LoopID, at now: Moment, _ actions: inout [CoordinatorAction]) {
        // Otherwise the loop was held, or has ended meanwhile.
        guard isAddressed(id), let last = residency[loop]?.lastSequence else {
            return undelivered(id, nil, at: now, &actions)
        }
        completedWithoutEvent(id)
        end(loop, .none(of: loop, at: last), by: "", LoopErrand.whyItEnds(with: id.loop), at: now, &actions)
    }

    /// The effect's loop did not take it: it waits at its place, or it has failed.
    mutating func undelivered(
        _ id: EffectID, _ reason: String?, at now: Moment, _ actions: inout [CoordinatorAction]
    ) {
        guard let slot = addressed(id), let loop = effects[slot].plan.recipient else { return }
        if let reason {
            fail(id, .failed(reason: reason), at: now, &actions)
        } else if !isTooLate(id, slot, for: loop, at: now, &actions) {
            enqueue(slot, for: loop, at: now)
        }
    }

    /// The effect's loop is not in memory: it waits at its place, and so do those behind it.
    mutating func postpone(_ id: EffectID, at now: Moment) {
        guard let slot = addressed(id), let loop = effects[slot].plan.recipient else { return }
        deliveries.block(loop)
        deliveries.away.insert(loop)
        enqueue(slot, for: loop, at: now)
    }

    /// A loop for which effects waited was read: it is in memory, or held, or does not exist.
    mutating func arrived(_ loop: LoopID, at now: Moment) {
        deliveries.away.remove(loop)
        admitDeliveries(to: loop, at: now)
    }

    /// The effect's event was recorded, after the effect ended: in this commit, unless it asks.
    ///
    /// Then the reply is on disk before its event, or with it: so a crash between any two steps leads to exactly one answer.
    mutating func delivered(_ id: EffectID, _ reply: LoopReply, _ actions: inout [CoordinatorAction]) {
        guard let slot = effects.slot(of: id), effects[slot].plan.asks, !residency.hasOutlived(id) else {
            return end(id)
        }
        batch.bytes += reply.bytes
        batch.records.append(.note(id, .answered(reply)))
        actions.append(.applyAnswer(id, effect: effects[slot].effect, reply))
    }

    /// The effect's event is on disk in another shard, whose loop told this, or was refused by the loop that would begin.
    mutating func answered(
        _ id: EffectID, _ reply: LoopReply?, at now: Moment, _ actions: inout [CoordinatorAction]
    ) {
        // Otherwise it was cancelled meanwhile.
        guard let slot = addressed(id) else { return }
        if reply == nil, effects[slot].plan.asks { return fail(id, .outcomeUnknown, at: now, &actions) }
        end(id, slot)
        delivered(id, reply ?? LoopReply(nil), &actions)
    }

    /// The effect's event was not taken in another shard.
    mutating func undeliverable(
        _ id: EffectID, _ reason: String, at now: Moment, _ actions: inout [CoordinatorAction]
    ) {
        // Otherwise it was cancelled meanwhile.
        guard isAddressed(id) else { return }
        fail(id, .failed(reason: reason), at: now, &actions)
    }

    /// The coordinator of another shard refused the effect's event, but another one may take it: it keeps its place.
    mutating func heldBack(_ id: EffectID, _ reason: String) {
        // Otherwise it was cancelled meanwhile.
        guard let slot = effects.slot(of: id), effects[slot].phase == .addressed else { return }
        effects[slot].extra.refusal = reason
    }

    /// Notes what is lost for another loop because its route makes nothing of its failure.
    ///
    /// What was left for an end and has not failed came too late for its loop, which is no failure.
    func noteUndelivered(_ id: EffectID, _ actions: inout [CoordinatorAction]) {
        guard let effect = effects[id], effect.plan.errand != .question, let loop = effect.plan.recipient else {
            return
        }
        if effect.plan.waitsForEnd, effect.phase == .addressed { return }
        actions.append(.note(.undelivered(id, to: loop)))
    }

    /// Returns the reason why an event for another loop is not delivered now.
    func obstacle(ofAddressed effect: EffectState) -> String {
        guard let loop = effect.plan.recipient else { return "" }
        if let refusal = effect.extra.refusal {
            return "the coordinator that runs its loop \(loop) refuses it, and it is sent again: \(refusal)"
        }
        guard residency.held.contains(loop) else { return "" }
        return "its loop \(loop) is held: `mobius quarantine show \(loop)` shows why"
    }

    /// What a pending effect is for another loop.
    package func errand(of id: EffectID) -> LoopErrand { effects.find(id).map { effects[$0].plan.errand } ?? .event }

    /// Whether an effect that was to be delivered still is: an event that was applied since may have cancelled it.
    package func isAddressed(_ id: EffectID) -> Bool { addressed(id) != nil }

    private func addressed(_ id: EffectID) -> EffectSlot? {
        guard let slot = effects.find(id), effects[slot].phase == .addressed else { return nil }
        return slot
    }

    /// Whether an addressed effect has its place, and is delivered without another input unless its loop is held.
    func isQueued(_ id: EffectID, in waiting: [EffectID: Bool], _ effect: EffectState) -> Bool {
        guard let loop = effect.plan.recipient, let isReady = waiting[id] else { return false }
        if residency.held.contains(loop) || residency.ended.isRemoving(loop) || deliveries.away.contains(loop) {
            return true
        }
        return isReady && deliveries.wakesAt != nil
    }

    /// The effects that wait for loops, and whether these may take theirs.
    var waitingDeliveries: [EffectID: Bool] {
        let all = deliveries.all.filter { effects.contains($0.effect) }.map { (effects.key(of: $0.effect), $0.isReady) }
        return Dictionary(all) { $0 || $1 }
    }
}
