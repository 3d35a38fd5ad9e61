import MobiusClient

/// Tracks the latest run of each process: its label, its pid while it runs, and its health port.
struct ProcessRuns: Sendable {
    private var counts: [ProcessName: Int] = [:]
    private var pids: [ProcessName: Int32] = [:]
    private var ports: [ProcessName: UInt16] = [:]

    /// Begins a run and returns its label: the process name, from the second run on followed by `~2`, `~3`, ….
    ///
    /// So a new run is not mistaken for the one before it, whose session may outlive it by some seconds.
    mutating func begin(_ name: ProcessName, port: UInt16? = nil) -> String {
        counts[name, default: 0] += 1
        ports[name] = port
        return label(of: name)
    }

    /// The label of the latest run.
    func label(of name: ProcessName) -> String {
        let count = counts[name] ?? 1
        return count == 1 ? "\(name)" : "\(name)~\(count)"
    }

    /// The loopback port of the latest run; nil when it was not given one.
    func port(of name: ProcessName) -> UInt16? { ports[name] }

    /// The pid of a running process.
    func pid(of name: ProcessName) -> Int32? { pids[name] }

    /// Updates the pids when a process started or ended.
    mutating func note(_ input: Supervisor.Input) {
        switch input {
        case .started(let name, let pid): pids[name] = pid
        case .ended(let name, _): pids[name] = nil
        default: break
        }
    }

    /// The processes by the labels of their latest runs.
    fileprivate var names: [String: ProcessName] {
        Dictionary(counts.keys.map { (label(of: $0), $0) }) { first, _ in first }
    }
}

extension Supervisor.Sample {
    /// Converts a coordinator's status; only workers that are the latest run of their process count.
    init(_ status: FleetStatus, _ runs: ProcessRuns) {
        self.init()
        for pool in status.pools { pools[pool.pool] = AutoScaler.Sample(pool) }
        let names = runs.names
        sessions = Set(status.workers.compactMap { $0.isDraining ? nil : names[$0.name].map { "\($0)" } })
    }
}

extension AutoScaler.Sample {
    /// Converts the status of a pool; a coordinator of an earlier build reports only waiting effects, not ready ones.
    init(_ status: PoolStatus) {
        self.init()
        workers = Int(status.workers)
        running = Int(clamping: status.running)
        credit = Int(clamping: status.credit)
        ready = Int(clamping: status.ready ?? status.waiting)
        oldest = .milliseconds(Int64(clamping: status.oldestReady ?? 0))
    }
}
