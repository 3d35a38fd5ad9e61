import DequeModule
import MobiusJournal
package import MobiusWire

// Loops that leave memory when nobody has used them for a while, and return when somebody does.
//
// A loop leaves in two steps: the host stores that it is idle, and when that is on disk and the loop was not used meanwhile,
// the machine forgets it. So a crash finds the loop either as before or idle, and an event is never applied to half a loop.
extension CoordinatorMachine {
    /// The most loops that leave at a time: their transaction delays other commits.
    static var leavingLoops: Int { 256 }
    /// The most loops that one tick examines.
    private static var examinedIdleLoops: Int { 4096 }

    /// The time at which the next loop may be idle; `nil` for never, or while none may leave.
    var nextIdle: Moment? {
        mayEvict ? idleQueue.first?.moment : nil
    }

    /// Whether loops may leave now: one group at a time, and all their records were handed to the journal.
    private var mayEvict: Bool {
        leaving == 0 && stopping == .no && batch.isEmpty && eventlessCompletions.isEmpty
    }

    /// A loop came into memory: from now on it is examined from time to time.
    ///
    /// `main` never leaves.
    mutating func watchIdleness(of loop: LoopSlot, at now: Moment) {
        loops[loop].lastUse = now
        guard loops.key(of: loop) != .main else { return }
        examine(loop, at: now)
    }

    /// Has the loop examined when it may be idle, unless it will be anyway: one that has begun again since it was to leave.
    private mutating func examine(_ loop: LoopSlot, at now: Moment) {
        guard let idleAfter = configuration.idleAfter, !loops[loop].isWatched else { return }
        loops[loop].isWatched = true
        let due = now + idleAfter
        // Those behind others may be due before; they are examined a little later then.
        idleQueue.append(IdleCheck(loop: loop, moment: max(due, idleQueue.last?.moment ?? due)))
    }

    /// Somebody uses the loop, which stays in memory for a while.
    mutating func use(_ loop: LoopID, at now: Moment) {
        guard let slot = loops.slot(of: loop) else { return }
        loops[slot].lastUse = now
        loops[slot].isLeaving = false
    }

    /// Lets loops leave that have no pending effects and were not used for a while.
    mutating func evict(at now: Moment, _ actions: inout [CoordinatorAction]) {
        guard let idleAfter = configuration.idleAfter, mayEvict else { return }
        var idle: [LoopID] = []
        var examined = 0
        while examined < Self.examinedIdleLoops, idle.count < Self.leavingLoops, let check = idleQueue.first,
            check.moment <= now
        {
            idleQueue.removeFirst()
            examined += 1
            guard loops.contains(check.loop) else { continue }
            let isBusy = loops[check.loop].pending > 0
            let due = (isBusy ? now : loops[check.loop].lastUse) + idleAfter
            if due <= now, !isBusy {
                (loops[check.loop].isLeaving, loops[check.loop].isWatched) = (true, false)
                idle.append(loops.key(of: check.loop))
            } else {
                idleQueue.append(IdleCheck(loop: check.loop, moment: max(due, idleQueue.last?.moment ?? due)))
            }
        }
        guard !idle.isEmpty else { return }
        leaving = idle.count
        actions.append(.evict(idle))
    }

    /// These loops are stored as idle: those that were not used meanwhile leave.
    mutating func parked(_ parked: [LoopID], at now: Moment, _ actions: inout [CoordinatorAction]) {
        leaving -= min(leaving, parked.count)
        for loop in parked {
            guard let slot = loops.slot(of: loop) else { continue }
            let state = loops[slot]
            guard state.isLeaving, state.pending == 0, state.nextSequence > 0 else {
                stay(slot, at: now)
                continue
            }
            loops[loop] = nil
            directory.remove(loop)
            idleLoops.add(sequence: state.nextSequence - 1)
            actions.append(.unload(loop))
        }
    }

    /// These loops cannot leave now.
    mutating func stay(_ staying: [LoopID], at now: Moment) {
        leaving -= min(leaving, staying.count)
        for loop in staying {
            if let slot = loops.slot(of: loop) { stay(slot, at: now) }
        }
    }

    private mutating func stay(_ loop: LoopSlot, at now: Moment) {
        loops[loop].isLeaving = false
        examine(loop, at: now)
    }

    /// An idle loop was read: it was recovered or held before this input, or it does not exist if it has no `sequence`.
    mutating func returned(_ loop: LoopID, _ sequence: UInt64?, _ actions: inout [CoordinatorAction]) {
        if let sequence { idleLoops.remove(sequence: sequence) }
        actions.append(.takeWaiting(loop))
    }

    /// Whether a loop that is not in memory may be idle.
    package func mayBeIdle(_ loop: LoopID) -> Bool { idleLoops.loops > 0 && !knows(loop: loop) }
}

/// The time at which a loop is examined next.
struct IdleCheck: Equatable, Sendable {
    let loop: LoopSlot
    let moment: Moment
}
