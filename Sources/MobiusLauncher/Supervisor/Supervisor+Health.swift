extension Supervisor {
    /// A run begins: when its health is looked at first.
    mutating func beginHealth(_ name: ProcessName, at now: Duration) -> [Action] {
        guard let rule = rules(of: name).health else { return [] }
        records[name]?.health = Health(next: now + rule.every)
        return [.wake(at: now + rule.every)]
    }

    /// Asks how a running process is, if it is time.
    mutating func probe(_ name: ProcessName, at now: Duration) -> [Action] {
        guard let record = records[name], let next = record.health?.next, next <= now else { return [] }
        records[name]?.health?.next = nil
        return [.probe(name, pid: record.pid)]
    }

    /// Takes what the health command said of one run of a process.
    mutating func probed(_ name: ProcessName, pid: Int32, problem: String?, at now: Duration) -> [Action] {
        guard phase == .running, let record = records[name], record.pid == pid, case .running(let since) = record.state,
            var health = record.health, health.next == nil, let rule = rules(of: name).health
        else { return [] }
        guard let problem else {
            health.failures = 0
            health.wasGood = true
            health.next = now + rule.every
            records[name]?.health = health
            return [.wake(at: now + rule.every)] + ready(name, at: now)
        }
        if health.wasGood || now - since >= rule.start {
            health.failures += 1
        }
        defer { records[name]?.health = health }
        guard health.failures >= rule.failures else {
            health.next = now + rule.every
            return [.wake(at: now + rule.every)]
        }
        health.isCondemned = true
        return [.note(.unhealthy(name, problem: problem))] + terminate([name], at: now)
    }
}
