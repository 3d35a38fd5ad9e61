public import MobiusJournal
public import MobiusWire

extension CoordinatorMachine {
    /// The contents of a loop's snapshot besides its model, as of all records passed to `append` so far.
    ///
    /// Call it right after performing an `append`: then it corresponds exactly to those records.
    public func snapshotState(of loop: LoopID) -> (sequence: UInt64, pending: [PendingEffect])? {
        if let end = residency.ended[loop] { return (end.sequence, !end.isSending ? [] : pendingEffects(of: loop)) }
        guard let last = residency[loop]?.lastSequence else { return nil }
        return (last, pendingEffects(of: loop))
    }

    private func pendingEffects(of loop: LoopID) -> [PendingEffect] {
        var pending: [PendingEffect] = []
        for (id, slot) in pendingEffects(of: loop, residency.span(of: loop)) {
            let effect = effects[slot]
            if case .ending = effect.phase { continue }
            let reported = effect.reported.map { mark in
                ReportID(attempt: AttemptID(effect: id, attempt: mark.attempt), number: mark.number)
            }
            let extra = effect.extra
            pending.append(
                PendingEffect(
                    id: id, effect: effect.effect, reported: reported, asked: effect.asked, due: extra.due,
                    fired: extra.fired, failures: UInt32(clamping: extra.failures), started: extra.started,
                    round: extra.round, answered: extra.answered))
        }
        return pending
    }
}
