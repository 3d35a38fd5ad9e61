package import MobiusJournal
import MobiusRuntime
package import MobiusWire

/// A loop that cannot continue until an operator releases it; the other loops are not affected.
package struct HeldLoop: Sendable {
    /// The reason why a loop is held.
    package enum Cause: Sendable {
        /// An event, or another call of the program for the loop, trapped the process repeatedly.
        case trap(Crash)
        /// An event caused a program error in this run; the reason is a sentence.
        case program(Crash, reason: String)
        /// The journal contains data that this build cannot read; the reason is a clause without a full stop.
        case unreadable(Payload?, reason: String)
        /// Replaying its events yields different models; the reason is a clause without a full stop.
        case impure(reason: String)
    }

    /// The loop's name.
    package let loop: LoopID
    /// The reason why the loop is held.
    package let cause: Cause
    /// The sequence of the event that holds it: the next one, or one that is already in the journal.
    package let sequence: UInt64
    /// The number of pending effects.
    package let pending: Int
    /// The time at which it was held.
    package let since: WallTime
    /// The build that was running then.
    package let build: String

    /// The reason why it cannot be released in this run; `nil` if it can.
    ///
    /// After a program error, workers may still hold effects of this run, which only the next start reconciles.
    var refusalToRelease: String? {
        guard case .program(_, let reason) = cause else { return nil }
        return """
            Loop \(loop) is held: \(reason) Restart the coordinator, with a corrected build if there is one; then \
            release the loop, or release it with --drop.
            """
    }

    /// The reason why a release cannot drop the event; `nil` if it can.
    ///
    /// An event that is in the journal was applied, and its effects may have run.
    package var refusalToDrop: String? {
        switch cause {
        case .program: return refusalToRelease
        case .trap(let crash):
            if crash.breadcrumb.source == .start {
                return "The start of a loop cannot be dropped: fix `initiate`, and release the loop."
            }
            // What cancels nothing can be dropped; a model, and an effect that may have run, cannot.
            if let place = crash.breadcrumb.source.place, place != .cancels {
                return """
                    Loop \(loop) is held because \(crash.breadcrumb.source.words) trapped the process: nothing of it can be \
                    dropped. Run a build that can do it, and release the loop.
                    """
            }
            if let replayed = crash.breadcrumb.replayed {
                return """
                    Event \(replayed) of loop \(loop) was applied before, and its effects have run, so it cannot be \
                    dropped: fix `update`, or run the build that applied it, and release the loop.
                    """
            }
            return nil
        case .unreadable(_, let reason):
            return """
                Loop \(loop) is held because \(reason): nothing of it can be dropped. Run a build that can read it, \
                and the loop continues without a release.
                """
        case .impure:
            return """
                Loop \(loop) is held because update is not pure, and not because of one event: nothing of it can be \
                dropped. Run a corrected build, and the loop continues without a release; or release it, and it \
                continues from its snapshot.
                """
        }
    }

    /// The event that trapped the process; `nil` for other causes.
    package var crashed: CrashLedger.Event? {
        guard case .trap(let crash) = cause else { return nil }
        return CrashLedger.Event(loop: loop, source: crash.breadcrumb.source)
    }

    /// A description for operators: the source of the event, or what cannot be read.
    package var source: String {
        switch cause {
        case .trap(let crash), .program(let crash, _): crash.breadcrumb.source.words
        case .unreadable(_, let reason), .impure(let reason): reason
        }
    }

    /// The payload of the event that holds it, if it is known.
    package var event: Payload? {
        switch cause {
        case .trap(let crash), .program(let crash, _): crash.breadcrumb.event
        case .unreadable(let payload, _): payload
        case .impure: nil
        }
    }

    /// The number of times that the event trapped the process; 0 for other causes.
    package var crashes: Int {
        if case .trap(let crash) = cause { crash.count } else { 0 }
    }

    /// Its entry in the status of all loops.
    var status: LoopStatus {
        // The event that holds it follows the last one that was applied.
        LoopStatus(loop: loop, sequence: max(1, sequence) - 1, pending: UInt64(pending), isHeld: true)
    }

    /// Its entry in the quarantine list for clients, with `source` limited to 255 bytes.
    var summary: QuarantineSummary {
        let event = event
        var source = source
        while source.utf8.count > 255 { source.removeLast() }
        return QuarantineSummary(
            loop: loop, sequence: sequence, source: source,
            kind: event?.kind ?? PayloadKind(type: ""), size: UInt32(clamping: event?.bytes.count ?? 0),
            crashes: UInt32(clamping: crashes), build: build, since: since, pending: UInt64(pending))
    }
}

extension SourceKey {
    /// A description for operators.
    package var words: String {
        if let placeWords { return placeWords }
        return switch self {
        case .start: "the loop's start"
        case .report(let attempt, let number): "report \(number) of \(attempt)"
        case .failure(let effect, let round):
            round == 0 ? "the failure of \(effect)" : "the failure of \(effect) (retry \(round))"
        case .timer(let effect, let due): "the timer \(effect), due at \(due.iso8601)"
        case .outside(let key): "from outside, key \(key)"
        case .loop(let effect): "the event \(effect) of loop \(effect.loop)"
        case .answer(let effect): "the answer to \(effect)"
        }
    }
}
