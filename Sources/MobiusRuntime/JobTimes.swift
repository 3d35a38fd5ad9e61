/// How long jobs took lately, and whether one thread does those that wait sooner than several share them.
///
/// All times are in nanoseconds. They are read from a clock, not from a processor: a job that is done in a microsecond takes
/// milliseconds when its thread loses its processor meanwhile. So one outlier says nothing, but a few in a hundred do.
package struct JobTimes: Equatable, Sendable {
    /// For how long one thread may work at a time: what its sockets can wait without anybody noticing.
    package static let helpTime: Int64 = 200_000
    /// Jobs that take no longer are not shared, however many wait.
    ///
    /// A choice: to hand over jobs of a few microseconds, and their answers back, cost more than it gained on two processors.
    /// What takes two on a quiet machine takes six where others use it, too, and there it costs the most.
    private static let sharingTime: Int64 = 8_000
    /// Unless long ones among them raise their average beyond this.
    ///
    /// More than two of the longest do among the last few hundred: so often a thread loses its processor on a busy machine.
    private static let averageLimit: Int64 = 40_000
    /// What one job counts for at most in that average, in which it weighs 1/256: less than the limit.
    private static let longest: Int64 = 4_000_000

    /// Of the last few jobs, of which none counts for much; `nil` before the first has ended.
    private var usual: Int64?
    /// Of the last few hundred jobs, whatever they took.
    private var average: Int64 = 0
    private var weight: Int64 = 0

    /// Knows of no job.
    package init() {}

    /// A job took `time`.
    package mutating func note(_ time: Int64) {
        usual = usual.map { $0 + (min(time, max($0 * 2, Self.sharingTime * 2)) - $0) / 8 } ?? min(time, Self.longest)
        weight = min(weight + 1, 256)
        average += (min(time, Self.longest) - average) / weight
    }

    /// Whether one thread can be expected to do that many jobs sooner than several would.
    package func areQuick(_ count: Int) -> Bool {
        guard let usual else { return false }
        return usual * Int64(count) <= Self.helpTime || usual <= Self.sharingTime && average <= Self.averageLimit
    }
}
