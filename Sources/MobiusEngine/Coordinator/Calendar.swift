import MobiusWire

/// The calendar, as of the newest word of it: what it says now follows from the edge's clock.
struct Calendar: Equatable, Sendable {
    private struct Word: Equatable, Sendable {
        var time: WallTime
        var moment: Moment

        func time(at now: Moment) -> WallTime {
            // Rounded down: a time that has not come is not said to have.
            let (milliseconds, rest) = (now.nanoseconds &- moment.nanoseconds).quotientAndRemainder(
                dividingBy: 1_000_000)
            return WallTime(milliseconds: time.milliseconds &+ milliseconds &- (rest < 0 ? 1 : 0))
        }
    }

    private var newest: Word?
    /// What jumps are measured from: many small steps are one large one.
    private var fixed: Word?

    /// From which difference on it is a jump, and not two clocks that drift.
    private static let jump = Duration.milliseconds(500)

    /// Takes the newest word; answers how far the calendar jumped, or `nil` when it did not.
    mutating func set(_ time: WallTime, at now: Moment) -> Duration? {
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

    func time(at now: Moment) -> WallTime { newest?.time(at: now) ?? WallTime(milliseconds: 0) }

    /// When the calendar will say `time`, unless it jumps.
    func moment(of time: WallTime, at now: Moment) -> Moment {
        now + (time - self.time(at: now))
    }
}
