package import MobiusEngine
import MobiusJournal
package import MobiusWire

// What clients see of held loops, of which the machine knows nothing but their names: the journal has the rest.
extension DurableHost {
    package func heldEffects(
        of loop: LoopID, pool: String?, after: EffectID?, limit: Int, _ request: RequestID
    ) {
        // Which pool an effect goes to only its program knows, which must not run for a held loop.
        guard pool == nil else { return give(.effects([], more: false), to: request) }
        fold(loop, request) { pending, now in
            let found = pending.filter { effect in after.map { $0 < effect.id } ?? true }.sorted { $0.id < $1.id }
            let page = found.prefix(limit).map { $0.summary(at: now) }
            return .effects(page, more: found.count > limit)
        }
    }

    package func heldEffect(_ id: EffectID, _ request: RequestID) {
        fold(id.loop, request) { pending, now in
            pending.first { $0.id == id }.map { .effect($0.summary(at: now), payload: $0.effect) } ?? .notFound
        }
    }

    /// Answers from the pending effects that the journal has of a loop, after all records that were appended so far.
    private func fold(
        _ loop: LoopID, _ request: RequestID,
        _ answer: @escaping @Sendable (_ pending: [PendingEffect], _ now: WallTime) -> ClientAnswer
    ) {
        setting.journal.perform { [preparer = setting.preparer, post = setting.post] store throws(JournalError) in
            let pending: [PendingEffect]
            do {
                pending = try preparer.fold(loop, store).pending
            } catch let error as JournalError {
                return post(.readFailed(request, error))
            } catch {
                let reason = "The effects of loop \(loop) cannot be read: \(error)."
                return post(.answer(request, .refused(ClientRefusal(.damaged, reason))))
            }
            post(.answer(request, answer(pending, preparer.calendar())))
        }
    }

    package func lastModel(ofHeld loop: LoopID, _ request: RequestID) {
        // The event that holds it follows the last one that was applied.
        guard let held = held[loop], held.sequence > 0, let past = setting.past else {
            return giveNoModel(of: loop, to: [request])
        }
        read(past, of: loop, after: held.sequence - 1, isHeld: true, request)
    }
}

extension PendingEffect {
    /// Its entry in the list of a held loop's effects.
    fileprivate func summary(at now: WallTime) -> EffectSummary {
        let age = now.milliseconds.subtractingReportingOverflow(asked.milliseconds)
        return EffectSummary(
            id: id, kind: effect.kind, size: UInt32(clamping: effect.bytes.count), pool: nil, phase: .held,
            age: UInt64(clamping: age.overflow ? 0 : age.partialValue), failures: failures, due: due,
            name: effect.caseName ?? "")
    }
}
