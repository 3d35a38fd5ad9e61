/// Decides which processes of a fleet are started, restarted and stopped.
///
/// A pure state machine: `now` is always the time since the launch.
///
/// Processes are restarted according to their policies. By default workers are always restarted, the coordinator only
/// after an end by a signal: a crash, or SIGTERM that did not come from here. A worker that ends too often is given up
/// and the rest of the fleet runs on; a coordinator that ends too often ends the fleet. When the coordinator exits, the
/// workers are stopped and the fleet ends with the coordinator's code. On an operator's signal the workers stop first,
/// while the coordinator still receives their last events; then the coordinator stops. A second signal kills all
/// processes at once.
package struct Supervisor: Equatable, Sendable {
    /// The phases of a fleet.
    enum Phase: Equatable, Sendable {
        case idle
        case running
        case stoppingWorkers
        case stoppingCoordinator
        case finished
    }

    let coordinator: ProcessName
    let coordinatorRules: Rules
    var pools: [PoolState]
    /// All workers, pool by pool in the order of the file, then by number; includes those that retire.
    var workers: [ProcessName]
    var statusSchedule = StatusSchedule()
    var phase = Phase.idle
    var records: [ProcessName: Record]
    /// The end of the coordinator; nil while it runs.
    var coordinatorEnd: Termination?
    /// An operator's restart or replacement of the coordinator.
    var coordinatorChange: CoordinatorChange?
    /// Whether the coordinator is started with the build that was kept, because a new one was given up or refused.
    var runsKept = false
    /// The reason why the fleet was stopped early; its code replaces the coordinator's.
    var verdict: Verdict?

    /// An end of the fleet that did not begin with the coordinator.
    struct Verdict: Equatable, Sendable {
        let code: Int32
        let sentence: String?
    }

    /// Makes a supervisor of a fleet that has not started; every pool must have a different name.
    package init(coordinator: ProcessName, rules: Rules = Rules(restarts: .onCrash), pools: [Pool]) {
        self.coordinator = coordinator
        coordinatorRules = rules
        precondition(Set(pools.map(\.name)).count == pools.count, "Every pool must have a different name.")
        self.pools = pools.map(PoolState.init)
        workers = pools.flatMap { pool in (0..<pool.replicas.first).map { .worker(pool: pool.name, index: $0 + 1) } }
        records = Dictionary(uniqueKeysWithValues: ([coordinator] + workers).map { ($0, Record()) })
    }

    /// Handles one input; returns the actions to perform, in this order.
    package mutating func handle(_ input: Input, at now: Duration) -> [Action] {
        guard phase != .finished else { return [] }
        return perform(input, at: now) + requestStatus(at: now)
    }

    private mutating func perform(_ input: Input, at now: Duration) -> [Action] {
        switch input {
        case .launch: return launch()
        case .started(let name, let pid): return started(name, pid: pid, at: now)
        case .failedToStart(let name, let reason): return failedToStart(name, reason: reason, at: now)
        case .ended(let name, let termination): return ended(name, termination, at: now)
        case .probed(let name, let pid, let problem): return probed(name, pid: pid, problem: problem, at: now)
        case .status(let sample, let took): return status(sample, took: took, at: now)
        case .scale(let orders, let request): return scale(orders, request: request, at: now)
        case .replace(let pool, let request): return replace(pool, request: request, at: now)
        case .change(let order, let request): return change(order, request: request, at: now)
        case .kept(let request, let problem): return kept(request: request, problem: problem, at: now)
        case .verified(let request, let problem): return verified(request: request, problem: problem, at: now)
        case .list(let request): return [.answer(request: request, .processes(processes))]
        case .signal(let number): return signal(number, at: now)
        case .wake: return wake(at: now)
        }
    }

    func rules(of name: ProcessName) -> Rules {
        guard case .worker(let pool, _) = name else { return coordinatorRules }
        return pools.first { $0.name == pool }?.rules ?? Rules()
    }

    private mutating func launch() -> [Action] {
        precondition(phase == .idle, "A fleet can be launched only once.")
        phase = .running
        return ([coordinator] + workers).map { name in
            records[name]?.state = .starting
            return .start(name)
        }
    }

    private mutating func started(_ name: ProcessName, pid: Int32, at now: Duration) -> [Action] {
        records[name]?.hasRun = true
        records[name]?.pid = pid
        records[name]?.state = .running(since: now)
        let note = Action.note(.started(name, pid: pid))
        // A stop may have been decided while the process was being started.
        guard !mustStop(name) else { return [note] + terminate([name], at: now) }
        return [note] + beginHealth(name, at: now) + beginReadiness(name, at: now)
    }

    private mutating func failedToStart(_ name: ProcessName, reason: String, at now: Duration) -> [Action] {
        guard let record = records[name] else { return [] }
        if record.isRetiring || isNewcomer(name) {
            return remove(name, because: "it cannot be started: \(reason)", at: now) + proceed(at: now)
        }
        if name == coordinator, let actions = newRunEnded("it cannot be started: \(reason)", at: now) { return actions }
        guard phase == .running, record.hasRun || record.addedWhileRunning else {
            records[name]?.state = .gone
            let sentence = "\(name) cannot be started: \(reason)"
            return giveUp(Verdict(code: 69, sentence: sentence), at: now)
        }
        // It ran before, so resources (processes, memory) are short: treated like an end of the process.
        guard let delay = wait(name, lived: .zero, at: now) else {
            return giveUp(on: name, "cannot be started", at: now)
        }
        return [.note(.retrying(name, reason: reason, delay: delay)), .wake(at: now + delay)]
    }

    private mutating func ended(_ name: ProcessName, _ termination: Termination, at now: Duration) -> [Action] {
        let record = records[name] ?? Record()
        if name == coordinator { coordinatorEnd = Self.end(termination, of: record) }
        let gone = Action.note(.ended(name, termination))
        if record.isRetiring || isNewcomer(name) {
            return [gone] + remove(name, because: "it ended with \(termination)", at: now) + proceed(at: now)
        }
        guard phase == .running else {
            records[name]?.state = .gone
            return [gone] + proceed(at: now)
        }
        var before: [Action] = []
        if name == coordinator {
            if let actions = stoppedForChange(at: now) { return [gone] + actions }
            if let actions = newRunEnded("it ended with \(termination)", at: now) { return [gone] + actions }
            before = endChange(because: "the coordinator ended with \(termination)", code: 1)
        }
        return before + restart(name, after: termination, record, at: now)
    }

    /// Handles the end of a process as its restart policy says.
    private mutating func restart(
        _ name: ProcessName, after termination: Termination, _ record: Record, at now: Duration
    ) -> [Action] {
        let gone = Action.note(.ended(name, termination))
        let wasUnhealthy = record.health?.isBeingStopped == true
        var lived = Duration.zero
        if case .running(let since) = record.state { lived = now - since }
        if let verdict = Self.verdict(on: name, termination) {
            records[name]?.state = .gone
            // The first run of a worker shows a mistake in the topology; later ones must not end what works.
            let isMistake =
                record.restartCount == 0 && !record.addedWhileRunning && lived < rules(of: name).restart.health
            guard isMistake else { return [gone] + giveUp(worker: name, verdict.sentence ?? "\(termination)") }
            return [gone] + giveUp(verdict, at: now)
        }
        guard rules(of: name).restart.wants(termination, wasUnhealthy: wasUnhealthy) else {
            records[name]?.state = .gone
            guard name == coordinator else { return [gone] }
            let end = if case .exited(let code) = termination { "exited with code \(code)" } else { "\(termination)" }
            return [gone] + stop(because: "\(name) \(end)", at: now)
        }
        guard let delay = wait(name, lived: lived, at: now) else {
            return [gone] + giveUp(on: name, "\(termination)", at: now)
        }
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
        let actions = ([coordinator] + workers).flatMap { name -> [Action] in
            switch records[name]?.state {
            case .waiting(let until) where until <= now:
                records[name]?.state = .starting
                return [start(name)]
            case .stopping(let deadline) where deadline <= now:
                records[name]?.state = .killed
                return [.note(.overdue(name)), .kill(name)]
            case .running:
                return probe(name, at: now)
                    + (name == coordinator ? checkCoordinator(at: now) : checkReadiness(name, at: now))
            default:
                return []
            }
        }
        return actions + checkReplacements(at: now) + checkChange(at: now)
    }

    /// Schedules the restart of a process that has ended and returns the delay; nil when the policy allows no more
    /// restarts.
    private mutating func wait(_ name: ProcessName, lived: Duration, at now: Duration) -> Duration? {
        let policy = rules(of: name).restart
        var record = records[name] ?? Record()
        defer { records[name] = record }
        record.restarts.removeAll { now - $0 >= policy.within }
        guard record.restarts.count < policy.times else {
            record.state = .gone
            return nil
        }
        record.restarts.append(now)
        record.restartCount += 1
        let delay = policy.delay(after: record.delay, lived: lived)
        record.delay = delay
        record.state = .waiting(until: now + delay)
        return delay
    }
}
