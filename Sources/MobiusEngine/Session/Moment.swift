import MobiusWire

/// A point in time of the edge's monotonic clock, in nanoseconds.
///
/// Machines compare moments and add durations; they never read a clock.
public struct Moment: Hashable, Comparable, Sendable {
    /// Nanoseconds since the clock's own beginning.
    public var nanoseconds: Int64

    /// Wraps a reading of the edge's clock.
    public init(nanoseconds: Int64) {
        self.nanoseconds = nanoseconds
    }

    /// The moment `duration` later, saturated at the greatest moment.
    public static func + (moment: Moment, duration: Duration) -> Moment {
        moment.later(byNanoseconds: duration.saturatedNanoseconds)
    }

    /// The moment so many nanoseconds later; at the end of time when that is too far.
    ///
    /// Adding a `Duration` divides numbers of 128 bits, which counts where it is done for each event.
    func later(byNanoseconds added: Int64) -> Moment { Moment(nanoseconds: nanoseconds.saturatingAdding(added)) }

    /// Returns the duration by which the left moment is later.
    public static func - (later: Moment, earlier: Moment) -> Duration {
        .nanoseconds(later.nanoseconds) - .nanoseconds(earlier.nanoseconds)
    }

    /// Returns the milliseconds since a moment, rounded up, as the wire writes them: 1 at least.
    package func milliseconds(after earlier: Moment) -> UInt32 {
        let (difference, overflow) = nanoseconds.subtractingReportingOverflow(earlier.nanoseconds)
        guard !overflow else { return nanoseconds < 0 ? 1 : .max }
        return UInt32(clamping: max(1, difference / 1_000_000 + (difference % 1_000_000 > 0 ? 1 : 0)))
    }

    /// After all others.
    static let never = Moment(nanoseconds: .max)

    /// The earliest of those that are not `nil`.
    package static func earliest(
        _ first: Moment?, _ second: Moment?, _ third: Moment? = nil, _ fourth: Moment? = nil,
        _ fifth: Moment? = nil
    ) -> Moment? {
        var earliest = first
        if let second, earliest.map({ second < $0 }) ?? true { earliest = second }
        if let third, earliest.map({ third < $0 }) ?? true { earliest = third }
        if let fourth, earliest.map({ fourth < $0 }) ?? true { earliest = fourth }
        if let fifth, earliest.map({ fifth < $0 }) ?? true { earliest = fifth }
        return earliest
    }

    /// Orders by time.
    public static func < (lhs: Moment, rhs: Moment) -> Bool {
        lhs.nanoseconds < rhs.nanoseconds
    }
}

extension Duration {
    /// Whole nanoseconds, rounded towards zero; the most or the fewest that 64 bits hold, if it is longer.
    var saturatedNanoseconds: Int64 {
        let (seconds, attoseconds) = components
        let (scaled, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        guard !overflow else { return seconds < 0 ? .min : .max }
        return scaled.saturatingAdding(attoseconds / 1_000_000_000)
    }

    /// Whole milliseconds, rounded up, as the wire writes them; at least 0, and at most what 32 bits hold.
    package var wireMilliseconds: UInt32 {
        let (seconds, attoseconds) = components
        guard seconds >= 0, attoseconds >= 0 else { return 0 }
        guard seconds < 4_000_000 else { return .max }
        return UInt32(seconds * 1000 + (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000)
    }
}
