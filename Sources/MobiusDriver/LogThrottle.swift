package import MobiusEngine

/// Limits log lines to ``lines`` per ``interval``, so that unknown peers cannot fill a log.
package struct LogThrottle: Sendable {
    /// The most lines in one interval.
    package static let lines = 10
    /// The length of an interval, which begins with its first line.
    package static let interval = Duration.seconds(10)

    private var begun: Moment?
    private var count = 0
    private var suppressed = 0

    /// Makes a throttle that has not admitted a line.
    package init() {}

    /// The time at which ``rest(at:)`` returns a count, if no line is written before; `nil` when no line was
    /// suppressed.
    package var nextSuppressed: Moment? {
        suppressed == 0 ? nil : begun.map { $0 + Self.interval }
    }

    /// Returns the number of suppressed lines after the end of their interval, once; `nil` if there are none.
    package mutating func rest(at now: Moment) -> Int? {
        guard let nextSuppressed, nextSuppressed <= now else { return nil }
        defer { suppressed = 0 }
        return suppressed
    }

    /// Returns the number of lines suppressed since the last one if a line may be written now, or `nil` to suppress it.
    package mutating func admit(at now: Moment, lines: Int = LogThrottle.lines) -> Int? {
        if let begun, now - begun < Self.interval {
            guard count < lines else {
                suppressed += 1
                return nil
            }
        } else {
            begun = now
            count = 0
        }
        count += 1
        defer { suppressed = 0 }
        return suppressed
    }
}
