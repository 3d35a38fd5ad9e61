/// Estimates how long jobs take, and whether one thread runs the waiting ones sooner than several would.
///
/// All times are in nanoseconds. They are wall-clock times, not processor times: a job of a microsecond takes
/// milliseconds when its thread loses its processor meanwhile. So one outlier means nothing, but a few in a hundred do.
package struct LatencyEstimator: Equatable, Sendable {
    /// The time for which one thread may work at a time: a delay that its sockets tolerate.
    package static let inlineTimeSlice: Int64 = 200_000
    /// Above this average jobs are shared between threads, because some of them are long.
    ///
    /// Two jobs of the longest kind do not raise the average so far: a thread loses its processor that often on a busy
    /// machine.
    private static let averageLimit: Int64 = 40_000
    /// The most that one job counts in that average, in which it weighs 1/256: less than the limit.
    private static let longest: Int64 = 4_000_000

    /// Jobs that take no longer are not shared, regardless of how many wait.
    private let sharingTime: Int64
    /// The average of the last few jobs, with outliers capped; `nil` before the first has ended.
    private var usual: Int64?
    /// The average of the last few hundred jobs.
    private var average: Int64 = 0
    private var weight: Int64 = 0

    /// Begins without measurements, on a machine with `processors` processors.
    ///
    /// To hand a job over, and its answer back, costs a microsecond or two. With two processors, which other processes
    /// use as well, sharing cost more than it gained, even for jobs that take two microseconds on a quiet machine and
    /// six on a busy one. With more processors one is free for the job. Both limits are choices.
    package init(processors: Int) {
        sharingTime = processors > 2 ? 4_000 : 8_000
    }

    /// Adds a job that took `time`.
    package mutating func note(_ time: Int64) {
        usual = usual.map { $0 + (min(time, max($0 * 2, sharingTime * 2)) - $0) / 8 } ?? min(time, Self.longest)
        weight = min(weight + 1, 256)
        average += (min(time, Self.longest) - average) / weight
    }

    /// Whether one thread is expected to run `count` jobs sooner than several would.
    package func areQuick(_ count: Int) -> Bool {
        guard let usual else { return false }
        return usual * Int64(count) <= Self.inlineTimeSlice || usual <= sharingTime && average <= Self.averageLimit
    }
}
