import MobiusCore
package import MobiusEngine
package import MobiusJournal
import MobiusProgram
package import MobiusWire

// Loops that have ended.
extension LoopRecovery {
    /// Recovers a held loop that an operator releases; it may have ended, and be held because it cannot begin again.
    package func release(
        _ id: LoopID, from store: any JournalReading, trail: EventTrail?, crashes: CrashLedger, checksModel: Bool
    ) throws -> Outcome {
        if let end = try store.end(of: id) { return .ended(end, try pending(of: end, from: store, trail)) }
        return try prepare(id, from: store, trail: trail, crashes: crashes, checksModel: checksModel)
    }

    /// The events for other loops that an ended loop had asked for and that are not delivered.
    ///
    /// One that this build cannot plan is returned as an effect for this process, so that it ends.
    package func pending(
        of end: EndedLoop, from store: any JournalReading, _ trail: EventTrail?
    ) throws -> [PlannedPending] {
        // One that is being removed had none left.
        guard end.outstanding > 0, !end.isRemoving else { return [] }
        let routing = routing(end.loop, trail)
        return try fold(end.loop, store).pending.map { effect in
            let plan = try? routing?.plan(effect.effect, of: effect.id, at: .plan, trail)
            return PlannedPending(effect, plan ?? EffectPlan(destination: .local))
        }
    }

    /// A loop for its routes only; `nil` when no program runs it.
    func routing(_ id: LoopID, _ trail: EventTrail?) -> GuardedLoop<Program>? {
        guard calls.complaint(about: id) == nil else { return nil }
        return calls.loop(id, calls.initiate(id, in: LoopContext(loop: id.name), trail).model)
    }

    /// The last model of an ended loop, as the program codes it.
    ///
    /// Usually it is a snapshot; otherwise it takes as long as a replay of the events since the last one.
    func lastModel(
        of end: EndedLoop, from store: any JournalReading, trail: EventTrail?, crashes: CrashLedger
    ) throws -> Payload {
        guard try store.end(of: end.loop)?.isRemoving != true else {
            throw CoordinatorError(.noEvent, "The loop \(end.loop) is being removed from the journal.")
        }
        if let snapshot = try store.newestSnapshot(of: end.loop), snapshot.sequence == end.sequence {
            return snapshot.model
        }
        let replay = LoopReplay(self, store, of: end.loop, to: end.sequence, trail: trail, crashes: crashes)
        guard let model = try replay.lastModel() else {
            throw CoordinatorError(.noEvent, "The journal does not keep the last model of \(end.loop).")
        }
        return model
    }
}
