import MobiusDriver
import MobiusEngine

/// Which of the machine's notes become lines at once: a few of each kind, so that workers that come and go cannot fill a disk.
///
/// The first ones of each kind do, in every interval of ``LogThrottle``. The others are counted, and the next line says how many
/// they were, or, when none follows, ``rest(at:)`` once the interval is over.
package struct NoteThrottles: Sendable {
    /// What has lines of its own.
    package enum Kind: Int, CaseIterable, Sendable {
        /// Workers that join.
        case joining
        /// Workers that drain or leave.
        case leaving
        /// Workers that are lost or seem to be, and what that leads to.
        case loss
        /// Peers that are refused.
        case refusal
        /// Events that cannot be read.
        case unreadable
    }

    private var throttles = Array(repeating: LogThrottle(), count: Kind.allCases.count)

    /// Throttles that have let nothing through yet.
    package init() {}

    /// Whether a note becomes a line: how many of its kind did not since the last one, or `nil` if it does not either.
    package mutating func admit(_ note: CoordinatorNote, at now: ContinuousClock.Instant) -> Int? {
        throttles[Kind(note).rawValue].admit(at: now)
    }

    /// How many of each kind became no line and are not told yet, where an interval is over; each is told once.
    package mutating func rest(at now: ContinuousClock.Instant) -> [(kind: Kind, unlogged: Int)] {
        Kind.allCases.compactMap { kind in throttles[kind.rawValue].rest(at: now).map { (kind, $0) } }
    }

    /// When ``rest(at:)`` has something to say.
    package var nextRest: ContinuousClock.Instant? {
        var next: ContinuousClock.Instant?
        for throttle in throttles {
            if let rest = throttle.nextRest { next = min(next ?? rest, rest) }
        }
        return next
    }
}

extension NoteThrottles.Kind {
    fileprivate init(_ note: CoordinatorNote) {
        self =
            switch note {
            case .joined: .joining
            case .left, .draining: .leaving
            case .lost, .suspected, .timedOut, .redelivered, .unserved: .loss
            case .refused: .refusal
            case .unreadable: .unreadable
            }
    }
}
