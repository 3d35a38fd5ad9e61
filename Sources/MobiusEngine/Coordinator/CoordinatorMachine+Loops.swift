package import MobiusJournal
package import MobiusWire

// Where loops are, for those who perform the machine's decisions; see ``Residency``.
extension CoordinatorMachine {
    /// Whether the loop runs, is held, or has ended.
    package func knows(loop: LoopID) -> Bool { residency.knows(loop) }

    /// Whether the loop is in memory or held, and has not ended.
    package func runs(_ loop: LoopID) -> Bool { residency.knows(loop) && residency.ended[loop] == nil }

    /// Whether the loop is held.
    package func isHeld(_ loop: LoopID) -> Bool { residency.held.contains(loop) }

    /// Whether the loop has ended, and has not begun again.
    package func hasEnded(_ loop: LoopID) -> Bool { residency.ended[loop] != nil }

    /// The end of a loop.
    package func end(of loop: LoopID) -> EndedLoop? {
        residency.ended[loop].map {
            var end = EndedLoop(
                loop: loop, sequence: $0.sequence, time: $0.time, mayBeginAgain: $0.mayBeginAgain,
                outstanding: $0.outstanding)
            end.isRemoving = $0.isRemoving
            return end
        }
    }

    /// Whether the effect's loop has ended since, also if it has begun again.
    package func hasOutlived(_ id: EffectID) -> Bool { residency.hasOutlived(id) }

    /// Whether the event was under way when its loop ended.
    package func dismisses(_ application: borrowing EventApplication) -> Bool {
        guard residency.mayDismiss else { return false }
        return residency.dismisses(eventFor: application.loop, askedBy: application.asked)
    }

    /// Whether a loop that is not in memory may be idle.
    package func mayBeIdle(_ loop: LoopID) -> Bool { residency.mayBeIdle(loop) }

    /// The loops that are not in memory.
    package var idleLoops: IdleTotals { residency.idle }

    /// The number of loops, and of held ones among them.
    package var loopCounts: (all: Int, held: Int) { residency.counts }

    /// The loops of which something is kept: running, idle, held and ended ones.
    package var keptLoops: Int { residency.kept }

    /// The loops by kind, where there are several programs.
    package var loopsByKind: [KindCount] { residency.countsByKind }

    /// The names of all loops, in no order.
    package var loopNames: [String] { residency.names }

    /// Returns the reason why an event for a loop that was never there cannot begin it; `nil` when it may.
    package func refusalToBegin(_ loop: LoopID) -> ClientRefusal? { residency.refusalToBegin(loop) }

    /// A loop did not begin, for ``refusalToBegin(_:)``; the next flush notes it.
    package mutating func noteRefused(_ loop: LoopID) { residency.noteRefused(loop) }

    /// The number of a loop's last event; `nil` when there is no such loop, or it is held.
    package func lastSequence(of loop: LoopID) -> UInt64? { residency.lastSequence(of: loop) }

    /// The number and time of a loop's last event; `nil` when there is no such loop in memory.
    package func lastEvent(of loop: LoopID) -> (sequence: UInt64, time: WallTime?)? {
        residency[loop].flatMap { state in state.lastSequence.map { ($0, state.lastEvent) } }
    }

    /// The number and time of the start of a loop that would begin now.
    package func start(of loop: LoopID, at now: Moment) -> EventPlace {
        EventPlace(number: residency.startNumber(of: loop), time: calendar.time(at: now))
    }

    /// The number and time of the next event of a loop in memory, if it is applied now; `nil` when it is not there.
    package func nextEvent(of loop: LoopID, at now: Moment) -> EventPlace? {
        residency[loop].map { EventPlace(number: $0.nextSequence, time: calendar.time(at: now)) }
    }

    /// A page of loops, and behind which loop to continue; `nil` at the end.
    ///
    /// - Parameters:
    ///   - stored: The journal's loops in the same range, and whether they are all; loops in memory are newer.
    ///   - held: The host's knowledge of a held loop.
    package func page(
        prefix: String, state: LoopSummary.State?, after: LoopID?, limit: Int,
        stored: (loops: [StoredLoop], isAll: Bool) = ([], true), held: (LoopID) -> LoopStatus?
    ) -> (loops: [LoopSummary], next: LoopID?) {
        residency.page(prefix: prefix, state: state, after: after, limit: limit, stored: stored, held: held)
    }

    /// Describes those of these loops that there are.
    ///
    /// - Parameters:
    ///   - stored: The journal's knowledge of them; loops in memory are newer.
    ///   - held: The host's knowledge of a held loop.
    package func summaries(
        of loops: [LoopID], stored: [StoredLoop], held: (LoopID) -> LoopStatus?
    ) -> [LoopID: LoopSummary] {
        residency.summaries(of: loops, stored: stored, held: held)
    }

    // MARK: Idle loops

    /// These loops are stored as idle: those that were not used meanwhile leave.
    mutating func parked(_ parked: [LoopID], at now: Moment, _ actions: inout [CoordinatorAction]) {
        for loop in residency.leave(parked, at: now) { actions.append(.unload(loop)) }
    }

    /// An idle loop was read: it was recovered or held before this input, or it does not exist if it has no `sequence`.
    mutating func returned(_ loop: LoopID, _ sequence: UInt64?, _ actions: inout [CoordinatorAction]) {
        if let sequence { residency.returned(loop, sequence: sequence) }
        actions.append(.takeWaiting(loop))
    }
}
