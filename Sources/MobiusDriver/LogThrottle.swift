/// Lets a few lines a time through, so that strangers cannot fill a log.
package struct LogThrottle: Sendable {
    /// As many lines in each of these.
    package static let lines = 10
    package static let interval = Duration.seconds(10)

    private var begun: ContinuousClock.Instant?
    private var count = 0
    private var suppressed = 0

    package init() {}

    /// When ``rest(at:)`` has something to say, if no line comes before.
    package var nextRest: ContinuousClock.Instant? {
        suppressed == 0 ? nil : begun.map { $0 + Self.interval }
    }

    /// How many lines were not written since the last one, once the interval is over and if there were any; told once.
    package mutating func rest(at now: ContinuousClock.Instant) -> Int? {
        guard let nextRest, nextRest <= now else { return nil }
        defer { suppressed = 0 }
        return suppressed
    }

    /// Whether a line may be written: how many were not since the last one, or `nil` to be silent.
    package mutating func admit(at now: ContinuousClock.Instant) -> Int? {
        if let begun, now - begun < Self.interval {
            guard count < Self.lines else {
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
