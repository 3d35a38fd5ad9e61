extension Supervisor {
    /// How many workers a pool should have.
    package struct ScaleOrder: Hashable, Sendable {
        /// The pool.
        package let pool: String
        /// How many; nil for what the topology says.
        package let replicas: Replicas?

        /// Makes an order.
        package init(_ pool: String, _ replicas: Replicas?) {
            self.pool = pool
            self.replicas = replicas
        }

        /// Reads `3`, `auto(1...8)` and `auto`; nil for another count, and without a pool.
        package init?(_ pool: String, count: String) {
            let replicas = Replicas(count)
            guard !pool.isEmpty, replicas != nil || count == "auto" else { return nil }
            self.init(pool, replicas)
        }
    }

    /// What the coordinator says.
    package struct Sample: Equatable, Sendable {
        /// Of pools, by name.
        package var pools: [String: AutoScaler.Sample] = [:]
        /// The names of workers that it would give work.
        package var sessions: Set<String> = []

        /// Makes a sample of an empty fleet.
        package init() {}
    }

    /// The last word on a request.
    package enum Answer: Equatable, Sendable {
        /// It is done, or on its way.
        case done(String)
        /// It is not; the code is what the asking command exits with.
        case refused(code: Int32, String)
        /// All processes.
        case processes([ProcessStatus])
    }

    /// How one process is.
    package struct ProcessStatus: Equatable, Sendable {
        /// Which.
        package let name: ProcessName
        /// What it is doing, in one word: `starting`, `running`, `stopping`, `waiting` (for its restart), `ended`.
        package let state: String
        /// Its pid, while there is one.
        package let pid: Int32?
        /// How often it started again.
        package let restarts: Int

        /// Describes a process.
        package init(name: ProcessName, state: String, pid: Int32?, restarts: Int) {
            self.name = name
            self.state = state
            self.pid = pid
            self.restarts = restarts
        }
    }

    /// All processes, the coordinator first.
    var processes: [ProcessStatus] {
        ([coordinator] + workers).map { name in
            let record = records[name] ?? Record()
            let state =
                switch record.state {
                case .idle, .starting: "starting"
                case .running: "running"
                case .stopping, .killed: "stopping"
                case .waiting: "waiting"
                case .gone: "ended"
                }
            return ProcessStatus(
                name: name, state: state, pid: record.isAlive ? record.pid : nil, restarts: record.restartCount)
        }
    }
}
