/// A point in calendar time: milliseconds since 1970-01-01 00:00 UTC, leap seconds not counted.
///
/// Times that must outlive a process are kept so; times within one are measured by the edge's own clock, which never
/// jumps.
public struct WallTime: Hashable, Comparable, Sendable {
    /// Milliseconds since the beginning of 1970, UTC.
    public var milliseconds: Int64

    /// Wraps a number of milliseconds since 1970.
    public init(milliseconds: Int64) {
        self.milliseconds = milliseconds
    }

    /// The time `duration` later, in whole milliseconds rounded up; at the end of time when that is too far.
    public static func + (time: WallTime, duration: Duration) -> WallTime {
        let (seconds, attoseconds) = duration.components
        let (scaled, overflow) = seconds.multipliedReportingOverflow(by: 1000)
        let rest = (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000
        let (sum, overflowing) = time.milliseconds.addingReportingOverflow(scaled)
        guard !overflow, !overflowing else { return WallTime(milliseconds: seconds < 0 ? .min : .max) }
        let (total, carried) = sum.addingReportingOverflow(rest)
        return WallTime(milliseconds: carried ? .max : total)
    }

    /// Returns the duration by which the left time is later.
    public static func - (later: WallTime, earlier: WallTime) -> Duration {
        .milliseconds(later.milliseconds) - .milliseconds(earlier.milliseconds)
    }

    /// Orders by time.
    public static func < (lhs: WallTime, rhs: WallTime) -> Bool { lhs.milliseconds < rhs.milliseconds }
}
