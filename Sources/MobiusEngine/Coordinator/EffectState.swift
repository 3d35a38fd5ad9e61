import MobiusJournal
package import MobiusWire

package typealias EffectSlot = SlotTable<EffectID, EffectState>.Slot

/// A coordinator machine's state of one pending effect.
package struct EffectState: SlotValue {
    package enum Phase: Equatable, Sendable {
        /// Asked for, not on disk.
        case committing
        /// Recovered: a worker may still hold it, so it waits for the end of the grace time.
        case adoptable
        /// Waits in its pool's queue.
        case queued
        /// The worker is chosen; the start of this attempt is not on disk yet.
        case starting(Attempt, Incarnation)
        /// An attempt failed and may be retried; its events are not on disk yet.
        case failing(Attempt)
        /// Waits for its next attempt after a failure.
        case delayed
        /// A worker has it.
        case running(Attempt, Incarnation)
        /// A local handler has it.
        case local(Attempt)
        /// A timer that is not due yet.
        case waiting
        /// Waits for the end of its own loop.
        case dormant
        /// An event for another loop, which is to take it.
        case addressed
        /// Its end was accepted and is not on disk: by the last report of this attempt, or, for `nil`, without a
        /// report.
        case ending(Attempt?)
    }

    /// The newest report of one attempt.
    ///
    /// It omits the effect's id, which would make it four times as large.
    struct Mark: Equatable, Sendable {
        let attempt: Attempt
        let number: UInt32
    }

    private(set) var effect: Payload
    package private(set) var plan: EffectPlan
    package var phase: Phase
    /// The time at which it was asked for, or retried as a dead letter.
    private(set) var asked: WallTime
    /// Attempts made in this epoch.
    var attempts: UInt32 = 0
    /// Its order among all queued effects: it gets a new one each time that it waits, except when it is put back.
    package var order: UInt64 = 0
    /// The newest event applied that did not end the effect.
    var reported: Mark?
    /// The newest event on disk that did not end the effect.
    var committed: Mark?
    /// The deadline of the running attempt, the end of the pause before the next one, or the timer's time.
    var ends: Moment?
    /// Its place in the list of the worker that has it.
    var place = 0
    /// State that only some effects have; see ``extra``.
    var box: EffectExtra.Box?

    package static let nothing = EffectState(
        PlannedEffect(
            effect: Payload(kind: PayloadKind(type: ""), bytes: []), plan: EffectPlan(destination: .local)),
        phase: .ending(nil), asked: WallTime(milliseconds: 0))

    package init(_ planned: consuming PlannedEffect, phase: Phase, asked: WallTime) {
        effect = planned.effect
        plan = planned.plan
        self.phase = phase
        self.asked = asked
    }

    /// Becomes another effect in the place of an ended one, which avoids moving the whole state.
    mutating func begin(_ planned: consuming PlannedEffect, asked time: WallTime) {
        effect = planned.effect
        plan = planned.plan
        phase = .committing
        asked = time
        attempts = 0
        order = 0
        reported = nil
        committed = nil
        ends = nil
        place = 0
        box = nil
    }

    /// Releases its payload and extra state, which may be large; the rest will be reused.
    package mutating func reset() {
        effect.bytes = []
        box = nil
    }

    /// The attempt whose last report was its end, if one's was.
    mutating func endingAttempt() -> Attempt? {
        if case .ending(let attempt) = phase { attempt } else { nil }
    }

    /// The way of an effect after its commit.
    enum Way {
        case none
        case local
        /// The size of its payload, and the deadline for the start of its first attempt.
        case pool(bytes: Int, startsBy: Moment?)
        case timer
        case cancel
        /// It was for the sender of its event, by a route that it did not have then.
        case end
        case loop(LoopID)
        case atEnd(LoopID)
        /// The loop that it asked has told it this.
        case answered(LoopReply)
        case endLoop(mayBeginAgain: Bool)
    }

    // Mutating, like other accessors of a state in place, because otherwise the whole state would be copied.
    mutating func way() -> Way {
        if case .ending = phase { return .none }
        switch plan.destination {
        case .local: return .local
        case .timer: return .timer
        case .cancel: return .cancel
        case .sender: return .end
        // One that asked by the route of an earlier build, and was told.
        case .loop(let loop): return isDelivered ? .end : .loop(loop)
        case .ask(let loop):
            if box != nil, let reply = extra.answered { return .answered(reply) }
            return .loop(loop)
        case .atEnd(let loop, _): return isDelivered ? .end : .atEnd(loop)
        case .endLoop(let mayBeginAgain): return .endLoop(mayBeginAgain: mayBeginAgain)
        case .pool:
            let isFirst = box != nil && attempts == 0 && reported == nil && extra.failures == 0 && extra.started == nil
            return .pool(bytes: effect.bytes.count, startsBy: isFirst ? extra.startsBy : nil)
        }
    }

    var pool: String? {
        guard case .pool(let pool) = plan.destination else { return nil }
        return pool
    }

    /// Whether a worker has it, is about to, or may still have it since before the coordinator's start.
    @inline(__always)
    var isAtWorker: Bool {
        switch phase {
        case .running, .starting, .adoptable: true
        case .committing, .queued, .failing, .delayed, .local, .waiting, .dormant, .addressed, .ending: false
        }
    }

    /// Whether the loop that it asked has its event.
    var isDelivered: Bool { mutating get { box != nil && extra.answered != nil } }

    /// Whether it waits in its pool's queue.
    @inline(__always)
    var isQueued: Bool { if case .queued = phase { true } else { false } }

    /// Begins its next attempt and returns it.
    mutating func begin(epoch: UInt64) -> Attempt {
        attempts += 1
        return Attempt(epoch: epoch, number: (box == nil ? 0 : extra.round &* Attempt.numbersPerRound) &+ attempts)
    }

    mutating func order(_ id: consuming AttemptID, at now: Moment) -> EffectOrder {
        let traceparent = box == nil ? "" : extra.traceparent
        let timeout = ends?.milliseconds(after: now) ?? 0
        return EffectOrder(id: id, timeout: timeout, traceparent: traceparent, effect: effect)
    }

    /// Whether a worker that still holds this attempt of an epoch before `epoch` may continue it.
    func isAdoptable(_ attempt: Attempt, in epoch: UInt64) -> Bool {
        // After a later attempt has reported, an older attempt must not be adopted.
        guard attempt.epoch < epoch, attempts == 0, attempt >= reported?.attempt ?? attempt else { return false }
        // Attempts of an earlier round are obsolete: the effect's failure was applied after them.
        guard attempt.round == (box == nil ? 0 : extra.round) else { return false }
        switch phase {
        case .adoptable, .queued: return true
        case .committing, .starting, .failing, .delayed, .running, .local, .waiting, .dormant, .addressed, .ending:
            return false
        }
    }
}

// MARK: - Reports

extension EffectState {
    /// The verdict on a worker's report.
    enum Verdict: Equatable, Sendable {
        /// The next of the running attempt: apply it.
        case accepted
        /// Applied and on disk: acknowledge it again.
        case repeated
        /// Ahead of a missing report, or applied and not on disk: its answer comes later.
        case waits
        /// Its attempt does not run on that worker.
        case unwanted
    }

    /// Checks a report, and accepts it if it is the next one.
    mutating func accept(_ number: UInt32, of attempt: Attempt, final: Bool, from incarnation: Incarnation) -> Verdict {
        switch phase {
        case .running(attempt, incarnation): break
        case .failing(attempt), .ending(attempt): return .waits
        default: return .unwanted
        }
        guard number == reported.number(of: attempt).saturatingAdding(1) else {
            return number <= committed.number(of: attempt) ? .repeated : .waits
        }
        if final {
            phase = .ending(attempt)
        } else {
            reported = Mark(attempt: attempt, number: number)
        }
        return .accepted
    }

    /// The number of the newest accepted report of the attempt that runs or is ending.
    func lastTaken(of attempt: Attempt) -> UInt32 {
        reported.number(of: attempt).saturatingAdding(phase == .ending(attempt) ? 1 : 0)
    }
}

extension EffectState.Mark? {
    /// The number of the newest report of `attempt`; 0 before the first.
    func number(of attempt: Attempt) -> UInt32 {
        guard let self, self.attempt == attempt else { return 0 }
        return self.number
    }
}
