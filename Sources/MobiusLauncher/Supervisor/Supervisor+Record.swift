extension Supervisor {
    /// The state of a process.
    enum State: Equatable, Sendable {
        case idle
        case starting
        case running(since: Duration)
        /// Was asked to stop; is killed at the deadline.
        case stopping(deadline: Duration)
        case killed
        /// Is restarted at this time.
        case waiting(until: Duration)
        case gone
    }

    /// The supervisor's data on a process.
    struct Record: Equatable, Sendable {
        var state = State.idle
        /// The pid of its latest run.
        var pid: Int32 = 0
        /// The pause before its latest start; nil before its first restart.
        var delay: Duration?
        /// The times of its recent restarts, as far back as its policy counts.
        var restarts: [Duration] = []
        var restartCount = 0
        var hasRun = false
        /// It was added while the fleet ran: failing to start it does not end the fleet.
        var addedWhileRunning = false
        /// It is being stopped and is not restarted.
        var isRetiring = false
        /// It ended too often, or for a reason that no restart mends, so it stays away; its state is `gone`.
        var isGivenUp = false
        var health: Health?
    }

    /// The health of a run.
    struct Health: Equatable, Sendable {
        /// The time of the next check; nil while one runs.
        var next: Duration?
        /// Failures in a row.
        var failures = 0
        var wasHealthy = false
        /// It is being stopped because of its failures.
        var isBeingStopped = false
    }
}

extension Supervisor.Record {
    /// Whether its process exists and can be signalled.
    var isAlive: Bool {
        switch state {
        case .running, .stopping, .killed: true
        case .idle, .starting, .waiting, .gone: false
        }
    }

    /// Whether the fleet must wait for it before it ends.
    var isPending: Bool {
        isAlive || state == .starting
    }
}
