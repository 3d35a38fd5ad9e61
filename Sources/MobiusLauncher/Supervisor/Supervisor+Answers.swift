extension Supervisor {
    /// An operator's order to change the number of workers of a pool.
    package struct ScaleRequest: Hashable, Sendable {
        /// The pool.
        package let pool: String
        /// The number; nil for the one in the topology.
        package let replicas: Replicas?

        /// Makes an order.
        package init(_ pool: String, _ replicas: Replicas?) {
            self.pool = pool
            self.replicas = replicas
        }

        /// Parses `3`, `auto(1...8)` and `auto`; nil for any other count, or an empty pool.
        package init?(_ pool: String, count: String) {
            let replicas = Replicas(count)
            guard !pool.isEmpty, replicas != nil || count == "auto" else { return nil }
            self.init(pool, replicas)
        }
    }

    /// The coordinator's status, as far as the supervisor needs it.
    package struct Sample: Equatable, Sendable {
        /// The pools by name.
        package var pools: [String: AutoScaler.Sample] = [:]
        /// The names of workers that have a session and are not draining.
        package var sessions: Set<String> = []

        /// Makes a sample of an empty fleet.
        package init() {}
    }

    /// The final reply to a request.
    package enum Answer: Equatable, Sendable {
        /// The request was carried out, or the change has begun.
        case done(String)
        /// The numbers of workers change.
        case scaled([PoolSize])
        /// The request was refused; the code is the exit code of the command.
        case refused(code: Int32, String)
        /// All processes.
        case processes([ProcessStatus])
    }

    /// The change of a pool's number of workers.
    package struct PoolSize: Equatable, Sendable {
        /// The pool.
        package let pool: String
        /// The number before.
        package let from: Int
        /// The number from now on.
        package let to: Int
        /// The range of an automatic number.
        package let range: ClosedRange<Int>?

        /// Describes a change.
        package init(_ pool: String, from: Int, to: Int, range: ClosedRange<Int>? = nil) {
            (self.pool, self.from, self.to, self.range) = (pool, from, to, range)
        }

        /// The change for people.
        package var sentence: String {
            guard let range else { return "\(pool): from \(from) to \(to)" }
            return "\(pool): auto(\(range.lowerBound)...\(range.upperBound)), now \(to)"
        }
    }

    /// The status of one process.
    package struct ProcessStatus: Equatable, Sendable {
        /// The process.
        package let name: ProcessName
        /// Its state in one word: `starting`, `running`, `stopping`, `waiting` (for its restart), `ended`,
        /// `given up`.
        package let state: String
        /// Its pid while it runs.
        package let pid: Int32?
        /// The number of restarts.
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
                case .gone: record.isGivenUp ? "given up" : "ended"
                }
            return ProcessStatus(
                name: name, state: state, pid: record.isAlive ? record.pid : nil, restarts: record.restartCount)
        }
    }
}
