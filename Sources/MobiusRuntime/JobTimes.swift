/// How long jobs took lately, and whether one thread does those that wait sooner than several share them.
///
/// All times are in nanoseconds. They are read from a clock, not from a processor: a job that is done in a microsecond takes
/// milliseconds when its thread loses its processor meanwhile. So one outlier says nothing, but a few in a hundred do.
package struct JobTimes: Equatable, Sendable {
    /// For how long one thread may work at a time: what its sockets can wait without anybody noticing.
    package static let helpTime: Int64 = 200_000
    /// Beyond this average jobs are shared, because there are long ones among them.
    ///
    /// Two of the longest do not raise it so far: as often a thread loses its processor on a busy machine.
    private static let averageLimit: Int64 = 40_000
    /// What one job counts for at most in that average, in which it weighs 1/256: less than the limit.
    private static let longest: Int64 = 4_000_000

    /// Jobs that take no longer are not shared, however many wait.
    private let sharingTime: Int64
    /// Of the last few jobs, of which none counts for much; `nil` before the first has ended.
    private var usual: Int64?
    /// Of the last few hundred jobs, whatever they took.
    private var average: Int64 = 0
    private var weight: Int64 = 0

    /// Knows of no job; the machine has so many processors.
    ///
    /// To hand a job over, and its answer back, costs a microsecond or two. With two processors, which others use as well, that
    /// was more than it gained also for what takes two microseconds on a quiet machine and six on a busy one. With more of them
    /// there is one for it. Both limits are choices.
    package init(processors: Int) {
        sharingTime = processors > 2 ? 4_000 : 8_000
    }

    /// A job took `time`.
    package mutating func note(_ time: Int64) {
        usual = usual.map { $0 + (min(time, max($0 * 2, sharingTime * 2)) - $0) / 8 } ?? min(time, Self.longest)
        weight = min(weight + 1, 256)
        average += (min(time, Self.longest) - average) / weight
    }

    /// Whether one thread can be expected to do that many jobs sooner than several would.
    package func areQuick(_ count: Int) -> Bool {
        guard let usual else { return false }
        return usual * Int64(count) <= Self.helpTime || usual <= sharingTime && average <= Self.averageLimit
    }
}
