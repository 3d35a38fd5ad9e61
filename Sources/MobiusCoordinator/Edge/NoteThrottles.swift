import MobiusDriver
import MobiusEngine

/// Throttles the log lines for the machine's notes, by kind, so that workers that join and leave cannot fill a disk.
///
/// In each interval of ``LogThrottle`` the first notes of a kind are logged. The others are counted. The next line
/// reports their number, or, without a next line, ``rest(at:)`` after the interval.
package struct NoteThrottles: Sendable {
    /// The kinds of notes that are throttled separately.
    package enum Kind: Int, CaseIterable, Sendable {
        /// Workers that join.
        case joining
        /// Workers that drain or leave.
        case leaving
        /// Workers that are lost or suspected, and the consequences for effects.
        case loss
        /// Peers that are refused.
        case refusal
        /// Events that cannot be read.
        case unreadable
        /// Events for other loops that these could not take.
        case undelivered
        /// Loops that could not begin.
        case loopLimit
    }

    private var throttles = Array(repeating: LogThrottle(), count: Kind.allCases.count)

    /// Makes throttles that have not admitted a note.
    package init() {}

    /// Returns the number of suppressed notes of the same kind if the note may be logged now, or `nil` to suppress it.
    package mutating func admit(_ note: CoordinatorNote, at now: Moment) -> Int? {
        throttles[Kind(note).rawValue].admit(at: now)
    }

    /// Returns the number of suppressed notes, once, for each kind whose interval is over.
    package mutating func rest(at now: Moment) -> [(kind: Kind, unlogged: Int)] {
        Kind.allCases.compactMap { kind in throttles[kind.rawValue].rest(at: now).map { (kind, $0) } }
    }

    /// The time at which ``rest(at:)`` returns a count; `nil` when no note was suppressed.
    package var nextSuppressed: Moment? {
        var next: Moment?
        for throttle in throttles {
            if let rest = throttle.nextSuppressed { next = min(next ?? rest, rest) }
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
            case .refused, .outranked: .refusal
            case .unreadable: .unreadable
            case .undelivered: .undelivered
            case .loopRefused: .loopLimit
            }
    }
}
