/// Decides when a worker or client that reaches no coordinator warns: after five seconds, and then ever more rarely.
///
/// It is pure: time and events are its input.
package struct ReachWatch: Sendable {
    /// A warning that is due.
    package struct Warning: Equatable, Sendable {
        /// The time for which no coordinator was reached.
        package let lasting: Duration
        /// The problem that the connection reported last, in a clause; `nil` if it reported none.
        package let problem: String?
    }

    /// The time before the first warning.
    package static let first = Duration.seconds(5)
    /// The longest time between two warnings; it doubles up to that.
    package static let longest = Duration.seconds(640)

    /// The time since which no coordinator is reached; `nil` while one is.
    private var since: ContinuousClock.Instant?
    private var warns: ContinuousClock.Instant?
    private var pause = Self.first
    private var problem: String?

    /// A watch that has nothing to report yet.
    package init() {}

    /// The time at which ``warning(at:)`` returns the next warning; `nil` while a coordinator is reached.
    package var nextWarning: ContinuousClock.Instant? { warns }

    /// Notes whether a coordinator is reached, or need not be.
    package mutating func note(isReached: Bool, at now: @autoclosure () -> ContinuousClock.Instant) {
        guard isReached == (since != nil) else { return }
        guard !isReached else {
            self = ReachWatch()
            return
        }
        let now = now()
        (since, warns, pause) = (now, now + Self.first, Self.first)
    }

    /// Notes an event of the connection.
    package mutating func note(_ event: MonitorEvent) {
        switch event.kind {
        case .handshakeFailed(.protocolError): problem = "what listens there does not speak ZeroMQ as this program does"
        case .handshakeFailed(.authentication): problem = "the key is not admitted"
        case .handshakeFailed(.noDetail): problem = "the connection was closed during the handshake"
        case .disconnected: problem = "the connection was lost"
        case .handshakeSucceeded: problem = "the connection stands, but no coordinator answers"
        default: break
        }
    }

    /// The warning that is due, if one is.
    package mutating func warning(at now: ContinuousClock.Instant) -> Warning? {
        guard let since, let warns, warns <= now else { return nil }
        pause = min(pause * 2, Self.longest)
        self.warns = now + pause
        return Warning(lasting: now - since, problem: problem)
    }
}
