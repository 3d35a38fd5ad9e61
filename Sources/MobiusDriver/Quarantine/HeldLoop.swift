import Foundation
package import MobiusJournal
package import MobiusWire

/// A loop of the journal that cannot go on for now; the others do.
package struct HeldLoop: Sendable {
    /// Why a loop is held.
    package enum Cause: Sendable {
        /// An event ended the process again and again.
        case trap(Crash)
        /// An event asked for what cannot be, in this run; the reason is a sentence.
        case program(Crash, reason: String)
        /// The journal holds something that this build cannot read; the reason is a part of a sentence.
        case unreadable(Payload?, reason: String)
    }

    /// Which loop.
    package let loop: LoopID
    /// Why.
    package let cause: Cause
    /// The number of the event that holds it: the next one, or one that is in the journal.
    package let sequence: UInt64
    /// How many of its effects wait.
    package let pending: Int
    /// Since when, and of which build.
    package let since: WallTime
    package let build: String

    /// Why it cannot be released now: its workers may hold what this run sent them, which only the next start sorts out.
    var refusalToRelease: String? {
        guard case .program(_, let reason) = cause else { return nil }
        return """
            Loop \(loop) is held: \(reason) Start the coordinator again, with a mended build if there is one; then release \
            the loop, or release it with --drop.
            """
    }

    /// Whether a release may drop the event: one that is in the journal was applied, and what followed from it happened.
    var refusalToDrop: String? {
        switch cause {
        case .program: return refusalToRelease
        case .trap(let crash):
            if crash.breadcrumb.source == .start {
                return "The start of a loop cannot be dropped: mend `initiate`, and release the loop."
            }
            if let replayed = crash.breadcrumb.replayed {
                return """
                    Event \(replayed) of loop \(loop) was applied before, and its effects have happened, so it cannot be \
                    dropped: mend `update`, or run the build that applied it, and release the loop.
                    """
            }
            return nil
        case .unreadable(_, let reason):
            return """
                Loop \(loop) is held because \(reason): nothing of it can be dropped. Run a build that reads it, and the \
                loop goes on by itself.
                """
        }
    }

    /// The event that ended the process.
    package var crashed: CrashLedger.Event? {
        guard case .trap(let crash) = cause else { return nil }
        return CrashLedger.Event(loop: loop, source: crash.breadcrumb.source)
    }

    /// For people: where the event came from, or what cannot be read.
    package var source: String {
        switch cause {
        case .trap(let crash), .program(let crash, _): crash.breadcrumb.source.words
        case .unreadable(_, let reason): reason
        }
    }

    /// The event that holds it.
    package var event: Payload? {
        switch cause {
        case .trap(let crash), .program(let crash, _): crash.breadcrumb.event
        case .unreadable(let payload, _): payload
        }
    }

    /// How often it ended the process.
    package var crashes: Int {
        if case .trap(let crash) = cause { crash.count } else { 0 }
    }

    /// How it stands beside the others.
    var status: LoopStatus {
        // What holds it is the event after the last that was applied.
        LoopStatus(loop: loop, sequence: max(1, sequence) - 1, pending: UInt64(pending), isHeld: true)
    }

    /// As clients are told of it.
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
    /// For people.
    package var words: String {
        switch self {
        case .start: "the loop's start"
        case .report(let attempt, let number): "report \(number) of \(attempt)"
        case .failure(let effect, let round):
            round == 0 ? "the failure of \(effect)" : "the failure of \(effect) (retry \(round))"
        case .timer(let effect, let due): "the timer \(effect), due at \(due.words)"
        case .outside(let key): "from outside, key \(key)"
        }
    }
}

extension WallTime {
    /// For people, in UTC.
    fileprivate var words: String {
        Date(timeIntervalSince1970: Double(milliseconds) / 1000).ISO8601Format()
    }
}
