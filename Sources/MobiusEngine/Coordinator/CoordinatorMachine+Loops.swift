package import MobiusWire

// Lists of loops for clients.
extension CoordinatorMachine {
    /// The most names that one page examines, so that a rare state in a million loops does not hold up the rest.
    static var examinedLoops: Int { 10_000 }

    /// The number of a loop's last event; `nil` when there is no such loop, or it is held.
    package func lastSequence(of loop: LoopID) -> UInt64? {
        guard let next = loops[loop]?.nextSequence, next > 0 else { return ended[loop]?.sequence }
        return next - 1
    }

    /// A page of loops, and behind which loop to continue; `nil` at the end.
    ///
    /// - Parameter held: What the host knows of a held loop.
    package func page(
        prefix: String, state: LoopSummary.State?, after: LoopID?, limit: Int, held: (LoopID) -> LoopStatus?
    ) -> (loops: [LoopSummary], next: LoopID?) {
        var (found, examined): ([LoopSummary], Int) = ([], 0)
        var (last, isDone): (LoopID?, Bool) = (nil, true)
        directory.visit(prefix: prefix, after: after) { loop in
            guard examined < Self.examinedLoops, found.count < max(1, limit) else {
                isDone = false
                return false
            }
            examined += 1
            last = loop
            guard let summary = summary(of: loop, held), state == nil || summary.state == state else { return true }
            found.append(summary)
            return true
        }
        return (found, isDone ? nil : last)
    }

    private func summary(of loop: LoopID, _ heldStatus: (LoopID) -> LoopStatus?) -> LoopSummary? {
        if held.contains(loop) {
            let status = heldStatus(loop)
            return LoopSummary(
                loop: loop, sequence: status?.sequence ?? 0, pending: status?.pending ?? 0, state: .held)
        }
        if let end = ended[loop] {
            return LoopSummary(
                loop: loop, sequence: end.sequence, pending: UInt64(end.outstanding), state: .ended, time: end.time)
        }
        guard let state = loops[loop], state.nextSequence > 0 else { return nil }
        return LoopSummary(
            loop: loop, sequence: state.nextSequence - 1, pending: UInt64(clamping: state.pending),
            state: state.pending > 0 ? .running : .idle, time: state.lastEvent)
    }
}
