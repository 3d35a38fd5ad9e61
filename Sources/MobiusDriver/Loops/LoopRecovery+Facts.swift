import Logging
import MobiusCodec
import MobiusEngine
package import MobiusJournal
package import MobiusWire

extension LoopRecovery {
    /// Computes the facts of a loop from its records; a held loop has those of its last good model.
    ///
    /// A loop whose records this build cannot read, or on which it trapped, has none.
    ///
    /// - Returns: `nil` for a loop whose program declares no facts, that is being removed, or whose rows are damaged.
    /// - Throws: ``JournalError`` when the journal cannot be read.
    package func facts(
        of id: LoopID, in store: any JournalReading, _ trail: EventTrail?, _ crashes: CrashLedger
    ) throws(JournalError) -> RebuiltFacts? {
        guard let prefix = calls.factPrefix(of: id) else { return nil }
        do {
            guard try store.end(of: id)?.isRemoving != true, let sequence = try fold(id, store).lastSequence else {
                return nil
            }
            let place = CrashLedger.Event(loop: id, source: .place(.facts, of: id))
            guard crashes.isEmpty || !crashes.skips(place, by: build),
                let loop = try lastState(of: id, in: store, trail, crashes)
            else { return RebuiltFacts(loop: id, sequence: sequence, facts: []) }
            let facts = calls.facts(of: loop.model, of: id, prefix: prefix, trail)
            return RebuiltFacts(loop: id, sequence: sequence, facts: facts)
        } catch let error as JournalError where error.code != .damaged {
            throw error
        } catch {
            logger.error("the facts of a loop cannot be computed", metadata: ["loop": "\(id)", "error": "\(error)"])
            return nil
        }
    }

    /// The loop after its last event; `nil` when this build cannot compute it.
    private func lastState(
        of id: LoopID, in store: any JournalReading, _ trail: EventTrail?, _ crashes: CrashLedger
    ) throws -> GuardedLoop<Program>? {
        func traps(at sequence: UInt64) -> Bool {
            !crashes.isEmpty && crashes.hasTrapped(replaying: id, in: sequence...sequence, by: build)
        }
        let newest = try store.newestSnapshot(of: id)
        // An event that traps when it comes is not in the journal: only a replay of what is there cannot be done.
        guard crashes.holding(id, after: newest?.sequence)?.breadcrumb.replayed == nil,
            !(newest.map { traps(at: $0.sequence) } ?? false)
        else { return nil }
        do {
            var loop = try newest.map { calls.loop(id, try calls.model(of: $0, trail)) }
            try store.readTail(of: id) { record in
                guard case .event(let event) = record else { return }
                guard !traps(at: event.sequence) else { throw TrappedBefore() }
                try apply(event, to: &loop, trail)
            }
            return loop
        } catch let error as JournalError {
            throw error
        } catch {
            return nil
        }
    }
}

/// This build trapped on an event of the loop.
private struct TrappedBefore: Error {}
