extension Supervisor {
    /// Schedules the first health check of a run that has begun.
    mutating func beginHealth(_ name: ProcessName, at now: Duration) -> [Action] {
        guard let rule = rules(of: name).health else { return [] }
        records[name]?.health = Health(next: now + rule.every)
        return [.wake(at: now + rule.every)]
    }

    /// Checks the health of a running process if a check is due.
    mutating func probe(_ name: ProcessName, at now: Duration) -> [Action] {
        guard let record = records[name], let next = record.health?.next, next <= now else { return [] }
        records[name]?.health?.next = nil
        return [.probe(name, pid: record.pid)]
    }

    /// Handles the result of a health check of one run of a process.
    mutating func probed(_ name: ProcessName, pid: Int32, problem: String?, at now: Duration) -> [Action] {
        guard phase == .running, let record = records[name], record.pid == pid, case .running(let since) = record.state,
            var health = record.health, health.next == nil, let rule = rules(of: name).health
        else { return [] }
        guard let problem else {
            health.failures = 0
            health.wasHealthy = true
            health.next = now + rule.every
            records[name]?.health = health
            return [.wake(at: now + rule.every)]
                + (name == coordinator ? coordinatorReady(at: now) : ready(name, at: now))
        }
        if health.wasHealthy || now - since >= rule.start {
            health.failures += 1
        }
        defer { records[name]?.health = health }
        guard health.failures >= rule.failures else {
            health.next = now + rule.every
            return [.wake(at: now + rule.every)]
        }
        health.isBeingStopped = true
        return [.note(.unhealthy(name, problem: problem))] + terminate([name], at: now)
    }
}
