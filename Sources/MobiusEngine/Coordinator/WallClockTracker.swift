package import MobiusWire

/// The wall clock: its newest reading, extrapolated with the edge's monotonic clock.
package struct WallClockTracker: Equatable, Sendable {
    package init() {}

    private struct Word: Equatable, Sendable {
        var time: WallTime
        var moment: Moment

        func time(at now: Moment) -> WallTime {
            // Rounded down: it never returns a time in the future.
            let (milliseconds, rest) = (now.nanoseconds &- moment.nanoseconds).quotientAndRemainder(
                dividingBy: 1_000_000)
            return WallTime(milliseconds: time.milliseconds &+ milliseconds &- (rest < 0 ? 1 : 0))
        }
    }

    private var newest: Word?
    /// The reading from which jumps are measured, so that many small steps add up to a jump.
    private var fixed: Word?

    /// The smallest difference that counts as a jump and not as drift.
    private static let jump = Duration.milliseconds(500)

    /// Takes the newest reading; returns how far the wall clock jumped, or `nil` when it did not.
    package mutating func set(_ time: WallTime, at now: Moment) -> Duration? {
        let word = Word(time: time, moment: now)
        newest = word
        guard let fixed else {
            self.fixed = word
            return nil
        }
        let difference = time - fixed.time(at: now)
        guard difference >= Self.jump || difference <= .zero - Self.jump else { return nil }
        self.fixed = word
        return difference
    }

    package func time(at now: Moment) -> WallTime { newest?.time(at: now) ?? WallTime(milliseconds: 0) }

    /// Returns the time at which the wall clock will show `time`, unless it jumps.
    func moment(of time: WallTime, at now: Moment) -> Moment {
        now + (time - self.time(at: now))
    }
}
