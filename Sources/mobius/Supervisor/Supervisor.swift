/// Decides what runs, what restarts and what stops.
///
/// Pure: time comes in as the time since the launch.
/// Workers are always restarted; the coordinator only when a signal ended it (a crash). When the coordinator exits, the
/// workers are stopped and the fleet ends with its code. On the operator's signal workers stop first, while the
/// coordinator lives to take their last events; then the coordinator. A second signal kills everything at once.
package struct Supervisor: Equatable, Sendable {
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
        /// The wait before its latest start; nil before its first death.
        var delay: Duration?
        var hasRun = false
    }

    /// Where the fleet is in its life.
    enum Phase: Equatable, Sendable {
        case idle
        case running
        case stoppingWorkers
        case stoppingCoordinator
        case finished
    }

    let coordinator: ProcessName
    let workers: [ProcessName]
    let policy: RestartPolicy
    let grace: Duration
    var phase = Phase.idle
    var records: [ProcessName: Record]
    /// How the coordinator ended, once it has.
    var coordinatorEnd: Termination?
    /// Why the fleet was given up: overrules the coordinator's code.
    var verdict: Verdict?

    /// An end that the coordinator did not decide.
    struct Verdict: Equatable, Sendable {
        let code: Int32
        let sentence: String?
    }

    /// Makes a supervisor of a fleet that has not started.
    package init(coordinator: ProcessName, workers: [ProcessName], grace: Duration, policy: RestartPolicy = .init()) {
        precondition(Set(workers).count == workers.count, "every worker needs a name of its own")
        self.coordinator = coordinator
        self.workers = workers
        self.grace = grace
        self.policy = policy
        records = Dictionary(uniqueKeysWithValues: ([coordinator] + workers).map { ($0, Record()) })
    }

    /// Takes one input; returns what to do, in this order.
    package mutating func handle(_ input: Input, at now: Duration) -> [Action] {
        guard phase != .finished else { return [] }
        switch input {
        case .launch: return launch()
        case .started(let name, let pid): return started(name, pid: pid, at: now)
        case .failedToStart(let name, let reason): return failedToStart(name, reason: reason, at: now)
        case .ended(let name, let termination): return ended(name, termination, at: now)
        case .signal(let number): return signal(number, at: now)
        case .wake: return wake(at: now)
        }
    }

    private mutating func launch() -> [Action] {
        precondition(phase == .idle, "a fleet is launched once")
        phase = .running
        return ([coordinator] + workers).map { name in
            records[name]?.state = .starting
            return .start(name)
        }
    }

    private mutating func started(_ name: ProcessName, pid: Int32, at now: Duration) -> [Action] {
        records[name]?.hasRun = true
        records[name]?.state = .running(since: now)
        // A stop may have been decided while the process was being started.
        return [.note(.started(name, pid: pid))] + (mustStop(name) ? terminate([name], at: now) : [])
    }

    private mutating func failedToStart(_ name: ProcessName, reason: String, at now: Duration) -> [Action] {
        guard phase == .running, records[name]?.hasRun == true else {
            records[name]?.state = .gone
            let sentence = "\(name) cannot be started: \(reason)"
            return giveUp(Verdict(code: 69, sentence: sentence), at: now)
        }
        // It ran before, so this is a shortage (processes, memory): the same cure as for a death.
        let delay = wait(name, lived: .zero, at: now)
        return [.note(.retrying(name, reason: reason, delay: delay)), .wake(at: now + delay)]
    }

    private mutating func ended(_ name: ProcessName, _ termination: Termination, at now: Duration) -> [Action] {
        let record = records[name] ?? Record()
        if name == coordinator, phase != .running {
            coordinatorEnd = termination
        }
        guard phase == .running else {
            records[name]?.state = .gone
            return [.note(.ended(name, termination))] + proceed(at: now)
        }
        if name == coordinator, case .exited(let code) = termination {
            records[name]?.state = .gone
            coordinatorEnd = termination
            return [.note(.ended(name, termination))] + stop(because: "\(name) exited with code \(code)", at: now)
        }
        if let verdict = Self.verdict(on: name, termination) {
            records[name]?.state = .gone
            return [.note(.ended(name, termination))] + giveUp(verdict, at: now)
        }
        var lived = Duration.zero
        if case .running(let since) = record.state { lived = now - since }
        let delay = wait(name, lived: lived, at: now)
        if name == coordinator { coordinatorEnd = termination }
        return [.note(.restarting(name, termination, delay: delay)), .wake(at: now + delay)]
    }

    private mutating func signal(_ number: Int32, at now: Duration) -> [Action] {
        switch phase {
        case .idle:
            phase = .finished
            return [.finish(code: 128 + number, sentence: nil)]
        case .running:
            return stop(because: "signal \(number)", at: now)
        case .stoppingWorkers, .stoppingCoordinator:
            phase = .finished
            let alive = ([coordinator] + workers).filter { records[$0]?.isAlive == true }
            return alive.map { .kill($0) } + [.finish(code: 128 + number, sentence: nil)]
        case .finished:
            return []
        }
    }

    private mutating func wake(at now: Duration) -> [Action] {
        ([coordinator] + workers).flatMap { name -> [Action] in
            switch records[name]?.state {
            case .waiting(let until) where until <= now:
                records[name]?.state = .starting
                return [.start(name)]
            case .stopping(let deadline) where deadline <= now:
                records[name]?.state = .killed
                return [.note(.overdue(name)), .kill(name)]
            default:
                return []
            }
        }
    }

    /// Puts a dead process on the waiting list.
    private mutating func wait(_ name: ProcessName, lived: Duration, at now: Duration) -> Duration {
        let delay = policy.delay(after: records[name]?.delay, lived: lived)
        records[name]?.delay = delay
        records[name]?.state = .waiting(until: now + delay)
        return delay
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
