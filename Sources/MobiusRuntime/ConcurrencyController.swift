/// Decides how many jobs may run at once: few while jobs are quick, up to a limit while they keep their threads.
///
/// It is sampled every few milliseconds. When every job that may run has kept its thread since the last sample, the
/// allowed number doubles. When jobs turn out to be quick, it falls to `baseline` beside those that kept their threads. So
/// slow jobs run side by side, and threads that waited for a processor of a busy machine do not start others, which
/// would wait as well.
package struct ConcurrencyController: Equatable, Sendable {
    /// The number of jobs that is enough while jobs do not block; at least 1, at most ``limit``.
    package let baseline: Int
    /// The maximum of ``count``; at least 1.
    package let limit: Int
    /// The number of jobs that may run now.
    package private(set) var count: Int
    /// The number of jobs that run now.
    package private(set) var running = 0
    /// The number of jobs begun so far.
    package private(set) var begun: UInt64 = 0
    /// ``begun`` at the last sample.
    private var begunAtSample: UInt64 = 0
    /// The number of running jobs that already ran at the last sample.
    private var stillRunning = 0

    /// Allows `baseline` jobs at first.
    ///
    /// - Parameters:
    ///   - baseline: at least 1, and never more than the limit.
    ///   - limit: at least 1.
    package init(baseline: Int, limit: Int) {
        self.limit = max(1, limit)
        self.baseline = min(self.limit, max(1, baseline))
        count = self.baseline
    }

    /// Whether the limit exceeds ``baseline``.
    package var canGrow: Bool { baseline < limit }

    /// Whether no job has begun since the last sample.
    package var isStuck: Bool { begun == begunAtSample }

    /// Begins a job; returns its number, from 1.
    package mutating func begin() -> UInt64 {
        running += 1
        begun += 1
        return begun
    }

    /// Ends a job; allows only ``baseline`` again once no job waits.
    package mutating func end(_ number: UInt64, isLast: Bool) {
        running -= 1
        if number <= begunAtSample { stillRunning -= 1 }
        if isLast, running < baseline { count = baseline }
    }

    /// Takes the first sample after a time without waiting jobs.
    package mutating func startSampling() {
        (begunAtSample, stillRunning) = (begun, running)
    }

    /// Takes the next sample while jobs wait.
    ///
    /// - Parameter areQuick: whether jobs usually take much less time than the interval between two samples.
    package mutating func sample(areQuick: Bool) {
        if isStuck {
            if running >= count { count = min(limit, count * 2) }
        } else if areQuick {
            count = min(count, stillRunning + baseline)
        }
        startSampling()
    }

    /// The system refused a thread: limits the count to the existing threads until it is raised again.
    package mutating func limitToExisting(threads: Int) {
        count = min(count, max(1, threads))
    }
}
