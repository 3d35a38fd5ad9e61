import MobiusClient

/// The runs of processes: which is the latest of each name, what it is called, and its pid while it runs.
struct ProcessRuns: Sendable {
    private var counts: [ProcessName: Int] = [:]
    private var pids: [ProcessName: Int32] = [:]
    private var ports: [ProcessName: UInt16] = [:]

    /// A run begins; what it is called: the name, and from the second on `~2`.
    ///
    /// So a new process is not taken for the one before it, whose session may outlive it by some seconds.
    mutating func begin(_ name: ProcessName, port: UInt16? = nil) -> String {
        counts[name, default: 0] += 1
        ports[name] = port
        return label(of: name)
    }

    /// What the latest run is called.
    func label(of name: ProcessName) -> String {
        let count = counts[name] ?? 1
        return count == 1 ? "\(name)" : "\(name)~\(count)"
    }

    /// Where on loopback the latest run serves; nil where nobody asked for it.
    func port(of name: ProcessName) -> UInt16? { ports[name] }

    /// The pid of a running process.
    func pid(of name: ProcessName) -> Int32? { pids[name] }

    /// Takes in that a process began or ended.
    mutating func note(_ input: Supervisor.Input) {
        switch input {
        case .started(let name, let pid): pids[name] = pid
        case .ended(let name, _): pids[name] = nil
        default: break
        }
    }

    /// The process that is called so, if it is the latest run.
    fileprivate var names: [String: ProcessName] {
        Dictionary(counts.keys.map { (label(of: $0), $0) }) { first, _ in first }
    }
}

extension Supervisor.Sample {
    /// What a coordinator's status says of the latest runs.
    init(_ status: FleetStatus, _ runs: ProcessRuns) {
        self.init()
        for pool in status.pools { pools[pool.pool] = AutoScaler.Sample(pool) }
        let names = runs.names
        sessions = Set(status.workers.compactMap { $0.isDraining ? nil : names[$0.name].map { "\($0)" } })
    }
}

extension AutoScaler.Sample {
    /// What a coordinator says of a pool; one of an earlier build does not tell what is ready, but what waits.
    init(_ status: PoolStatus) {
        self.init()
        workers = Int(status.workers)
        running = Int(clamping: status.running)
        credit = Int(clamping: status.credit)
        ready = Int(clamping: status.ready ?? status.waiting)
        oldest = .milliseconds(Int64(clamping: status.oldestReady ?? 0))
    }
}
