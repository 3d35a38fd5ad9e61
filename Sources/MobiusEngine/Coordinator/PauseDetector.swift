import MobiusWire

/// Detects that the coordinator itself did not run since its last flush, or since the last such pause: that time must not count
/// against workers.
///
/// Deadlines that fell into a pause are processed only after a heartbeat's time, in which the messages that arrived meanwhile are
/// read. After several pauses in a row they are processed anyway.
package struct PauseDetector: Sendable {
    private let heartbeat: Duration
    /// Half the time between two heartbeats, in nanoseconds.
    private let tolerance: Int64
    /// If the next input comes after this moment, the coordinator did not run in between.
    private var wakesBy = Moment(nanoseconds: .max)
    /// Deadlines that passed while the coordinator did not run are processed only after this moment.
    package private(set) var deadlinesResumeAt = Moment(nanoseconds: .min)
    /// The number of times in a row that they were postponed.
    private var postponed = 0

    package init(_ timing: SessionTiming) {
        heartbeat = timing.heartbeat
        tolerance = (Moment(nanoseconds: 0) + timing.heartbeat).nanoseconds / 2
    }

    /// Whether an input comes too late.
    @inline(__always)
    package func isLate(_ now: Moment) -> Bool { now > wakesBy }

    /// Postpones deadlines because an input came too late; returns for how long the coordinator did not run.
    package mutating func goOn(at now: Moment) -> Duration {
        let pause = now.later(byNanoseconds: tolerance) - wakesBy
        wakesBy = now.later(byNanoseconds: tolerance)  // another one may come before the next flush
        postponed = now > deadlinesResumeAt + heartbeat ? 1 : postponed + 1
        if postponed <= 10 { deadlinesResumeAt = now + heartbeat }
        return pause
    }

    /// The edge will hand in the next input by this moment, unless it does not run.
    package mutating func sleeps(until next: Moment) { wakesBy = next.later(byNanoseconds: tolerance) }
}
