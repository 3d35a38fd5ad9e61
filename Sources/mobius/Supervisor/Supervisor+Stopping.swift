extension Supervisor {
    /// Begins the end: workers first.
    mutating func stop(because reason: String, at now: Duration) -> [Action] {
        phase = .stoppingWorkers
        for (name, record) in records where !record.isPending {
            // What waited for its restart stays away.
            records[name]?.state = .gone
        }
        return [.note(.stopping(because: reason))] + terminate(workers, at: now) + proceed(at: now)
    }

    /// Ends the fleet because it cannot work; a stop that is under way only takes note.
    mutating func giveUp(_ verdict: Verdict, at now: Duration) -> [Action] {
        guard phase == .running else { return proceed(at: now) }
        self.verdict = verdict
        return stop(because: verdict.sentence ?? "exit code \(verdict.code)", at: now)
    }

    /// The next phase, as soon as nothing of this one is left.
    mutating func proceed(at now: Duration) -> [Action] {
        if phase == .stoppingWorkers, !workers.contains(where: { records[$0]?.isPending == true }) {
            phase = .stoppingCoordinator
            let actions = terminate([coordinator], at: now)
            if !actions.isEmpty { return actions }
        }
        guard phase == .stoppingCoordinator, records[coordinator]?.isPending == false else { return [] }
        phase = .finished
        return [.finish(code: verdict?.code ?? coordinatorEnd?.code ?? 0, sentence: verdict?.sentence)]
    }

    /// Asks the running ones among the processes to stop, and sets their deadline.
    mutating func terminate(_ names: [ProcessName], at now: Duration) -> [Action] {
        let deadline = now + grace
        let actions = names.compactMap { name -> Action? in
            guard case .running = records[name]?.state else { return nil }
            records[name]?.state = .stopping(deadline: deadline)
            return .terminate(name)
        }
        return actions.isEmpty ? [] : actions + [.wake(at: deadline)]
    }

    /// Whether a process that just started is no longer wanted.
    func mustStop(_ name: ProcessName) -> Bool {
        switch phase {
        case .idle, .running: false
        case .stoppingWorkers: name != coordinator
        case .stoppingCoordinator, .finished: true
        }
    }

    /// Ends of a worker after which no restart could help.
    static func verdict(on name: ProcessName, _ termination: Termination) -> Verdict? {
        guard case .worker = name, case .exited(let code) = termination else { return nil }
        switch code {
        case 64:
            return Verdict(
                code: 64,
                sentence: "\(name) says that it was called wrongly (exit code 64), so restarting it cannot help; "
                    + "correct its command or environment in the topology file.")
        case 126, 127:
            return Verdict(
                code: 69,
                sentence: "\(name) cannot be started (exit code \(code)); "
                    + "see its output above and correct its command in the topology file.")
        default:
            return nil
        }
    }
}
