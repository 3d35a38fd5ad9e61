extension Supervisor {
    /// What a process is doing.
    enum State: Equatable, Sendable {
        case idle
        case starting
        case running(since: Duration)
        /// Asked to stop; killed at the deadline.
        case stopping(deadline: Duration)
        case killed
        /// Starts again at this time.
        case waiting(until: Duration)
        case gone
    }

    /// What is known of a process.
    struct Record: Equatable, Sendable {
        var state = State.idle
        /// Of its latest run.
        var pid: Int32 = 0
        /// The wait before its latest start; nil before its first death.
        var delay: Duration?
        /// When it started again lately: as far back as its policy looks.
        var restarts: [Duration] = []
        var restartCount = 0
        var hasRun = false
        /// It came while the fleet ran: that the system cannot start it is no reason to end the fleet.
        var isLate = false
        /// It is no longer wanted and does not come back.
        var isRetiring = false
        var health: Health?
    }

    /// What is known of the health of a run.
    struct Health: Equatable, Sendable {
        /// When the command runs next; nil while it runs.
        var next: Duration?
        /// Failures in a row.
        var failures = 0
        var wasGood = false
        /// It is being stopped for its failures.
        var isCondemned = false
    }
}

extension Supervisor.Record {
    /// Whether there is a process to signal.
    var isAlive: Bool {
        switch state {
        case .running, .stopping, .killed: true
        case .idle, .starting, .waiting, .gone: false
        }
    }

    /// Whether the fleet's end must still wait for it.
    var isPending: Bool {
        isAlive || state == .starting
    }
}
